"""Decode the bytes of a page to characters, and report the charset and its source.

The precedence is that of Chew, Mikami and Nagano (2011), section 3.2: HTTP, then the XML declaration, then the meta
element; a byte order mark goes before them (as in browsers), and strict UTF-8, a detector and windows-1252 come after
them. The paper's rule that a declaration can be false has three forms:

- If the bytes do not decode in a charset, the next declaration is tried. A few wrong bytes are tolerated (see
  `_TOLERANCE`): editors paste them into pages that are otherwise correct.
- Bytes that are valid UTF-8 with several characters beyond ASCII are UTF-8, whatever single-byte charset is declared.
  Any bytes decode in most of those, so that decoding proves nothing, while text in another charset is almost never
  valid UTF-8 by chance.
- Bytes that are no text in the declared charset, and are text in another one, are in that (`charset_fit`): servers sent
  ISO-8859-1 by default, and KOI8-R is declared for windows-1251, or EUC-JP for Shift_JIS.

`encoded_twice` repairs characters that were encoded twice. Labels are resolved by the WHATWG encoding standard
(webencodings), so that ``iso-8859-1`` means windows-1252.

`charset_names` has the charsets beyond that standard.
"""

from __future__ import annotations

import codecs
import re
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

import webencodings

from graphlang.ingest.html.tokenizer import is_plain, is_utf8
from graphlang.ingest.payload.charset_fit import is_sound, measure_fit
from graphlang.ingest.payload.charset_names import ALIASES, CODECS, MORE, WIDER
from graphlang.ingest.payload.detect_charset import detect_escapes, detect_wide, guess_charset, sample_text

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Characters beyond ASCII for each wrong one that is tolerated. Text in another charset is rarely valid UTF-8 at all.
_TOLERANCE = {"utf-8": 10}
_TOLERANCE_OTHERS = 200
_PRESCAN = 2048  # bytes in which a declaration is searched (HTML asks for 1024; pages are careless)
_BOMS = (
    (b"\xef\xbb\xbf", "utf-8"),
    (b"\xff\xfe\x00\x00", "utf-32le"),
    (b"\x00\x00\xfe\xff", "utf-32be"),
    (b"\xff\xfe", "utf-16le"),
    (b"\xfe\xff", "utf-16be"),
)
_XML = re.compile(rb"\s*<\?xml\s[^>]{0,200}?encoding\s*=\s*[\"']\s*([\w.:-]{1,40})")
_META = re.compile(rb"<meta\s[^>]{0,400}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40}+)(?=[^\w.:-])", re.IGNORECASE)
#: The whole of such an element, if it does not begin with the attribute; other elements may have the word in a value.
_META_TAG = re.compile(rb"<meta(?=\s)((?:[^>\"']|\"[^\"]{0,2000}\"|'[^']{0,2000}'|[\"']){0,2000})", re.IGNORECASE)
_PLAIN_META = re.compile(rb"<meta\s+charset", re.IGNORECASE)
_LONGEST_LABEL = 40
_ATTRIBUTE = re.compile(rb"([^\s\"'>/=]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+))")
_NAMES_VALUE = frozenset({b"name", b"property", b"itemprop"})  #: attributes of a meta that is no pragma
_TYPE_WITH_CHARSET = re.compile(rb"[\w.+-]+/[\w.+-]+\s*;\s*charset\s*=\s*[\"']?\s*([\w.:-]{1,40}+)", re.IGNORECASE)
_CHARSET_PARAMETER = re.compile(rb"[\s;,\"']charset\s*=\s*[\"']?\s*([\w.:-]{1,40}+)", re.IGNORECASE)
#: Charsets, or beginnings of their names, whose bytes have a form of their own: the declaration proves itself.
_NOT_MEASURED = ("utf-", "iso-2022", "hz", "x-user-defined")
_FEWEST_LETTERS = 4  # beyond ASCII that decide against a declaration
#: Of the share that another charset must explain in addition, since pages quote names of other languages: for 20
#: letters, and for any number of them.
_GAIN, _LEAST_GAIN = 0.15, 0.06
_LEAST_SHARE = 0.85  # that it must explain at all
#: By how many nats another charset must be likelier, by the declared one; servers send ISO-8859-1 by default.
_EVIDENCE = {"windows-1252": 3.5}
_LEAST_EVIDENCE = 6.0
_TIE = 3.0  # a later guess must be likelier than an earlier one by this
_LATIN = ("windows-1250", "iso-8859-2", "windows-1254", "windows-1257")
_CYRILLIC = ("windows-1251", "koi8-r", "koi8-u", "ibm866", "iso-8859-5", "x-mac-cyrillic")
_BEFORE_WINDOWS = ("ibm850", "macintosh")
_C1_CONTROL = re.compile(r"[\x80-\x9f]")  # in a text of a charset that has no letters there
_WIDE = ("shift_jis", "euc-jp", "gbk", "big5", "euc-kr")
#: Charsets that are often confused with a declared one.
_RELATIVES = {
    **dict.fromkeys(("iso-8859-15", "iso-8859-3", "macintosh", *_LATIN), _LATIN),
    "windows-1252": (*_LATIN, *_BEFORE_WINDOWS),
    **dict.fromkeys(_CYRILLIC, _CYRILLIC),
    **dict.fromkeys((*_WIDE, "gb18030"), _WIDE),
}
_HEAD = 1 << 18  # bytes in which it is searched if there is no other declaration
_BODY = re.compile(rb"<body[\s>]", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)


