"""Bytes of a page -> characters, which charset they were in, and on whose word.

The precedence is that of Chew, Mikami and Nagano (2011), section 3.2: HTTP, then the XML declaration, then the meta
element; a byte order mark goes before them (as in browsers), and strict UTF-8, a detector and windows-1252 come after
them. The paper's rule that a declaration can lie is kept in two ways:

- a charset under which the bytes do not decode is not believed, and the next word is asked. A few stray bytes are
  forgiven (see `_FORGIVEN`): editors pasted them into pages that are otherwise what they say;
- bytes that decode strictly as UTF-8, with several characters beyond ASCII, are UTF-8 whatever single-byte charset is
  declared: any bytes at all decode under most of those, so that decoding proves nothing for them, while text in another
  charset is hardly ever valid UTF-8 by chance.

What the characters of UTF-8 were meant to be, where they were encoded twice, is for `encoded_twice` to tell.

Labels are resolved by the WHATWG encoding standard (webencodings), so that ``iso-8859-1`` means windows-1252.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import webencodings

from graphlang.ingest.html.tokenizer import is_plain, is_utf8
from graphlang.ingest.payload.charset_tables import TABLES
from graphlang.ingest.payload.detect_charset import escaped, guessed, wide

if TYPE_CHECKING:
    from collections.abc import Iterator

#: One wrong character is forgiven in so many beyond ASCII. Text in another charset is hardly ever right as UTF-8.
_FORGIVEN = {"utf-8": 10}
_FORGIVEN_OTHERWISE = 200
_PRESCAN = 2048  # bytes in which a declaration must stand (HTML asks for 1024; pages are careless)
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32le"),
    (b"\x00\x00\xfe\xff", "utf-32be"),
    (b"\xff\xfe", "utf-16le"),
    (b"\xfe\xff", "utf-16be"),
)
_XML = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']\s*([\w.:-]{1,40})")
_META = re.compile(rb"<meta\s[^>]{0,400}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40}+)(?=[^\w.:-])", re.IGNORECASE)
_HEAD = 1 << 16  # bytes in which it is looked for where nothing else tells
_BODY = re.compile(rb"<body[\s>]", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
#: Names that the WHATWG does not know or refuses, and Python or `TABLES` decodes; detectors and old pages use them.
_MORE = {
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
    **{name: name for name in TABLES},
}
#: Names that detectors and old pages use for charsets that the WHATWG (or the list above) knows by another.
_ALIASES = {
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
#: Python's codecs that hold a little more than the one of the name: the standard's decoders read these bytes as well.
_WIDER = {
    "gbk": ("gb18030",),
    "euc-jp": ("euc_jis_2004",),
    "iso-2022-jp": ("iso2022_jp_ext", "iso2022_jp_2"),
}


class Decoded(NamedTuple):
    """The characters of a page."""

    text: str | bytes  #: characters, or where the page is sound UTF-8 its bytes as they are
    charset: str  #: WHATWG name, lower case (or Python's, for the few that the WHATWG leaves out)
    source: (
        str  #: ``bom``, ``http``, ``xml``, ``meta``, ``utf-8``, ``detector`` or ``default``; and whose word was a lie
    )

    @property
    def in_doubt(self) -> bool:
        """Whether nobody's word could be believed, and the bytes do not tell for sure."""
        return self.source.startswith(("detector", "default"))


class _Charset(NamedTuple):
    name: str
    codec: codecs.CodecInfo
    wider: tuple[codecs.CodecInfo, ...] = ()


def decode(payload: bytes, http: str | None = None, *, markup: bool = True) -> Decoded:
    """Decode a page; anything decodes to something.

    Args:
        payload: the page.
        http: charset parameter of the HTTP Content-Type, where there is one.
        markup: look for an XML declaration and a meta element.

    >>> decode("Grüße, Köln".encode(), "iso-8859-1")[1:]
    ('utf-8', 'utf-8, not http')
    >>> decode('<meta charset="koi8-r">Привет'.encode("koi8-r"), "utf-8")[1:]
    ('koi8-r', 'meta, not http')
    """
    if payload[:1] in b"\xef\xff\xfe\x00":
        for mark, name in _BOMS:
            if payload.startswith(mark):
                return Decoded(payload[len(mark) :].decode(name, "replace"), name, "bom")
    if http and names_utf8(http) and is_utf8(payload):
        return Decoded(payload, "utf-8", "http")  # most pages: as below, by one look at the bytes
    return _by_words(payload, _declared(payload, http, markup=markup))


def _by_words(payload: bytes, words: Iterator[tuple[str, str]]) -> Decoded:
    """Decode a page as it is declared, if that can be believed, else as its bytes tell."""
    if is_plain(payload):
        for label, source in words:
            charset = _lookup(label)
            if charset and not charset.name.startswith(("utf-16", "utf-32")):
                return Decoded(payload, charset.name, source)
        return Decoded(payload, "utf-8", "utf-8")
    utf8 = _sound_utf8(payload)
    lies: list[str] = []
    for label, source in words:
        charset = _lookup(label)
        if charset is None:
            continue
        if charset.name == "utf-8":
            if utf8 is not None:
                return Decoded(utf8, "utf-8", _told(source, lies))
        elif utf8 is not None and b"\x1b" not in payload and _surely_utf8(utf8):
            return Decoded(utf8, "utf-8", _told("utf-8", [*lies, source]))
        text = _believed(payload, charset)
        if text is not None:
            return Decoded(text, charset.name, _told(source, lies))
        lies.append(source)
    found = _undeclared(payload, utf8)
    return found._replace(source=_told(found.source, lies))


