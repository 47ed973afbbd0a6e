"""Methods that answer from a whole collection and not from a text: their names, for those who only ask for these."""

from __future__ import annotations

from typing import Final

DECLARED: Final = "declared"  #: what the pages declare for themselves, see `declared_run`
TLD: Final = "tld"  #: the commonest language of the collection's top-level domain, see `tld_run`