class Decoded(NamedTuple):
    """The characters of a page."""

    text: str | bytes  #: characters, or the bytes of a page that is valid UTF-8
    charset: str  #: WHATWG name, lower case (or Python's, for the few that the WHATWG lacks)
    #: ``bom``, ``option``, ``http``, ``xml``, ``meta``, ``warc``, ``utf-8``, ``detector`` or ``default``; then false
    #: declarations
    source: str

    @property
    def in_doubt(self) -> bool:
        """Return True if no declaration is true, and several charsets fit the bytes."""
        return self.source.startswith(("detector", "default"))


class _Charset(NamedTuple):
    name: str
    codec: codecs.CodecInfo
    wider: tuple[codecs.CodecInfo, ...] = ()


def decode(
    payload: bytes, http: str | None = None, *, markup: bool = True, option: str = "", warc: str | None = None
) -> Decoded:
    """Decode a page; any bytes decode to some characters.

    Args:
        payload: the page.
        http: charset parameter of the HTTP Content-Type, if there is one.
        markup: whether an XML declaration and a meta element count.
        option: the charset that the user names; it goes before all declarations.
        warc: charset parameter of WARC-Identified-Payload-Type, which comes after them.

    >>> decode("Grüße, Köln".encode(), "iso-8859-1")[1:]
    ('utf-8', 'utf-8, not http')
    >>> decode('<meta charset="koi8-r">Привет'.encode("koi8-r"), "utf-8")[1:]
    ('koi8-r', 'meta, not http')
    """
    if payload[:1] in b"\xef\xff\xfe\x00":
        for mark, name in _BOMS:
            if payload.startswith(mark):
                return Decoded(payload[len(mark) :].decode(name, "replace"), name, "bom")
    if http and is_utf8_label(http) and is_utf8(payload) and (is_plain(payload) or not payload.isascii()):
        return Decoded(payload, "utf-8", "http")  # most pages: the result of the steps below, faster
    labels = _list_declared_labels(payload, http, markup=markup)
    return _try_labels(payload, chain([(option, "option")] * bool(option), labels, [(warc, "warc")] if warc else ()))


def _try_labels(payload: bytes, labels: Iterator[tuple[str, str]]) -> Decoded:
    """Decode a page in the first declared charset that its bytes allow, else in the one that they suggest."""
    if is_plain(payload):
        return _label_plain(payload, labels)
    if (hidden := _decode_hidden(payload)) is not None:
        return _label_hidden(hidden, labels)
    utf8 = _trim_utf8(payload)
    false: list[str] = []  # sources of false declarations
    for label, source in labels:
        charset = _look_up(label)
        if charset is None:
            continue
        if charset.name == "utf-8":
            if utf8 is not None:
                return Decoded(utf8, "utf-8", _format_source(source, false))
        elif utf8 is not None and b"\x1b" not in payload and _has_several_characters(utf8):
            return Decoded(utf8, "utf-8", _format_source("utf-8", [*false, source]))
        text = _decode_tolerantly(payload, charset)
        if text is not None:
            decoded = Decoded(text, charset.name, _format_source(source, false))
            if _is_suspicious(decoded):
                decoded = _find_better(payload, charset, labels, [*false, source], decoded)
            return decoded
        false.append(source)
    decoded = _decode_undeclared(payload, utf8)
    return decoded._replace(source=_format_source(decoded.source, false))


def _label_plain(payload: bytes, labels: Iterator[tuple[str, str]]) -> Decoded:
    """Return a page in ASCII, which is the same in the charsets of most declarations."""
    for label, source in labels:
        charset = _look_up(label)
        if charset and not charset.name.startswith(("utf-16", "utf-32")):
            return Decoded(payload, charset.name, source)
    return Decoded(payload, "utf-8", "utf-8")


