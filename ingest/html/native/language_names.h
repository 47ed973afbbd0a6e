/* The names that languages have for themselves, and their codes, as menus of languages list them. */
#ifndef GRAPHLANG_LANGUAGE_NAMES_H
#define GRAPHLANG_LANGUAGE_NAMES_H

#include "blank.h"
#include "references.h"

/* In small letters; what stands in brackets behind a name ("português (brasil)") is left out. */
static const char *const LANGUAGE_NAMES[] = {
  "afrikaans", "aghem", "akan", "akoose", "anarâškielâ", "anii kagɩja", "aragonés", "aranés", "asturianu",
  "asụsụ igbo", "avañe’ẽ", "azərbaycan", "azərbaycanca", "bahasa indonesia", "bahasa malaysia", "bahasa melayu",
  "balóchi", "bamanakan", "basa sunda", "betawi", "bokmål", "bosanski", "brasileiro", "brezhoneg", "castellano",
  "català", "cebuano", "chahta", "chikashshanompaʼ", "chimakonde", "chishona", "corsu", "crnogorski", "créole",
  "cymraeg", "dansk", "davvisámegiella", "deutsch", "dholuo", "diné bizaad", "dolnoserbšćina", "duálá", "eesti",
  "ekegusii", "emakhuwa", "english", "español", "esperanto", "euskara", "ewondo", "eʋegbe", "farsi", "filipino",
  "français", "frysk", "furlan", "føroyskt", "gaeilge", "gaelg", "galego", "gàidhlig", "gã", "gĩgĩkũyũ", "hausa",
  "hibena", "hindi", "hornjoserbšćina", "hrvatski", "hunsrückisch", "ichibemba", "igbo", "ikinyarwanda",
  "ikirundi", "indonesia", "interlingua", "interlingue", "ishisangu", "isindebele", "isixhosa", "isizulu",
  "italiano", "joola", "julevsámegiella", "kabuverdianu", "kakɔ", "kalaallisut", "kalenjin", "kanhgág",
  "kanienʼkéha", "kernewek", "khoekhoegowab", "kihorombo", "kikamba", "kimachame", "kinyarwanda", "kipare",
  "kiruwa", "kisampur", "kishambaa", "kiswahili", "kitaita", "kiteso", "konknni", "koyra ciini",
  "koyraboro senni", "kpɛlɛɛ", "kreol morisien", "kreyòl ayisyen", "kurdî", "kuvi", "kwasio", "kyivunjo",
  "kölsch", "kĩembu", "kĩmĩrũ", "kɛnyaŋ", "kɨlaangi", "kʼicheʼ", "la .lojban.", "ladin", "lakȟólʼiyapi",
  "latgalīšu", "latin", "latina", "latviešu", "lazuri", "lea fakatonga", "lietuviškai", "lietuvių", "ligure",
  "lingála", "lombard", "luganda", "luluhia", "lëtzebuergesch", "lʼnuiʼsuti", "magyar", "malagasy", "malay",
  "malti", "mandarin", "mapudungun", "medžuslovjansky", "melayu", "mundaŋ", "mvskoke", "māori", "naijíriá píjin",
  "ndaꞌa", "neddersass’sch", "nederlands", "nheẽgatu", "nordfriisk", "norsk", "norsk bokmål", "norsk nynorsk",
  "nuasue", "nyanja", "nynorsk", "n̓səl̓xcin̓", "o'zbek", "occitan", "olusoga", "oromoo", "ozbek", "oʻzbek",
  "oʻzbekcha", "o‘zbek", "o‘zbekcha", "papiamentu", "patas taroko", "persian", "piemontèis", "pijin", "polski",
  "português", "português do brasil", "prūsiskan", "pulaar", "qafar", "qʼeqchiʼ", "rikpa", "română", "rukiga",
  "rumantsch", "runasimi", "runyankore", "sardu", "schwiizertüütsch", "sesotho", "sesotho sa leboa", "setswana",
  "shqip", "shwóŋò ngiembɔɔn", "sicilianu", "sidaamu afo", "simple english", "sinhala", "siswati", "slovenski",
  "slovensky", "slovenčina", "slovenščina", "soomaali", "soomaaliga", "srpski", "srpskohrvatski", "suomi",
  "svenska", "sängö", "sääʹmǩiõll", "tagalog", "tamaziɣt n laṭlaṣ", "taqbaylit", "tarifit", "tasawaq senni",
  "tashelḥiyt", "thok nath", "tiếng viêt", "tiếng việt", "tok pisin", "toki pona", "tshiluba", "tshivenḓa",
  "türkmen dili", "türkçe", "vahcuengh", "valencià", "veneto", "volapük", "walon", "warlpiri", "wolof",
  "xitsonga", "yorùbá", "zarmaciine", "åarjelsaemien gïele", "èdè yorùbá", "íslenska", "ñengatú", "česky",
  "čeština", "ślōnski", "ɓàsàa", "ʻōlelo hawaiʻi", "ελληνικά", "ϯⲙⲉⲧⲣⲉⲙⲛ̀ⲭⲏⲙⲓ", "адыгабзэ", "азәрбајҹан",
  "аԥсшәа", "башҡорт", "беларуская", "босански", "буряад", "български", "ирон", "къэбэрдеибзэ", "кыргызча",
  "македонски", "меджусловјанскы", "мокшень кяль", "монгол", "нохчийн", "русский", "саха тыла", "српски",
  "татар", "татарча", "тоҷикӣ", "тыва", "українська", "церковнослове́нскїй", "црногорски", "чӑваш чӗлхи",
  "эрзянь кель", "ўзбекча", "қазақ тілі", "қазақша", "қарақалпақша", "հայերեն", "ייִדיש", "עִבְרִית", "עברית",
  "آذربایجان تۆرکجه‌سی", "ئۇيغۇرچە", "اردو", "العامية", "العربية", "اوزبیک", "براہوئی", "بلوچی", "بلۆچی",
  "بهاس ملايو", "توروالی", "سرائیکی", "سنڌي", "فارسی", "قازاق ءتىلى", "لوری بختیاری", "لۊری شومالی", "مازرونی",
  "پنجابی", "پښتو", "کوردی خوارگ", "کوردیی ناوەندی", "کٲشُر", "ܣܘܪܝܝܐ", "ދިވެހިބަސް", "ߒߞߏ", "कांगड़ी", "कुवि",
  "कॉशुर", "कोंकणी", "डोगरी", "नेपाली", "बर’", "भोजपुरी", "मराठी", "मैथिली", "राजस्थानी", "संस्कृत भाषा",
  "सानताड़ी", "सिन्धी", "हरियाणवी", "हिन्दी", "অসমীয়া", "বাংলা", "মৈতৈলোন্", "ਪੰਜਾਬੀ", "ગુજરાતી", "ଓଡ଼ିଆ",
  "କୁୱି", "தமிழ்", "కువి", "తెలుగు", "ಕನ್ನಡ", "മലയാളം", "සිංහල", "ไทย", "ລາວ", "བོད་སྐད་", "རྫོང་ཁ", "တႆး",
  "မြန်မာ", "မြန်မာဘာသာ", "ქართული", "ብሊን", "ትግረ", "ትግርኛ", "አማርኛ", "ወላይታቱ", "ግዕዝኛ", "ᐃᓄᒃᑎᑐᑦ", "ᓀᐦᐃᓇᐍᐏᐣ", "ខ្មែរ",
  "ភាសាខ្មែរ", "ᠮᠣᠩᠭᠣᠯ", "ᱥᱟᱱᱛᱟᱲᱤ", "ἑλληνικά", "ⵜⴰⵎⴰⵣⵉⵖⵜ", "ⵜⴰⵛⵍⵃⵉⵜ", "中文", "日本語", "正體中文", "简体", "简体中文", "粤语",
  "粵語", "繁体", "繁体中文", "繁體", "繁體中文", "ꆈꌠꉙ", "ꕙꔤ", "ꪼꪕꪒꪾ", "ꮳꮃꭹ", "ꯃꯤꯇꯩꯂꯣꯟ", "한국말", "한국어", "𐐨𐑍𐑊𐐮𐑇", "𐑦𐑙𐑜𐑤𐑦𐑖",
  "𐓷𐓘𐓻𐓘𐓻𐓟", "𐴌𐴗𐴥𐴝𐴙𐴚𐴒𐴙𐴝", "𑄌𑄋𑄴𑄟𑄳𑄦", "𑯒𑯅𑯍𑯅𑯓𑯖𑯄", "𞄀𞄄𞄰𞄩𞄍𞄜𞄰", "𞤨𞤵𞤤𞤢𞤪"
};

