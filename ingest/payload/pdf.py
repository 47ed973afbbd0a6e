"""Read the text of PDF documents with pypdf, an extra, if the user asks for it (``--pdf``).

Documents are bounded like pages: in bytes, in processor time, in characters; pypdf bounds the size of unpacked streams.
"""

from __future__ import annotations

import errno
import importlib.util
import io
import logging
import re
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple

from graphlang.ingest.html.document import fold, fold_lines

if TYPE_CHECKING:
    from graphlang.ingest.raw import Faults

_PAGES: Final = 2_000
_REASON: Final = 200  # characters of a library's error message
#: A word that is parted at the end of a line.
_HYPHEN: Final = re.compile(r"(?<=[^\W\d_])[-\xad]\n(?=[^\W\d_A-Z])")
_NO_PYPDF: Final = "--pdf needs one more package: pip install 'graphlang[pdf]'"


class PdfText(NamedTuple):
    """The text of a document."""

    title: str
    text: str  #: a line for each line of the document
    faults: Faults


def require_pypdf() -> None:
    """Raise OSError if the extra ``pdf`` is not installed."""
    if importlib.util.find_spec("pypdf") is None:
        raise OSError(errno.ENOSYS, _NO_PYPDF)


def read_pdf(payload: bytes, limit: int | None) -> PdfText:
    """Read the text of a document, page by page up to about ``limit`` characters; a fault ends it early."""
    import pypdf  # noqa: PLC0415 - an extra

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is wrong with the document is a fault
    title, parts, size = "", [], 0
    faults: Faults = ()
    try:
        document = pypdf.PdfReader(io.BytesIO(payload))
        title = fold(str(document.metadata.title or "")) if document.metadata else ""
        for page in islice(document.pages, _PAGES):
            parts.append(page.extract_text())
            size += len(parts[-1])
            if limit is not None and size > limit:
                break
    except Exception as error:  # noqa: BLE001 - the library raises anything for a damaged document
        reason = f"{type(error).__name__}: {error}"[:_REASON]
        faults = (("bad-pdf", reason),)
    text = "\n".join(parts).encode("utf-8", "replace").decode()
    return PdfText(title.encode("utf-8", "replace").decode(), fold_lines(_HYPHEN.sub("", text)), faults)