def _label_hidden(hidden: Decoded, labels: Iterator[tuple[str, str]]) -> Decoded:
    """Return a page in a charset that its zeros or escapes show, with the source of the declaration that names it."""
    false: list[str] = []
    for label, source in labels:
        if find_codec(label) == find_codec(hidden.charset):
            return hidden._replace(source=_format_source(source, false))
        false += [source] * (find_codec(label) is not None)
    return hidden._replace(source=_format_source("detector", false))


def _is_suspicious(decoded: Decoded) -> bool:
    """Return whether the declared charset of a page may be false."""
    if decoded.source.startswith("option") or decoded.charset.startswith(_NOT_MEASURED):
        return False
    return not isinstance(decoded.text, str) or not is_sound(decoded.text, decoded.charset)


def _find_better(
    payload: bytes, declared: _Charset, labels: Iterator[tuple[str, str]], false: list[str], decoded: Decoded
) -> Decoded:
    """Decode a page in another charset if that fits the bytes far better than a declared one in which they decode.

    Other declarations come first, then charsets that are often confused with the declared one and the detector's guess.
    """
    sample = sample_text(payload)
    fit = measure_fit(sample, declared.codec.name, declared.name)
    if fit.letters < _FEWEST_LETTERS or fit.is_likely:
        return decoded
    share = fit.share
    best, min_share = declared, max(_LEAST_SHARE, share + max(_LEAST_GAIN, _GAIN * (20 / fit.letters) ** 0.5))
    cost, highest = fit.cost, fit.cost - _EVIDENCE.get(declared.name, _LEAST_EVIDENCE)
    declarations = [(label, source) for label, source in labels if _look_up(label) != declared]
    guesses = ((label, "detector") for label in _RELATIVES.get(declared.name, ()))
    # The detector takes milliseconds: it runs last, and only if the declared charset has another script.
    last = ((guess_charset(payload), "detector") for _ in range(share < _LEAST_SHARE))
    for label, source in chain(declarations, guesses, last):
        charset = _look_up(label)
        if charset is None or charset in {declared, best}:
            continue
        fit = measure_fit(sample, charset.codec.name, charset.name)
        is_better = fit.share >= _LEAST_SHARE and fit.cost < (cost if fit.share >= min_share else highest)
        if fit.letters < _FEWEST_LETTERS or not is_better or (text := _decode_tolerantly(payload, charset)) is None:
            continue
        sources = [*false, *(other for _, other in declarations if other != source)]
        decoded, best, min_share = Decoded(text, charset.name, _format_source(source, sources)), charset, 2.0
        highest = fit.cost - _TIE
        if source != "detector" or fit.is_likely:
            break
    return decoded


def find_codec(label: str) -> str | None:
    """Return Python's name for a charset that has any usual name; None for an unknown one.

    >>> find_codec("windows-874"), find_codec("latin1"), find_codec("nonsense")
    ('cp874', 'cp1252', None)
    """
    charset = _look_up(label)
    return None if charset is None else charset.codec.name


def _format_source(source: str, false: list[str]) -> str:
    return f"{source}, not {' or '.join(false)}" if false else source


def _list_declared_labels(payload: bytes, http: str | None, *, markup: bool) -> Iterator[tuple[str, str]]:
    """Yield the declared labels and their sources, in the order of precedence."""
    if http:
        yield http, "http"
    if markup:
        match = _XML.match(payload, 0, _PRESCAN)
        if match:
            yield match[1].decode("ascii", "replace"), "xml"
        label = _find_meta_charset(payload[:_PRESCAN])
        if label is None and not is_utf8(payload):
            # As in browsers, which start over at a late declaration.
            label = _find_meta_charset(_BODY.split(payload[:_HEAD], maxsplit=1)[0])
        if label is not None:
            yield label.decode("ascii", "replace"), "meta"


def _find_meta_charset(head: bytes) -> bytes | None:
    """Return the charset that the first meta element with one declares; None without one.

    Other elements have the word in a description, or in an attribute of their own such as ``data-charset``.
    """
    if b"<!--" in head:
        head = _COMMENT.sub(b"", head)
    match = _META.search(head)
    if match is None or _PLAIN_META.match(match[0]):  # nearly always
        return match and match[1]
    for tag in _META_TAG.finditer(head, match.start()):
        attributes: dict[bytes, bytes] = {
            name.lower(): double or single or bare for name, double, single, bare in _ATTRIBUTE.findall(tag[1])
        }
        if b"charset" in attributes:
            return attributes[b"charset"].strip()[:_LONGEST_LABEL]
        is_pragma = attributes.get(b"http-equiv", b"").strip().lower() == b"content-type"
        pattern = _CHARSET_PARAMETER if is_pragma else _TYPE_WITH_CHARSET  # careless pages leave the pragma out
        if (declared := pattern.search(tag[1])) and (is_pragma or _NAMES_VALUE.isdisjoint(attributes)):
            return declared[1]
    return None


