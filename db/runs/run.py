"""What a run is: one row of ``runs``, with all that its answers depend on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from graphlang.db import values

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Run:
    """One row of ``runs``."""

    id: int
    kind: str
    method: str
    model: str | None
    model_hash: str | None
    parameters: dict[str, Any]
    seeds: tuple[int, ...]
    collection: str
    version: str
    started: str
    finished: str | None
    pages: int | None
    rounds: int | None
    converged: bool | None
    inputs: str | None
    linked: bool | None  #: whether URLs that were only linked to have their answers yet; None: nothing is kept apart

    @property
    def at(self) -> str | None:
        """The moment whose captures it saw (``graphlang.db.snapshot``); None: the pages' own captures."""
        found = self.parameters.get("at")
        return None if found is None else str(found)


COLUMNS = ", ".join(Run.__slots__)


#: SQL: the moment of a run, see `Run.at`.
AT = "IIF(JSON_VALID(runs.parameters), JSON_EXTRACT(runs.parameters, '$.at'), NULL)"


#: What columns hold that are never empty, and those that may be.
_TEXTS = {"kind", "method", "collection", "version", "started"}
_PERHAPS = {"model": str, "model_hash": str, "finished": str, "inputs": str, "pages": int, "rounds": int}


def run_of(row: Sequence[Any]) -> Run:
    """The run in a row of ``runs``.

    Args:
        row: with `COLUMNS`.

    Raises:
        StoreError: it holds what no run does.
    """
    fields = dict(zip(Run.__slots__, row, strict=True))
    for name, value in fields.items():
        if (name in _TEXTS and not isinstance(value, str)) or (
            name in _PERHAPS and not (value is None or isinstance(value, _PERHAPS[name]))
        ):
            raise values.refused(f"runs.{name}", value)
    fields["parameters"] = values.parse_json("runs.parameters", fields["parameters"], dict)
    fields["seeds"] = tuple(values.parse_json("runs.seeds", fields["seeds"], list))
    # A run starts from others that are older, so that going back from one to the next comes to an end.
    if not all(type(seed) is int and 0 < seed < fields["id"] for seed in fields["seeds"]):
        raise values.refused("runs.seeds", row[Run.__slots__.index("seeds")], f"earlier runs than {fields['id']}")
    for name in ("converged", "linked"):
        fields[name] = None if fields[name] is None else bool(fields[name])
    return Run(**fields)
