"""Makes ``graphlang/data/scripts.tsv`` and ``graphlang/data/territories.tsv`` from Unicode's CLDR.

    python tests/languages/make_tables.py FOLDER_WITH_CLDR_JSON

The folder holds ``likelySubtags.json`` and ``territoryInfo.json`` as CLDR's JSON distribution has them. Only facts are
taken (which script, which language, which share), turned into our codes. The licence of the source lies beside the
tables. The test of the tables makes them again, where the data is at hand, and compares.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any, Final

from graphlang.codes.languages import code

DATA: Final = Path(__file__).parents[2] / "graphlang" / "data"
LEAST_REGIONAL: Final = 0.1  # per cent of the people: under this a regional language is no expectation of a page
LEAST_USED: Final = 10.0
STATUS: Final = {"official": "official", "de_facto_official": "de facto", "official_regional": "regional"}
ORDER: Final = (*STATUS.values(), "used")
#: Official where they are spoken, but written pages are in the standard language.
SPOKEN: Final = frozenset(("gsw",))
#: Codes of ours that CLDR gives under another one.
OURS: Final = {"pnb": "Arab", "prs": "Arab"}
#: Scripts as our labels have them.
SCRIPTS: Final = {"Aran": "Arab", "Hang": "Kore", "Latf": "Latn", "Latg": "Latn"}


def read(folder: Path, table: str) -> tuple[Any, str]:
    """One CLDR table and the version of CLDR that it says."""
    supplemental = json.loads((folder / f"{table}.json").read_text("utf-8"))["supplemental"]
    return supplemental[table], supplemental["version"]["_cldrVersion"]


def scripts(folder: Path) -> str:
    """The usual script of each language where it is not Latin, and where a territory changes it."""
    table, version = read(folder, "likelySubtags")
    usual = dict(OURS)
    local: dict[str, str] = {}
    for key, likely in sorted(table.items(), key=lambda item: len(item[0])):
        parts = key.split("-")
        language = code(parts[0])
        script = likely.split("-")[1]
        script = SCRIPTS.get(script, script)
        if language is None or language == "und" or script.startswith("Z"):
            continue
        if len(parts) == 1:
            if parts[0] == likely.split("-")[0] and (language not in usual or len(parts[0]) == 2):
                usual[language] = script
        elif len(parts[1]) == 2:
            local[f"{language}-{parts[1]}"] = script
    rows = defaultdict(list)
    for language, script in usual.items():
        if script != "Latn":
            rows[script].append(language)
    for key, script in local.items():
        if script != usual.get(key.split("-")[0], "Latn"):
            rows[script].append(key)
    head = f"# Usual scripts, made from CLDR {version} (LICENSE-unicode.txt) by make_tables.py\n"
    lines = [f"{script}\t{' '.join(sorted(keys))}\n" for script, keys in sorted(rows.items())]
    return head + "script\tlanguages\n" + "".join(lines)


def territories(folder: Path) -> str:
    """Languages by territory: official ones, and those that many people use; commonest first."""
    table, version = read(folder, "territoryInfo")
    lines = []
    for country, info in sorted(table.items()):
        found: dict[str, tuple[str, float]] = {}
        for tag, use in info.get("languagePopulation", {}).items():
            language = code(tag)
            if country == "ZZ" or language is None or language in SPOKEN or language == "und":
                continue
            status, percent = STATUS.get(use.get("_officialStatus"), "used"), float(use["_populationPercent"])
            least = {"regional": LEAST_REGIONAL, "used": LEAST_USED}.get(status, 0)
            before, most = found.get(language, ("used", 0.0))  # of the same language in another script
            if percent >= least:
                found[language] = (min(status, before, key=ORDER.index), max(percent, most))
        people = int(info["_population"])
        for language, (status, percent) in sorted(found.items(), key=lambda item: (-item[1][1], item[0])):
            speakers = round(people * percent / 100)
            lines.append(f"{country.lower()}\t{language}\t{status}\t{percent:g}\t{speakers}\n")
    head = f"# Languages of territories, made from CLDR {version} (LICENSE-unicode.txt) by make_tables.py\n"
    return head + "country\tlanguage\tstatus\tpercent\tspeakers\n" + "".join(lines)


def main(folder: Path) -> None:
    """Write both tables."""
    (DATA / "scripts.tsv").write_text(scripts(folder), "utf-8")
    (DATA / "territories.tsv").write_text(territories(folder), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
