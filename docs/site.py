"""Hooks of mkdocs: add the pages outside docs/ to the site, and rewrite links between pages.

Pages link to each other by their paths in the project, so that links work in a checkout. On the site they become links
between its pages. A link to a file that is not a page becomes the name of the file.
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
#: Path in the project -> path on the site, for pages outside docs/.
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


def site_path(source: str) -> str | None:
    """Return the path on the site of a file of the project; None if it is not on the site.

    >>> site_path("docs/howto/resume.md"), site_path("db/SCHEMA.md"), site_path("setup.py")
    ('howto/resume.md', 'columns.md', None)
    """
    if source in ELSEWHERE:
        return ELSEWHERE[source]
    if source.startswith("docs/") and source.endswith(".md"):
        return source.removeprefix("docs/")
    return None


def rewrite_links(text: str, source: str) -> str:
    """Return a page whose links lead to pages of the site; ``source`` is its path in the project.

    >>> rewrite_links("[columns](../../db/SCHEMA.md#links), [code](../../setup.py)", "docs/howto/texts.md")
    '[columns](../columns.md#links), `setup.py`'
    """
    here = site_path(source)

    def rewrite(match: re.Match[str]) -> str:
        words, target, anchor = match[1], match[2], match[3] or ""
        if "://" in target or target.startswith("mailto:"):
            return match[0]
        path = os.path.normpath(Path(source).parent / target)
        there = site_path(path) or site_path(f"{path}/README.md") or site_path(f"{path}/index.md")
        if there is None or here is None:
            return words if words.startswith("`") else f"`{path}`"
        return f"[{words}]({os.path.relpath(there, Path(here).parent)}{anchor})"

    return _LINK.sub(rewrite, text)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages outside docs/."""
    from mkdocs.structure.files import File  # noqa: PLC0415 - only where the site is built

    for source, there in ELSEWHERE.items():
        files.append(File.generated(config, there, content=(ROOT / source).read_text(encoding="utf-8")))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Rewrite the links of a page."""
    del config, files
    there = page.file.src_uri
    sources = {path: source for source, path in ELSEWHERE.items()}
    return rewrite_links(markdown, sources.get(there, f"docs/{there}"))
