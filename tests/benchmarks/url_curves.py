"""How the URL methods of Baykan et al. 2008 learn: sections 6 and 7, in Markdown.

python tests/benchmarks/url_curves.py            learning curves (section 6, figure 2), domains seen (figure 3)
python tests/benchmarks/url_curves.py content    training on content as well (section 7, table 10)
"""

from __future__ import annotations

import sys

import numpy as np
from url_data import FIVE, Part, decisions, f_of, five, table, text

from graphlang.urls.labelled_urls import LabelledUrl, registered_domains
from graphlang.urls.url_methods import PAPER_METHODS

SHARES = (0.001, 0.01, 0.1, 1.0)
#: Lines of running text of each language that are added in section 7.
LINES = 3000
#: Table 10, ODP: U, Co for en de fr es it.
PAPER_10 = {
    "url-words-nb": ((0.87, 0.94, 0.86, 0.87, 0.86), (0.81, 0.77, 0.79, 0.83, 0.85)),
    "url-words-me": ((0.87, 0.93, 0.86, 0.86, 0.85), (0.81, 0.70, 0.79, 0.83, 0.81)),
}


def curves() -> None:
    part, test = five("train", path=False), five("visible", path=True)
    chance = np.random.default_rng(0)
    mixed = chance.random(len(part.urls)) < 0.1
    tenth = part.some(mixed)
    found = {"visible.tsv with a path": [], "a tenth of train.tsv": []}
    for share in SHARES:
        rest = np.flatnonzero(~mixed)
        keep = np.zeros(len(part.urls), dtype=bool)
        keep[chance.choice(rest, size=int(share * len(rest)), replace=False)] = True
        some = part.some(keep)
        domains = set(registered_domains(some.urls))
        made = decisions(some, [test, tenth], PAPER_METHODS)
        for place, (lines, asked) in enumerate(zip(found.values(), (test, tenth), strict=True)):
            known = np.mean([domain in domains for domain in registered_domains(asked.urls)])
            scores = [float(np.mean(f_of(made[name][place], asked))) for name in PAPER_METHODS]
            lines.append((f"{share:.1%}", f"{len(some.urls):,}", f"{known:.1%}", *scores))
    for title, lines in found.items():
        print(f"F averaged over the five languages, tested on {title}\n")
        table(("training", "URLs", "test domains seen", *(name.removeprefix("url-") for name in PAPER_METHODS)), lines)


def content() -> None:
    part, test = five("train", path=False), five("visible", path=True)
    chance = np.random.default_rng(0)
    lines = {code: chance.permutation(np.array(text()[code], dtype=object))[:LINES] for code in FIVE}
    added = [LabelledUrl(code, "", "/" + line.replace("%", " ")) for code in FIVE for line in lines[code]]
    print(f"F with words, trained on URLs (U) and on URLs and {LINES:,} lines of text a language (Co)\n")
    rows = []
    for name, papers in PAPER_10.items():
        for title, some, paper in (("U", part, papers[0]), ("Co", Part([*part.rows, *added]), papers[1])):
            scores = f_of(decisions(some, [test], [name])[name][0], test)
            rows.append((f"{name}, {title}", *scores, float(np.mean(scores))))
            rows.append(("the paper's, ODP", *(f"{one:.2f}" for one in paper), f"{np.mean(paper):.2f}"))
    table(("method", *FIVE, "average"), rows)


if __name__ == "__main__":
    match sys.argv[1:]:
        case []:
            curves()
        case ["content"]:
            content()
        case _:
            print(__doc__)
            sys.exit(2)
