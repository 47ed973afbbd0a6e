"""What mkdocs asks while it builds the site: pages from elsewhere in the project, and links that lead to them.

Pages link to one another by their places in the project, so that the links work where the project is looked at. Here
they become links between pages of the site. A link to a file that is no page becomes the file's name.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
#: Place in the project -> place on the site, of the pages that lie outside docs/.
ELSEWHERE = {
    "graphlang/COMMANDS.md": "commands.md",
    "db/SCHEMA.md": "columns.md",
    "tests/benchmarks/RESULTS.md": "results.md",
    "tests/benchmarks/TRIED.md": "tried.md",
    "examples/README.md": "walk.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
}
_LINK = re.compile(r"(?<!!)\[([^\]\n]+(?:\n[^\]\n]+)?)\]\(([^)\s#]+)(#[\w-]*)?\)")


def place(source: str) -> str | None:
    """Where on the site a page of the project is.

    Args:
        source: its path from the top of the project.

    Returns:
        its path on the site, or None where it is no page of it.

    >>> place("docs/howto/resume.md"), place("db/SCHEMA.md"), place("setup.py")
    ('howto/resume.md', 'columns.md', None)
    """
    if source in ELSEWHERE:
        return ELSEWHERE[source]
    if source.startswith("docs/") and source.endswith(".md"):
        return source.removeprefix("docs/")
    return None


def rewritten(text: str, source: str) -> str:
    """A page with links that lead to pages of the site.

    Args:
        text: the page.
        source: its path from the top of the project.

    >>> rewritten("[columns](../../db/SCHEMA.md#links), [code](../../setup.py)", "docs/howto/texts.md")
    '[columns](../columns.md#links), `setup.py`'
    """
    here = place(source)

    def link(found: re.Match[str]) -> str:
        words, target, anchor = found[1], found[2], found[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return found[0]
        path = os.path.normpath(Path(source).parent / target)
        there = place(path) or place(f"{path}/README.md") or place(f"{path}/index.md")
        if there is None or here is None:
            return words if words.startswith("`") else f"`{path}`"
        return f"[{words}]({os.path.relpath(there, Path(here).parent)}{anchor})"

    return _LINK.sub(link, text)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that lie outside of docs/."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - only where the site is built

    for source, there in ELSEWHERE.items():
        files.append(File.generated(config, there, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let the links of a page lead to pages of the site."""
    del config, files
    there = page.file.src_uri
    sources = {place_: source for source, place_ in ELSEWHERE.items()}
    return rewritten(markdown, sources.get(there, f"docs/{there}"))
