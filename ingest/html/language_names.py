"""The names that languages have for themselves, in lower case, as menus of languages list them."""

from __future__ import annotations

from typing import Final

AUTONYMS: Final = frozenset(
    {
        *("afrikaans", "አማርኛ", "العربية", "asturianu", "azərbaycan", "azərbaycanca", "беларуская"),
        *("български", "বাংলা", "brezhoneg", "bosanski", "català", "čeština", "česky"),
        *("cymraeg", "dansk", "deutsch", "ελληνικά", "english", "esperanto", "español"),
        *("castellano", "eesti", "euskara", "فارسی", "suomi", "français", "frysk"),
        *("gaeilge", "gàidhlig", "galego", "ગુજરાતી", "עברית", "हिन्दी", "hrvatski"),
        *("magyar", "հայերեն", "interlingua", "bahasa indonesia", "indonesia", "íslenska", "italiano"),
        *("日本語", "ქართული", "қазақша", "ភាសាខ្មែរ", "ខ្មែរ", "ಕನ್ನಡ", "한국어"),
        *("kurdî", "кыргызча", "latina", "lëtzebuergesch", "ລາວ", "lietuvių", "latviešu"),
        *("македонски", "മലയാളം", "монгол", "मराठी", "bahasa melayu", "မြန်မာဘာသာ", "नेपाली"),
        *("nederlands", "norsk", "norsk bokmål", "norsk nynorsk", "bokmål", "nynorsk", "occitan"),
        *("ਪੰਜਾਬੀ", "polski", "português", "português (brasil)", "português do brasil", "română", "русский"),
        *("සිංහල", "slovenčina", "slovensky", "slovenščina", "shqip", "српски", "srpski"),
        *("svenska", "kiswahili", "தமிழ்", "తెలుగు", "ไทย", "tagalog", "filipino"),
        *("türkçe", "татарча", "українська", "اردو", "oʻzbekcha", "o'zbek", "tiếng việt"),
        *("中文", "简体中文", "繁體中文", "中文 (简体)", "中文 (繁體)", "中文（简体）", "中文（繁體）"),
        *("中文(简体)", "中文(繁體)", "isizulu"),
    }
)
