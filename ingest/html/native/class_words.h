/* The meaning of words in classes and ids: "site-footer", "commentlist", "LanguageSwitcher". */
#ifndef GRAPHLANG_CLASS_WORDS_H
#define GRAPHLANG_CLASS_WORDS_H

#include "tokens.h"

enum { NAMES_APART = 1, NAMES_LINKS = 2, NAMES_SURE = 4, NAMES_LANGUAGES = 8, NAMES_CHOICE = 16, NAMES_NOTHING = 32 };

enum { WORD_SLOTS = 512, WORD_LONGEST = 15, CLASS_LONGEST = 128 /* bytes of an attribute that are read */ };

/* Each word and its meaning: APART, the element has no content; LINKS, the same if it is mostly
   links; SURE, it has none at any length; LANGUAGES and CHOICE together, or the first alone, it is a choice of languages; NOTHING, the
   name is that of a layout or a kind of page ("has-sidebar", "category-social", "comments-open"). */
#define CLASS_WORDS(X) \
  X("footer", NAMES_APART | NAMES_SURE) X("footers", NAMES_APART | NAMES_SURE) X("colophon", NAMES_APART | NAMES_SURE) \
  X("sitefooter", NAMES_APART | NAMES_SURE) X("pagefooter", NAMES_APART | NAMES_SURE) X("copyright", NAMES_APART | NAMES_SURE) \
  X("sidebar", NAMES_APART) X("sidebars", NAMES_APART) X("sidenav", NAMES_APART) X("sidemenu", NAMES_APART) \
  X("comments", NAMES_APART | NAMES_SURE) X("commentlist", NAMES_APART | NAMES_SURE) X("commentform", NAMES_APART | NAMES_SURE) X("disqus", NAMES_APART | NAMES_SURE) \
  X("respond", NAMES_APART | NAMES_SURE) X("kommentare", NAMES_APART | NAMES_SURE) X("comentarios", NAMES_APART | NAMES_SURE) X("commentaires", NAMES_APART | NAMES_SURE) \
  X("comment", NAMES_APART | NAMES_SURE) X("recirculation", NAMES_APART) X("bookmark", NAMES_APART) X("readmore", NAMES_APART) \
  X("breadcrumb", NAMES_APART) X("breadcrumbs", NAMES_APART) X("crumbs", NAMES_APART) \
  X("share", NAMES_APART) X("sharing", NAMES_APART) X("sharebar", NAMES_APART) X("sharedaddy", NAMES_APART) \
  X("addtoany", NAMES_APART) X("addthis", NAMES_APART) X("social", NAMES_APART) X("socials", NAMES_APART) \
  X("related", NAMES_APART) X("recommended", NAMES_APART) X("recommendations", NAMES_APART) X("outbrain", NAMES_APART) \
  X("taboola", NAMES_APART) X("newsletter", NAMES_LINKS) X("subscribe", NAMES_LINKS) X("signup", NAMES_LINKS) \
  X("advert", NAMES_APART) X("adverts", NAMES_APART) X("advertisement", NAMES_APART) X("advertising", NAMES_APART) \
  X("ad", NAMES_APART) X("ads", NAMES_APART) X("sponsored", NAMES_APART) X("promo", NAMES_APART) \
  X("trending", NAMES_APART) X("popular", NAMES_APART) X("mostread", NAMES_APART) X("popup", NAMES_APART) \
  X("modal", NAMES_APART) X("paywall", NAMES_APART) X("pagination", NAMES_LINKS) X("pager", NAMES_LINKS) \
  X("skiplink", NAMES_APART) X("skiplinks", NAMES_APART) X("tagcloud", NAMES_APART) X("topbar", NAMES_APART) \
  X("navbar", NAMES_APART) X("gdpr", NAMES_APART) X("onetrust", NAMES_APART) X("cookiebot", NAMES_APART) \
  X("nav", NAMES_LINKS) X("navi", NAMES_LINKS) X("navigation", NAMES_LINKS) X("menu", NAMES_LINKS) X("menus", NAMES_LINKS) \
  X("submenu", NAMES_LINKS) X("topnav", NAMES_LINKS) X("subnav", NAMES_LINKS) X("mainmenu", NAMES_LINKS) \
  X("header", NAMES_LINKS) X("masthead", NAMES_LINKS) X("toolbar", NAMES_LINKS) X("widget", NAMES_LINKS) \
  X("tags", NAMES_LINKS) X("teasers", NAMES_LINKS) \
  X("lang", NAMES_LANGUAGES) X("langs", NAMES_LANGUAGES) X("language", NAMES_LANGUAGES) X("languages", NAMES_LANGUAGES) \
  X("locale", NAMES_LANGUAGES) X("locales", NAMES_LANGUAGES) X("interlanguage", NAMES_APART) \
  X("switcher", NAMES_CHOICE) X("switch", NAMES_CHOICE) X("selector", NAMES_CHOICE) X("select", NAMES_CHOICE) \
  X("picker", NAMES_CHOICE) X("chooser", NAMES_CHOICE) X("list", NAMES_CHOICE) X("bar", NAMES_CHOICE) \
  X("links", NAMES_CHOICE) X("dropdown", NAMES_CHOICE) X("toggle", NAMES_CHOICE) X("selection", NAMES_CHOICE) \
  X("has", NAMES_NOTHING) X("with", NAMES_NOTHING) X("no", NAMES_NOTHING) X("without", NAMES_NOTHING) \
  X("is", NAMES_NOTHING) X("hide", NAMES_NOTHING) X("show", NAMES_NOTHING) X("non", NAMES_NOTHING) \
  X("content", NAMES_NOTHING) X("category", NAMES_NOTHING) X("and", NAMES_NOTHING) X("open", NAMES_NOTHING) X("page", NAMES_NOTHING) \
  X("pane", NAMES_NOTHING) X("tag", NAMES_NOTHING)

