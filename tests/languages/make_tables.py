"""Makes the tables of ``graphlang/data`` from Unicode's CLDR: ``scripts``, ``territories`` and ``names``; ``subtags``.

    python tests/languages/make_tables.py FOLDER_WITH_CLDR_JSON

Names come from Babel, which holds CLDR, and from the IANA registry of language subtags that langcodes holds; what
subtags mean comes from langcodes too. For ``scripts`` and ``territories`` the folder holds ``likelySubtags.json`` and
``territoryInfo.json`` as CLDR's JSON distribution has them. Only facts are taken (which script, which language, which
share), turned into our codes. The licence of the source lies beside the tables. The test of the tables makes them
again, where the data is at hand, and compares.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from importlib.metadata import version as version_of
from itertools import product
from pathlib import Path
from string import ascii_lowercase
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
#: Names in daily use that are in neither source, by BCP 47 tag.
ALSO: Final = {
    "ab": ["Abkhaz"],
    "ar": ["Classical Arabic", "Literary Arabic"],
    "az": ["Azeri"],
    "be": ["Belorussian", "Byelorussian"],
    "bm": ["Bamanankan"],
    "ckb": ["Sorani"],
    "cmn": ["Mandarin", "Putonghua", "Standard Chinese"],
    "de": ["Deutsch", "High German"],
    "el": ["Modern Greek"],
    "eu": ["Euskara"],
    "fa": ["Farsi"],
    "ff": ["Fulani", "Fulfulde"],
    "fi": ["Suomi"],
    "fy": ["Frisian", "West Frisian"],
    "ga": ["Irish Gaelic"],
    "gd": ["Scots Gaelic"],
    "gv": ["Manx Gaelic"],
    "hak": ["Hakka"],
    "he": ["Ivrit"],
    "hu": ["Magyar"],
    "ilo": ["Ilocano", "Ilokano"],
    "jam": ["Jamaican Creole", "Patois", "Patwa"],
    "kea": ["Cape Verdean Creole"],
    "km": ["Cambodian"],
    "kmr": ["Kurmanji"],
    "ky": ["Kirgiz"],
    "lez": ["Lezgian", "Lezgi"],
    "lo": ["Laotian"],
    "my": ["Myanmar"],
    "nan": ["Hokkien", "Min Nan", "Taiwanese"],
    "nb": ["Bokmål"],
    "nd": ["Northern Ndebele"],
    "ne": ["Nepalese"],
    "nn": ["Nynorsk"],
    "nr": ["Southern Ndebele"],
    "ny": ["Chinyanja"],
    "oc": ["Gascon", "Provençal"],
    "oj": ["Ojibway", "Ojibwe"],
    "or": ["Oriya"],
    "os": ["Ossete"],
    "pap": ["Papiamentu"],
    "ps": ["Pashtu", "Pukhto"],
    "rm": ["Romansch", "Rumantsch"],
    "rn": ["Kirundi"],
    "ro": ["Rumanian"],
    "sah": ["Sakha"],
    "se": ["North Sami"],
    "sh": ["Serbocroatian"],
    "skr": ["Siraiki"],
    "sl": ["Slovene"],
    "ss": ["Swazi"],
    "st": ["Sesotho", "Sotho"],
    "tet": ["Tetun"],
    "tg": ["Tadzhik", "Tajiki"],
    "tn": ["Setswana"],
    "tyv": ["Tuvan"],
    "ug": ["Uighur", "Uygur"],
    "war": ["Waray-Waray"],
    "zh": ["Mandarin Chinese"],
    "zu": ["isiZulu"],
}
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


def names() -> str:
    """English names of languages, scripts and territories, the one to show first."""
    import babel  # noqa: PLC0415 - only this table needs it
    from langcodes import registry_parser  # noqa: PLC0415

    english = babel.Locale("en")
    found: dict[tuple[str, str], list[str]] = {}
    for tag, name in english.languages.items():
        found["language", tag.replace("_", "-")] = [name]
    for tag, name in english.scripts.items():
        found["script", tag] = [name]
    for tag, name in english.territories.items():
        if tag.isalpha():
            found["territory", tag] = [name]
    kinds = {"language": "language", "extlang": "language", "script": "script", "region": "territory"}
    for entry in registry_parser.parse_registry():
        subtag = entry.get("Subtag", "")
        if entry["Type"] in kinds and "Deprecated" not in entry and subtag.isalpha():
            found.setdefault((kinds[entry["Type"]], subtag), []).extend(entry["Description"])
    for tag, more in ALSO.items():
        found.setdefault(("language", tag), []).extend(more)
    lines = ["\t".join((kind, tag, *dict.fromkeys(own))) + "\n" for (kind, tag), own in sorted(found.items())]
    head = f"# English names, made from CLDR (Babel {babel.__version__}, LICENSE-unicode.txt) and the IANA registry of"
    return head + " language subtags by make_tables.py\n" + "".join(lines)


def subtags() -> str:
    """The code of every language subtag, the shortest one with the same meaning, and all scripts."""
    from langcodes import Language, registry_parser  # noqa: PLC0415

    plain: list[str] = []
    lines: list[str] = []
    for size in (2, 3):
        for subtag in map("".join, product(ascii_lowercase, repeat=size)):
            language = Language.get(subtag)
            if not language.is_valid():
                continue
            found, shortest = language.to_alpha3(), language.language or "und"
            if "qaa" <= found <= "qtz":  # reserved for private use
                continue
            if subtag == found == shortest:
                plain.append(subtag)
            else:
                lines.append(f"subtag\t{subtag}\t{found}\t{shortest}\n")
    listed = {entry["Subtag"] for entry in registry_parser.parse_registry() if entry["Type"] == "script"}
    listed |= set(map("".join, product("Q", "a", "ab", ascii_lowercase)))  # for private use; the registry has a range
    scripts = sorted(name for name in listed if Language.make(script=name).is_valid())
    head = f"# Subtags and their codes, made from langcodes {version_of('langcodes')} by make_tables.py\n"
    return head + f"plain\t{' '.join(plain)}\nscript\t{' '.join(scripts)}\n" + "".join(lines)


def main(folder: Path) -> None:
    """Write all tables."""
    (DATA / "subtags.tsv").write_text(subtags(), "utf-8")
    (DATA / "names.tsv").write_text(names(), "utf-8")
    (DATA / "scripts.tsv").write_text(scripts(folder), "utf-8")
    (DATA / "territories.tsv").write_text(territories(folder), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