/* ISO 639-1 */
static const char *const LANGUAGE_CODES[] = {
  "aa", "ab", "af", "ak", "ar", "av", "ay", "az", "ba", "be", "bg", "bh", "bi", "bm", "bn", "bo", "br", "bs",
  "ca", "ce", "ch", "co", "cr", "cs", "cu", "cv", "cy", "da", "de", "dv", "dz", "ee", "el", "en", "eo", "es",
  "et", "eu", "fa", "ff", "fi", "fj", "fo", "fr", "fy", "ga", "gd", "gl", "gn", "gu", "gv", "ha", "he", "hi",
  "ho", "hr", "ht", "hu", "hy", "hz", "ia", "id", "ie", "ig", "ii", "ik", "io", "is", "it", "iu", "iw", "ja",
  "jv", "ka", "kg", "ki", "kj", "kk", "kl", "km", "kn", "ko", "kr", "ks", "ku", "kv", "kw", "ky", "la", "lb",
  "lg", "li", "ln", "lo", "lt", "lu", "lv", "mg", "mh", "mi", "mk", "ml", "mn", "mr", "ms", "mt", "my", "na",
  "nb", "nd", "ne", "ng", "nl", "nn", "no", "nr", "nv", "ny", "oc", "oj", "om", "os", "pa", "pi", "pl", "ps",
  "pt", "qu", "rm", "rn", "ro", "ru", "rw", "sa", "sc", "sd", "se", "sg", "si", "sk", "sl", "sm", "sn", "sq",
  "sr", "ss", "st", "su", "sv", "sw", "ta", "te", "tg", "th", "ti", "tk", "tl", "tn", "tr", "ts", "tt", "tw",
  "ty", "ug", "uk", "ur", "uz", "ve", "vi", "vo", "wa", "wo", "xh", "yi", "yo", "za", "zh", "zu"
};