@lru_cache(maxsize=1024)
def _look_up(label: str) -> _Charset | None:
    label = label.strip().strip("\"'").lower()
    label = ALIASES.get(label, label)
    if label.startswith("iso8859-"):
        label = "iso-8859-" + label[8:]
    encoding = webencodings.lookup(label)
    if encoding is not None and encoding.name not in {"replacement", "x-user-defined"}:
        wider = tuple(codecs.lookup(name) for name in WIDER.get(encoding.name, ()))
        codec = codecs.lookup(CODECS[encoding.name]) if encoding.name in CODECS else encoding.codec_info
        return _Charset(encoding.name, codec, wider)
    if label in MORE:
        return _Charset(label, codecs.lookup(MORE[label]))
    return None


def find_utf8_source(block: bytes, body: int) -> str:
    """Return the source of UTF-8 for a page, at index ``body`` of a block, without a charset in HTTP.

    That is ``xml`` or ``meta`` if the first declaration is early and is UTF-8, an empty string if it is another
    charset, and ``utf-8`` if there is no early declaration: then the bytes decide.

    >>> [find_utf8_source(page, 0) for page in (b'<meta charset="UTF-8">', b'<meta charset="latin1">', b"<p>x")]
    ['meta', '', 'utf-8']
    """
    head = block[body : body + _PRESCAN]
    match = _XML.match(head)
    label, source = (match[1], "xml") if match else (_find_meta_charset(head), "meta")
    if label is None:
        return "utf-8"
    return source if is_utf8_label(label.decode("ascii", "replace")) else ""


def is_utf8_label(label: str) -> bool:
    """Return whether a label of a charset is one of UTF-8."""
    charset = _look_up(label)
    return charset is not None and charset.name == "utf-8"


def _trim_utf8(payload: bytes) -> bytes | None:
    """Return the payload if it is valid UTF-8, without a character that is cut off at its end."""
    if is_utf8(payload):
        return payload
    try:
        payload.decode()
    except UnicodeDecodeError as error:
        if len(payload) - error.start < 4 and error.reason == "unexpected end of data":  # noqa: PLR2004
            return payload[: error.start]
        return None
    return payload


def _has_several_characters(payload: bytes) -> bool:
    """Return whether valid UTF-8 has enough characters beyond ASCII, some three, to be no accident."""
    return len(payload.decode("ascii", "ignore")) + 6 <= len(payload)


def _decode_tolerantly(payload: bytes, charset: _Charset) -> str | None:
    """Decode in a declared charset; None if the bytes have more faults than are tolerated."""
    if charset.name.startswith(("utf-16", "utf-32")) and re.match(rb"\s*<[!?a-zA-Z]{2}", payload):
        return None  # markup that can be read byte by byte
    text = _decode_strictly(payload, charset)
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
    return text if wrong * _TOLERANCE.get(charset.name, _TOLERANCE_OTHERS) <= beyond else None


def _decode_strictly(payload: bytes, charset: _Charset) -> str | None:
    for codec in (charset.codec, *charset.wider):
        try:
            return codec.decode(payload, "strict")[0]
        except UnicodeDecodeError:
            continue
    return None


def _decode_undeclared(payload: bytes, utf8: bytes | None) -> Decoded:
    """Decode without a true declaration."""
    if utf8 is not None:
        return Decoded(utf8, "utf-8", "utf-8")
    for guess, source in ((lambda _: "utf-8", "utf-8"), (_guess_charset, "detector")):
        charset = _look_up(guess(payload))
        text = _decode_tolerantly(payload, charset) if charset else None
        if text is not None and charset:
            return Decoded(text, charset.name, source)
    return Decoded(payload.decode("cp1252", "replace"), "windows-1252", "default")


def _guess_charset(payload: bytes) -> str:
    """Return the detector's guess, or that of a computer before windows if its letters fit better."""
    name = guess_charset(payload)
    charset = _look_up(name)
    sample = sample_text(payload)
    if charset is None or not _C1_CONTROL.search(sample.decode(charset.codec.name, "replace")):
        return name
    guesses = [charset, *filter(None, map(_look_up, _BEFORE_WINDOWS))]
    return min(guesses, key=lambda guess: measure_fit(sample, guess.codec.name, guess.name).cost).name


def _decode_hidden(payload: bytes) -> Decoded | None:
    """Decode in UTF-16, UTF-32, ISO 2022 or HZ by zeros or escapes, which look like ASCII; None for other bytes."""
    name = detect_wide(payload)
    if name:
        return Decoded(payload.decode(name, "replace"), name, "detector")
    for label in detect_escapes(payload):
        charset = _look_up(label)
        text = _decode_strictly(payload, charset) if charset else None
        if text is not None and charset:
            return Decoded(text, charset.name, "detector")
    return None