typedef struct {
  char word[WORD_LONGEST + 1]; /* zeros behind it */
  uint32_t meaning;            /* 0: the slot is empty */
} WordSlot;

static uint32_t add_to_hash(uint32_t hash, uint8_t byte) {
  return (hash << 5 | hash >> 27) ^ byte;
}

static uint32_t slot_of_hash(uint32_t hash) {
  return (hash * 2654435761u) >> 23; /* of WORD_SLOTS */
}

static void lay_word(WordSlot slots[WORD_SLOTS], const char *word, uint32_t meaning) {
  uint32_t hash = 0, at;
  for (const char *letter = word; *letter; letter++) hash = add_to_hash(hash, (uint8_t)*letter);
  for (at = slot_of_hash(hash); slots[at].meaning; at = (at + 1) % WORD_SLOTS) {}
  memcpy(slots[at].word, word, strlen(word));
  slots[at].meaning = meaning;
}

static void lay_words(WordSlot slots[WORD_SLOTS]) {
  memset(slots, 0, WORD_SLOTS * sizeof *slots);
#define X(word, meaning) lay_word(slots, word, meaning);
  CLASS_WORDS(X)
#undef X
}

static uint32_t meaning_of(const WordSlot slots[WORD_SLOTS], uint32_t hash, const uint8_t *word, size_t size) {
  for (uint32_t at = slot_of_hash(hash); slots[at].meaning; at = (at + 1) % WORD_SLOTS)
    if (!slots[at].word[size] && same(word, slots[at].word, size)) return slots[at].meaning;
  return 0;
}

/* The meaning of one of the names in an attribute, by all its words. */
static uint32_t meaning_of_name(uint32_t words) {
  if (words & NAMES_NOTHING) return 0;
  if (words & NAMES_LANGUAGES && words & (NAMES_CHOICE | NAMES_LINKS)) words |= NAMES_APART;
  return words & (NAMES_APART | NAMES_LINKS | NAMES_SURE);
}

/* The meaning of a class or id: white space separates names, anything but letters, and capitals, their words. */
static uint32_t meaning_of_names(const WordSlot slots[WORD_SLOTS], const uint8_t *at, size_t size) {
  const uint8_t *end = at + (size < CLASS_LONGEST ? size : CLASS_LONGEST);
  uint32_t meaning = 0, words = 0, count = 0;
  while (at < end) {
    const uint8_t *word = at;
    uint32_t hash = 0;
    for (; at < end && (uint8_t)(*at - 'A') < 26; at++) hash = add_to_hash(hash, *at | 32);
    for (; at < end && (uint8_t)(*at - 'a') < 26; at++) hash = add_to_hash(hash, *at);
    size_t length = (size_t)(at - word);
    if (length > 1) {
      count++;
      if (length <= WORD_LONGEST) words |= meaning_of(slots, hash, word, length);
    }
    if (at == end || is_space(*at)) {
      if (words) meaning |= meaning_of_name(words | (words == NAMES_LANGUAGES && count == 1 ? NAMES_APART : 0));
      words = count = 0;
    }
    if (at < end && !is_letter(*at)) at++;
  }
  return meaning;
}

#endif