enum { NAME_SLOTS = 2048, NAME_LONGEST = 48 /* bytes of a link's text, brackets and all */ };

typedef struct {
  const char *names[NAME_SLOTS];
  uint32_t lengths[256]; /* by the first byte of names, the lengths that they have, a bit each; longer ones the last */
} LanguageNames;

static uint32_t name_slot(const uint8_t *name, size_t size) {
  uint32_t hash = 2166136261u;
  for (size_t n = 0; n < size; n++) hash = (hash ^ name[n]) * 16777619u;
  return (hash ^ hash >> 15) % NAME_SLOTS;
}

static uint32_t length_bit(size_t size) {
  return 1u << (size < 31 ? size : 31);
}

static void lay_name(LanguageNames *table, const char *name) {
  size_t size = strlen(name);
  uint32_t at = name_slot((const uint8_t *)name, size);
  while (table->names[at]) at = (at + 1) % NAME_SLOTS;
  table->names[at] = name;
  table->lengths[(uint8_t)*name] |= length_bit(size);
}

static void lay_names(LanguageNames *table) {
  memset(table, 0, sizeof *table);
  for (size_t n = 0; n < sizeof LANGUAGE_NAMES / sizeof *LANGUAGE_NAMES; n++) lay_name(table, LANGUAGE_NAMES[n]);
  for (size_t n = 0; n < sizeof LANGUAGE_CODES / sizeof *LANGUAGE_CODES; n++) lay_name(table, LANGUAGE_CODES[n]);
}

