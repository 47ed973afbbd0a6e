"""Charsets of one byte a character that pages declare and Python has no codec for: a table each.

To add one, write its 256 characters into `TABLES`, with U+FFFD for a byte that means none; other names for it go into
`charset._ALIASES`. Importing this module makes them known to Python by their names.
"""

from __future__ import annotations

import codecs
from typing import Final


def _ascii_but(characters: dict[int, str]) -> str:
    """ASCII, with other characters in some places."""
    return "".join(characters.get(code, chr(code)) for code in range(0x80))


#: Name in lower case, as Python asks for it (an underscore for a hyphen) -> the character of each byte.
TABLES: Final = {
    # RFC 1456, 3: Vietnamese has six letters more than the upper half has room for, which stand in place of controls.
    "viscii": _ascii_but({0x02: "Ẳ", 0x05: "Ẵ", 0x06: "Ẫ", 0x14: "Ỷ", 0x19: "Ỹ", 0x1E: "Ỵ"})
    + "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐ"
    + "ỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲ"
    + "Õắằặấầẩậẽẹếềểễệố"
    + "ồổỗỠƠộờởịỰỨỪỬơớƯ"
    + "ÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳ"
    + "ĐứÒÓÔạỷừửÙÚỹỵÝỡư"
    + "àáâãảăữẫèéêẻìíĩỉ"
    + "đựòóôõỏọụùúũủýợỮ",
}


def _codec(name: str, table: str) -> codecs.CodecInfo:
    """A codec as Python wants it, made of a table like those of its own charsets of one byte."""
    places = codecs.charmap_build(table)

    class Codec(codecs.Codec):
        def encode(self, text: str, errors: str = "strict") -> tuple[bytes, int]:
            return codecs.charmap_encode(text, errors, places)

        def decode(self, data: bytes, errors: str = "strict") -> tuple[str, int]:
            return codecs.charmap_decode(data, errors, table)

    class Encoder(codecs.IncrementalEncoder):
        def encode(self, text: str, final: bool = False) -> bytes:
            del final
            return codecs.charmap_encode(text, self.errors, places)[0]

    class Decoder(codecs.IncrementalDecoder):
        def decode(self, data: bytes, final: bool = False) -> str:
            del final
            return codecs.charmap_decode(data, self.errors, table)[0]

    class Writer(Codec, codecs.StreamWriter):
        pass

    class Reader(Codec, codecs.StreamReader):
        pass

    return codecs.CodecInfo(
        name=name,
        encode=Codec().encode,
        decode=Codec().decode,
        incrementalencoder=Encoder,
        incrementaldecoder=Decoder,
        streamreader=Reader,
        streamwriter=Writer,
    )


def _found(name: str) -> codecs.CodecInfo | None:
    """What Python asks for a name that it does not know; it remembers the answer."""
    return _codec(name, TABLES[name]) if name in TABLES else None


codecs.register(_found)
