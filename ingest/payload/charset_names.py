"""Names of charsets beyond the WHATWG's list, and codecs that Python lacks.

To add a charset of one byte a character that Python has no codec for, write its 256 characters into `TABLES`, with
U+FFFD for an undefined byte; other names for it go into `ALIASES`. Importing this module registers the codecs.
"""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


def _replace_ascii(characters: dict[int, str]) -> str:
    """Return ASCII, with other characters in some places."""
    return "".join(characters.get(code, chr(code)) for code in range(0x80))


#: Name in lower case, as Python asks for it (an underscore for a hyphen) -> the character of each byte.
TABLES: Final = {
    # RFC 1456, 3: the upper half lacks room for six Vietnamese letters, which replace control characters.
    "viscii": _replace_ascii({0x02: "Ẳ", 0x05: "Ẵ", 0x06: "Ẫ", 0x14: "Ỷ", 0x19: "Ỹ", 0x1E: "Ỵ"})
    + "ẠẮẰẶẤẦẨẬẼẸẾỀỂỄỆỐ"
    + "ỒỔỖỘỢỚỜỞỊỎỌỈỦŨỤỲ"
    + "Õắằặấầẩậẽẹếềểễệố"
    + "ồổỗỠƠộờởịỰỨỪỬơớƯ"
    + "ÀÁÂÃẢĂẳẵÈÉÊẺÌÍĨỳ"
    + "ĐứÒÓÔạỷừửÙÚỹỵÝỡư"
    + "àáâãảăữẫèéêẻìíĩỉ"
    + "đựòóôõỏọụùúũủýợỮ",
    # The KOI8-U of the WHATWG has the short u of Belarusian, unlike Python's.
    "koi8_ru": bytes(range(0x100)).decode("koi8_u").translate({ord("╝"): "ў", ord("╬"): "Ў"}),
}
#: By WHATWG name: a better codec than Python's.
CODECS: Final = {"koi8-u": "koi8_ru"}
#: Names that the WHATWG does not know or rejects, and Python or `TABLES` decodes; detectors and old pages use them.
MORE = {
    "hz-gb-2312": "hz",
    "hz": "hz",
    "utf-32": "utf-32le",
    "utf-32le": "utf-32le",
    "utf-32be": "utf-32be",
    "iso-2022-kr": "iso2022_kr",
    "johab": "johab",
    "koi8-t": "koi8_t",
    "kz-1048": "kz1048",
    "ptcp154": "ptcp154",
    "x-mac-ce": "mac_latin2",
    "x-mac-greek": "mac_greek",
    "x-mac-turkish": "mac_turkish",
    "x-mac-icelandic": "mac_iceland",
    **{f"ibm{page}": f"cp{page}" for page in (437, 737, 775, 850, 852, 855, 857, 858, 862, 864, 1125)},
    "viscii": "viscii",
}
#: Names of detectors and old pages for charsets that have another name in the WHATWG's list, or in the one above.
ALIASES = {
    "maccyrillic": "x-mac-cyrillic",
    "mac-cyrillic": "x-mac-cyrillic",
    "macroman": "macintosh",
    "mac-roman": "macintosh",
    "x-mac-roman": "macintosh",
    "macce": "x-mac-ce",
    "x-mac-centraleurroman": "x-mac-ce",
    "cp932": "shift_jis",
    "shift_jis_2004": "shift_jis",
    "euc_jis_2004": "euc-jp",
    "cp949": "euc-kr",
    "euc_kr": "euc-kr",
    "uhc": "euc-kr",
    "cp936": "gbk",
    "cp950": "big5",
    "big5hkscs": "big5",
    "iso-2022-jp-1": "iso-2022-jp",
    "iso-2022-jp-2": "iso-2022-jp",
    "iso-2022-jp-3": "iso-2022-jp",
    "csiso2022kr": "iso-2022-kr",
    "cp874": "windows-874",
    "kz1048": "kz-1048",
    "strk1048-2002": "kz-1048",
    "csviscii": "viscii",
    "viscii1.1": "viscii",
} | {f"cp{page}": f"ibm{page}" for page in (437, 737, 775, 850, 852, 855, 857, 858, 862, 864, 866, 1125)}
#: Python's codecs with a few more characters than the codec of the name: the standard's decoders read these as well.
WIDER = {
    "gbk": ("gb18030",),
    "euc-jp": ("euc_jis_2004",),
    "iso-2022-jp": ("iso2022_jp_ext", "iso2022_jp_2"),
}


def _make_codec(name: str, table: str) -> codecs.CodecInfo:
    """Make a codec of a table, like Python's own codecs for charsets of one byte."""
    places = codecs.charmap_build(table)

    class Codec(codecs.Codec):
        def encode(self, text: str, errors: str = "strict") -> tuple[bytes, int]:
            return codecs.charmap_encode(text, errors, places)

        def decode(self, data: ReadableBuffer, errors: str = "strict") -> tuple[str, int]:
            return codecs.charmap_decode(data, errors, table)

    class Encoder(codecs.IncrementalEncoder):
        def encode(self, text: str, final: bool = False) -> bytes:
            del final
            return codecs.charmap_encode(text, self.errors, places)[0]

    class Decoder(codecs.IncrementalDecoder):
        def decode(self, data: ReadableBuffer, final: bool = False) -> str:
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


def _find_table(name: str) -> codecs.CodecInfo | None:
    """Return the codec of a name that Python does not know; Python caches it."""
    return _make_codec(name, TABLES[name]) if name in TABLES else None


codecs.register(_find_table)