/* A character of two bytes in small letters: Latin, Greek, Cyrillic and Armenian. */
static uint32_t small(uint32_t code) {
  if ((code >= 0xC0 && code <= 0xDE && code != 0xD7) || (code >= 0x391 && code <= 0x3A9) || (code >= 0x410 && code <= 0x42F))
    return code + 32;
  if ((code >= 0x100 && code <= 0x137) || (code >= 0x14A && code <= 0x177) || (code >= 0x460 && code <= 0x52F)) return code | 1;
  if ((code >= 0x139 && code <= 0x148) || (code >= 0x179 && code <= 0x17E)) return code + (code & 1);
  if (code >= 0x400 && code <= 0x40F) return code + 80;
  if (code >= 0x531 && code <= 0x556) return code + 48;
  return code == 0x386 ? 0x3AC : code >= 0x388 && code <= 0x38A ? code + 37 : code;
}

/* Copy a name in small letters; those of Vietnamese have three bytes. */
static void make_small(const uint8_t *at, size_t size, uint8_t *out) {
  for (size_t n = 0; n < size; n++) {
    if (at[n] >= 0xC3 && at[n] <= 0xD5 && n + 1 < size) {
      uint32_t code = small((uint32_t)(at[n] & 0x1F) << 6 | (at[n + 1] & 0x3F));
      out[n] = (uint8_t)(0xC0 | code >> 6);
      out[++n] = (uint8_t)(0x80 | (code & 0x3F));
    } else if (at[n] == 0xE1 && n + 2 < size && at[n + 1] >= 0xB8 && at[n + 1] <= 0xBB) {
      out[n] = at[n];
      out[n + 1] = at[n + 1];
      out[n + 2] = at[n + 2] | 1;
      n += 2;
    } else {
      out[n] = lower(at[n]);
    }
  }
}

/* Where what stands in brackets at the end of a name begins: "(de)", "［中文］", "（简体）". */
static const uint8_t *before_brackets(const uint8_t *at, const uint8_t *end) {
  size_t size = (size_t)(end - at), wide = size > 6 && (!memcmp(end - 3, "\xEF\xBC\x89", 3) || !memcmp(end - 3, "\xEF\xBC\xBD", 3));
  if (!wide && (size < 4 || (end[-1] != ')' && end[-1] != ']'))) return end;
  for (const uint8_t *open = end - 1; open > at; open--)
    if (wide ? end - open > 3 && !memcmp(open, "\xEF\xBC", 2) && (open[2] == 0x88 || open[2] == 0xBB) : *open == '(' || *open == '[') {
      while (open > at && is_blank(open[-1])) open--;
      return open;
    }
  return end;
}

/* Whether the text of a link is the name of a language, or a code such as "de" or "pt-BR". */
static int is_language(const LanguageNames *table, const uint8_t *at, const uint8_t *end) {
  while (at < end && is_blank(*at)) at++;
  while (at < end && is_blank(end[-1])) end--;
  if (end - at < 2 || end - at > NAME_LONGEST) return 0;
  end = before_brackets(at, end);
  if (end - at >= 5 && end - at <= 7 && (at[2] == '-' || at[2] == '_') && is_letter(at[3])) end = at + 2;
  size_t size = (size_t)(end - at);
  uint8_t name[NAME_LONGEST];
  make_small(at, size, name);
  if (size < 2 || !(table->lengths[*name] & length_bit(size))) return 0;
  for (uint32_t slot = name_slot(name, size); table->names[slot]; slot = (slot + 1) % NAME_SLOTS)
    if (!strncmp(table->names[slot], (const char *)name, size) && !table->names[slot][size]) return 1;
  return 0;
}

#endif
