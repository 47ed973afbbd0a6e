"""URL -> the form by which indexes of captures are sorted and searched, as pywb asks for it (the package surt)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final
from urllib.parse import unquote_to_bytes

_WWW: Final = re.compile(r"www\d*\.")
_END: Final = re.compile("[/?#]")
_PORTS: Final = {"http": "80", "https": "443"}
_SAFE: Final = frozenset(b"!\"$&'()*+,-./:;<=>?@[\\]^_`{|}~") | frozenset(range(48, 58)) | frozenset(range(97, 123))
_PLAIN: Final = re.compile(r"[!\"$&'()*+,\-./:;<=>?@[\\\]^_`{|}~0-9A-Za-z]*")  #: what stays, but for its case
#: Of each the last in a query is dropped.
_SESSIONS: Final = tuple(
    re.compile(f"{session}(?:&|$)")
    for session in (
        *("jsessionid=[0-9a-z]{32}", "phpsessid=[0-9a-z]{32}", "sid=[0-9a-z]{32}", "aspsessionid[a-z]{8}=[a-z]{24}"),
        "cfid=(?:(?!cfid=)[^&])+&cftoken=[^&]+",
    )
)
#: Sessions in the path of ASP.NET.
_FOLDERS: Final = (
    re.compile(r"(?<=/)\((?:[a-z]\([0-9a-z]{24}\))+\)/(?=[^?]+\.aspx)"),
    re.compile(r"(?<=/)\([0-9a-z]{24}\)/(?=[^?]+\.aspx)"),
)
_UNESCAPED: Final = 8  # times that a URL may be escaped over and over


def sort_key(url: str) -> str:
    """The sort key of a URL: host reversed, the rest in lower case.

    What differs between ways to write the same address is dropped: the scheme, ``www``, usual ports, the order of
    parameters, session ids, an empty query, a slash at the end.

    Args:
        url: of http or https, in canonical form.

    >>> sort_key("http://www.Example.org:80/A/b%43/?y=2&x=1"), sort_key("https://example.org")
    ('org,example)/a/bc?x=1&y=2', 'org,example)/')
    """
    scheme, _, rest = url.partition("://")
    authority, slash, tail = rest.partition("/")
    if "?" in authority or "#" in authority or not slash:
        end = _END.search(rest)
        authority, tail = (rest, "") if end is None else (rest[: end.start()], rest[end.start() :])
    else:
        tail = f"/{tail}"
    path, _, query = tail.partition("#")[0].partition("?")
    return f"{_site(scheme, authority)}){_path(path)}{_query(query)}"


@lru_cache(maxsize=4096)  # the pages of a site mostly stand together
def _site(scheme: str, authority: str) -> str:
    address = authority.rpartition("@")[2].lower()
    host, bracket, port = address.partition("]")
    if not bracket:
        host, _, port = address.partition(":")
    host = host.lstrip("[").replace("..", ".").strip(".")
    www = _WWW.match(host)
    name = ",".join(reversed(host[www.end() if www else 0 :].split(".")))
    port = port.lstrip(":")
    return f"{name}:{port}" if port and port != _PORTS.get(scheme.lower()) else name


def _path(path: str) -> str:
    folded = _escaped(path)
    if "//" in folded or "/." in folded or not folded.startswith("/"):
        folded = _folded(folded)
    if ".aspx" in folded:
        for pattern in _FOLDERS:
            folded = _without_last(pattern, folded)
    return folded.removesuffix("/") or "/"


def _folded(path: str) -> str:
    """Without empty folders, and those that are none."""
    kept: list[str] = []
    for part in path.split("/")[1:]:
        if part == ".." and kept:
            kept.pop()
        elif part != ".":
            kept.append(part)
    return "/" + "".join(f"{part}/" for part in kept[:-1] if part) + (kept[-1] if kept else "")


def _query(query: str) -> str:
    if not query:
        return ""
    found = _escaped(query)
    if "id" in found:
        for pattern in _SESSIONS:
            found = _without_last(pattern, found)
    ordered = "&".join(sorted(found.split("&"), key=lambda one: one.split("=", 1)))
    return f"?{ordered}" if ordered else ""


def _without_last(pattern: re.Pattern[str], text: str) -> str:
    last = None
    for last in pattern.finditer(text):  # noqa: B007 - the last one is wanted
        pass
    return text if last is None else text[: last.start()] + text[last.end() :]


def _escaped(part: str) -> str:
    """Lower case, with percent signs only where they must be."""
    if _PLAIN.fullmatch(part):
        return part.lower()
    raw = part.encode("utf-8", "surrogatepass")
    for _ in range(_UNESCAPED):
        before, raw = raw, unquote_to_bytes(raw)
        if raw == before:
            break
    raw = raw.lower()
    return "".join(chr(byte) if byte in _SAFE else f"%{byte:02x}" for byte in raw)
