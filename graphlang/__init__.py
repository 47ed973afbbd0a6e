"""graphlang finds the language of every page of a crawled collection by its text and by its links.

In: archive files, texts or URLs. Out: languages with their confidence. Open `collection/` for the result of `open`,
`identification` for texts and URLs, `graphlang.ingest` for pages without a database, `rows` for lists; the steps are in
`analysis/`, the methods in `content/`, `urls/` and `graph/`, the command line in `cli/`.

>>> import graphlang as gl
>>> gl.identify(["Der Nebel liegt noch über dem Tal."])[0].language
'deu'
"""

import os.path
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from graphlang.collection import Collection, check
    from graphlang.collection import open_collection as open  # noqa: A004  gl.open, as gzip.open
    from graphlang.collection.page_filter import PageFilter
    from graphlang.db import Link, Page, Problem, StoreError
    from graphlang.identification import Prediction, identify
    from graphlang.ingest import Limits
    from graphlang.ingest.read_batches import read
    from graphlang.model_training import train
    from graphlang.modelfile import ModelError
    from graphlang.plugins import PluginError, use_plugins
    from graphlang.rows import Rows

# Python that starts in a checkout finds this folder first, which lacks `db` and the kernels of the installed package.
if not os.path.isdir(os.path.join(__path__[0], "db")):  # noqa: PTH112, PTH118 - pathlib takes time to import
    _folders = [os.path.join(entry, "graphlang") for entry in sys.path]  # noqa: PTH118
    __path__[:] = [next((folder for folder in _folders if os.path.isdir(os.path.join(folder, "db"))), __path__[0])]  # noqa: PTH112, PTH118

#: Here and not in `pyproject.toml`: reading the installed metadata takes longer than all imports of a worker.
__version__ = "0.1.0"

#: Name -> module and its name there, imported at first use: importing all takes 0.28 s, and a worker or
#: `graphlang --help`, which takes 0.04 s, needs none of them.
_WHERE = {
    "Collection": ("collection", "Collection"),
    "Limits": ("ingest", "Limits"),
    "Link": ("db", "Link"),
    "ModelError": ("modelfile", "ModelError"),
    "Page": ("db", "Page"),
    "PageFilter": ("collection.page_filter", "PageFilter"),
    "PluginError": ("plugins", "PluginError"),
    "Prediction": ("identification", "Prediction"),
    "Problem": ("db", "Problem"),
    "Rows": ("rows", "Rows"),
    "StoreError": ("db", "StoreError"),
    "check": ("collection", "check"),
    "identify": ("identification", "identify"),
    "open": ("collection", "open_collection"),
    "read": ("ingest.read_batches", "read"),
    "train": ("model_training", "train"),
    "use_plugins": ("plugins", "use_plugins"),
}

__all__ = [
    "Collection",
    "Limits",
    "Link",
    "ModelError",
    "Page",
    "PageFilter",
    "PluginError",
    "Prediction",
    "Problem",
    "Rows",
    "StoreError",
    "__version__",
    "check",
    "identify",
    "open",
    "read",
    "train",
    "use_plugins",
]


def __getattr__(name: str) -> Any:
    if name in _WHERE:
        module, attribute = _WHERE[name]
        return getattr(import_module(f"graphlang.{module}"), attribute)
    raise AttributeError(f"module 'graphlang' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