def codec(label: str) -> str | None:
    """Python's name for a charset that somebody names as pages do; None where nobody knows it.

    Args:
        label: any usual name.

    >>> codec("windows-874"), codec("latin1"), codec("nonsense")
    ('cp874', 'cp1252', None)
    """
    found = _lookup(label)
    return None if found is None else found.codec.name


def _told(source: str, lies: list[str]) -> str:
    return f"{source}, not {' or '.join(lies)}" if lies else source


def _declared(payload: bytes, http: str | None, *, markup: bool) -> Iterator[tuple[str, str]]:
    """Yield the labels that the page is given, each with whose word it is, in the order of precedence."""
    if http:
        yield http, "http"
    if markup:
        found = _XML.match(payload, 0, _PRESCAN)
        if found:
            yield found[1].decode("ascii", "replace"), "xml"
        found = _meta(payload[:_PRESCAN])
        if not found and not is_utf8(payload):
            # As in browsers, which begin anew where they come upon it late.
            found = _meta(_BODY.split(payload[:_HEAD], maxsplit=1)[0])
        if found:
            yield found[1].decode("ascii", "replace"), "meta"


def _meta(head: bytes) -> re.Match[bytes] | None:
    return _META.search(_COMMENT.sub(b"", head) if b"<!--" in head else head)


@lru_cache(maxsize=1024)
def _lookup(label: str) -> _Charset | None:
    label = label.strip().strip("\"'").lower()
    label = _ALIASES.get(label, label)
    if label.startswith("iso8859-"):
        label = "iso-8859-" + label[8:]
    known = webencodings.lookup(label)
    if known is not None and known.name not in {"replacement", "x-user-defined"}:
        wider = tuple(codecs.lookup(name) for name in _WIDER.get(known.name, ()))
        return _Charset(known.name, known.codec_info, wider)
    if label in _MORE:
        return _Charset(label, codecs.lookup(_MORE[label]))
    return None


def early_utf8(block: bytes, body: int) -> str:
    """On whose word a page may be UTF-8 where HTTP names no charset; empty where its first declaration is another.

    Args:
        block: what holds the page.
        body: where it begins.

    Returns:
        ``xml`` or ``meta``, where the first declaration is early and says so; ``utf-8`` where there is none, so that
        the bytes tell, if they are UTF-8: then no later one is looked for.

    >>> early_utf8(b'..<meta charset="UTF-8">', 2), early_utf8(b'<meta charset="latin1">', 0), early_utf8(b"<p>x", 0)
    ('meta', '', 'utf-8')
    """
    head = block[body : body + _PRESCAN]
    found, source = _XML.match(head), "xml"
    if found is None:
        found, source = _meta(head), "meta"
    if found is None:
        return "utf-8"
    return source if names_utf8(found[1].decode("ascii", "replace")) else ""


def names_utf8(label: str) -> bool:
    """Whether a charset that is named as pages do is UTF-8."""
    charset = _lookup(label)
    return charset is not None and charset.name == "utf-8"


def _sound_utf8(payload: bytes) -> bytes | None:
    """Return the payload if it is UTF-8 without a fault; a page that was cut may end within a character."""
    if is_utf8(payload):
        return payload
    try:
        payload.decode()
    except UnicodeDecodeError as error:
        if len(payload) - error.start < 4 and error.reason == "unexpected end of data":  # noqa: PLR2004
            return payload[: error.start]
        return None
    return payload


def _surely_utf8(payload: bytes) -> bool:
    """Tell whether valid UTF-8 is no accident: at least three characters beyond ASCII."""
    return len(payload.decode("ascii", "ignore")) + 6 <= len(payload)


def _believed(payload: bytes, charset: _Charset) -> str | None:
    """Decode under a declared charset; None where the bytes show that it is not theirs."""
    if charset.name.startswith(("utf-16", "utf-32")) and re.match(rb"\s*<[!?a-zA-Z]{2}", payload):
        return None  # markup that can be read byte by byte
    text = _strictly(payload, charset)
    if text is not None:
        return text
    try:
        charset.codec.decode(payload, "strict")
    except UnicodeDecodeError as error:
        if len(payload) - error.start < 4:  # noqa: PLR2004 - a page that was cut may end within a character
            return charset.codec.decode(payload[: error.start], "replace")[0]
    text = (charset.wider or (charset.codec,))[0].decode(payload, "replace")[0]
    wrong = text.count("\ufffd")
    beyond = len(text) - len(text.encode("ascii", "ignore"))
    return text if wrong * _FORGIVEN.get(charset.name, _FORGIVEN_OTHERWISE) <= beyond else None


def _strictly(payload: bytes, charset: _Charset) -> str | None:
    for codec in (charset.codec, *charset.wider):
        try:
            return codec.decode(payload, "strict")[0]
        except UnicodeDecodeError:
            continue
    return None


def _undeclared(payload: bytes, utf8: bytes | None) -> Decoded:
    """Decide without anybody's word."""
    name = wide(payload)
    if name:
        return Decoded(payload.decode(name, "replace"), name, "detector")
    for label in escaped(payload):
        charset = _lookup(label)
        text = _strictly(payload, charset) if charset else None
        if text is not None and charset:
            return Decoded(text, charset.name, "detector")
    if utf8 is not None:
        return Decoded(utf8, "utf-8", "utf-8")
    for guess, source in ((lambda _: "utf-8", "utf-8"), (guessed, "detector")):
        charset = _lookup(guess(payload))
        text = _believed(payload, charset) if charset else None
        if text is not None and charset:
            return Decoded(text, charset.name, source)
    return Decoded(payload.decode("cp1252", "replace"), "windows-1252", "default")
