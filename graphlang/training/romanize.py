"""Romanize text of any script in plain Latin letters, as URLs do.

News sites in Russian, Greek, Japanese or Amharic mostly name their pages in Latin letters (``novosti``, ``eidiseis``,
``shimbun``, ``zena``). The shipped URL model learns such words from text romanized by rule. The rules are simple: no
dictionary, no tones, and no vowels that the script leaves out.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

_CYRILLIC = (
    "а a б b в v г g д d е e ё e ж zh з z и i й y к k л l м m н n о o п p р r с s т t у u ф f х kh ц ts ч ch ш sh"
    " щ shch ы y э e ю yu я ya і i ї yi є ye ґ g ў u ә a ө o ү u ұ u қ k ғ g ң n һ h ј j љ lj њ nj ћ c ђ dj џ dz"
    " ѓ gj ќ kj ѕ dz"
)
_GREEK = "α a β v γ g δ d ε e ζ z η i θ th ι i κ k λ l μ m ν n ξ x ο o π p ρ r σ s ς s τ t υ y φ f χ ch ψ ps ω o"
_ARABIC = (
    "ا a أ a إ i آ a ء a ب b ت t ث th ج j ح h خ kh د d ذ dh ر r ز z س s ش sh ص s ض d ط t ظ z ع a غ gh ف f ق q ك k ل"
    " l م m ن n ه h ة a و w ي y ى a ئ e ؤ o پ p چ ch ژ zh ک k گ g ی i ٹ t ڈ d ڑ r ں n ہ h ھ h ے e ۆ o ێ e ە e"
)
_HEBREW = (
    "א a ב b ג g ד d ה h ו v ז z ח h ט t י i כ k ך k ל l מ m ם m נ n ן n ס s ע a פ p ף f צ tz ץ tz ק k ר r ש sh ת t"
)
_GEORGIAN = (
    "ა a ბ b გ g დ d ე e ვ v ზ z თ t ი i კ k ლ l მ m ნ n ო o პ p ჟ zh რ r ს s ტ t უ u ფ p ქ k ღ gh ყ q შ sh ჩ ch ც ts"
    " ძ dz წ ts ჭ ch ხ kh ჯ j ჰ h"
)
_ARMENIAN = (
    "ա a բ b գ g դ d ե e զ z է e ը y թ t ժ zh ի i լ l խ kh ծ ts կ k հ h ձ dz ղ gh ճ ch մ m յ y ն n շ sh ո o չ ch պ p"
    " ջ j ռ r ս s վ v տ t ր r ց ts ւ u փ p ք k օ o ֆ f և ev"
)
_OTHER = "ß ss æ ae œ oe ø o đ d ð d þ th ł l ı i ə e ŋ n ɛ e ɔ o ɓ b ɗ d ƙ k"


def _parse_pairs(table: str) -> dict[str, str]:
    entries = table.split()
    return dict(zip(entries[::2], entries[1::2], strict=True))


_LETTERS = {**_parse_pairs(_CYRILLIC), **_parse_pairs(_GREEK), **_parse_pairs(_ARABIC), **_parse_pairs(_HEBREW)}
_LETTERS |= {**_parse_pairs(_GEORGIAN), **_parse_pairs(_ARMENIAN), **_parse_pairs(_OTHER), "ь": "", "ъ": ""}
#: marks a vowel sign or a virama, which replaces the vowel of the consonant before it
_VOWEL_MARK = "\x00"
_LONGEST_SOUND = 5  # letters; anything longer is the name of a letter
#: scripts whose characters Unicode names by their sound
_SOUND_NAME = re.compile(
    r"^(?:HANGUL SYLLABLE|ETHIOPIC SYLLABLE|(?:HIRAGANA|KATAKANA|DEVANAGARI|BENGALI|GUJARATI|GURMUKHI|TAMIL|TELUGU"
    r"|KANNADA|MALAYALAM|ORIYA|SINHALA) (?:SMALL |VOWEL )?(?:LETTER|SIGN)) (.+)$"
)


@cache
def _spell(character: str) -> str:
    """Spell a character in Latin letters, empty without a rule; a consonant with an inherent vowel ends in ``a``."""
    base = unicodedata.normalize("NFKD", character)[0]
    for letter in (character, base):
        if letter in _LETTERS:
            return _LETTERS[letter]
    name = unicodedata.name(character, "")
    if "VIRAMA" in name:
        return _VOWEL_MARK
    match = _SOUND_NAME.match(name)
    if not match:
        return base if base.isascii() and base.isalpha() else ""
    sound = re.sub(r"(.)\1+", r"\1", match[1].split()[-1].lower())
    if not (sound.isascii() and sound.isalpha() and len(sound) <= _LONGEST_SOUND):
        return ""
    return _VOWEL_MARK + sound if "VOWEL SIGN" in name else sound


def romanize(text: str) -> str:
    """Spell the text in lower-case ASCII letters; characters without a rule (ideographs) are dropped.

    >>> romanize("Новости Μακεδονία ニホン 한국 ዜና हिन्दी")
    'novosti makedonia nihon hangug zena hindi'
    """
    letters = (
        _spell(character) if character.isalpha() or not character.isascii() else character for character in text.lower()
    )
    return re.sub(f"a?{_VOWEL_MARK}", "", "".join(letters))


#: the finals of each initial in Hanyu Pinyin
_PINYIN = {
    "b": "a ai an ang ao ei en eng i ian iao ie in ing o u", "p": "a ai an ang ao ei en eng i ian iao ie in ing o ou u",
    "m": "a ai an ang ao ei en eng i ian iao ie in ing o ou u", "f": "a an ang ei en eng o ou u",
    "d": "a ai an ang ao e ei eng i ian iao ie ing iu ong ou u uan ui un uo",
    "t": "a ai an ang ao e eng i ian iao ie ing ong ou u uan ui un uo",
    "n": "a ai an ang ao ei en eng i ian iang iao ie in ing iu ong u uan uo",
    "l": "a ai an ang ao e ei eng i ia ian iang iao ie in ing iu ong ou u uan un uo",
    "g": "a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo",
    "k": "a ai an ang ao e en eng ong ou u ua uai uan uang ui un uo",
    "h": "a ai an ang ao e ei en eng ong ou u ua uai uan uang ui un uo",
    "j": "i ia ian iang iao ie in ing iong iu u uan ue un", "q": "i ia ian iang iao ie in ing iong iu u uan ue un",
    "x": "i ia ian iang iao ie in ing iong iu u uan ue un",
    "zh": "a ai an ang ao e en eng i ong ou u ua uai uan uang ui un uo",
    "ch": "a ai an ang ao e en eng i ong ou u uai uan uang ui un uo",
    "sh": "a ai an ang ao e ei en eng i ou u ua uai uan uang ui un uo",
    "r": "an ang ao e en eng i ong ou u uan ui un uo", "z": "a ai an ang ao e ei en eng i ong ou u uan ui un uo",
    "c": "a ai an ang ao e en eng i ong ou u uan ui un uo", "s": "a ai an ang ao e en eng i ong ou u uan ui un uo",
    "y": "a an ang ao e i in ing ong ou u uan ue un", "w": "a ai an ang ei en eng o u", "": "a ai an ang ao e en er ou",
}  # fmt: skip


def list_pinyin_syllables() -> tuple[str, ...]:
    """List the syllables of Hanyu Pinyin without tones, which form Chinese names, in the order of the table.

    >>> len(list_pinyin_syllables()) > 390, "zhong" in list_pinyin_syllables()
    (True, True)
    """
    return tuple(initial + final for initial, finals in _PINYIN.items() for final in finals.split())
