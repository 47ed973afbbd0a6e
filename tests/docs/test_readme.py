"""The README is short, its figures are today's, and the two commands that it begins with are there."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
LINES = 120
FIGURE = re.compile(r"(?<![\d.,])\d+(?:[.,]\d+)+")  # 99.8 and 11,716, but no years and no versions of two digits


def section(heading: str) -> str:
    return README.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def test_the_readme_is_short() -> None:
    assert README.count("\n") <= LINES


def test_the_figures_of_the_readme_are_those_of_the_page_of_results() -> None:
    results = set(FIGURE.findall((ROOT / "tests" / "benchmarks" / "RESULTS.md").read_text(encoding="utf-8")))
    told = FIGURE.findall(section("Results"))
    assert len(told) > 20
    assert [figure for figure in told if figure not in results] == []


def test_the_two_commands_are_targets_of_make() -> None:
    commands = re.findall(r"^    make (\w+)", section("Two commands"), re.MULTILINE)
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert commands == ["demo", "test"]
    assert [command for command in commands if not re.search(rf"^{command}:", makefile, re.MULTILINE)] == []
