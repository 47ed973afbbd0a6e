/* What is written down of a page while it is read. */
#ifndef GRAPHLANG_PAGE_H
#define GRAPHLANG_PAGE_H

#include "../../native/hash.h"
#include "class_words.h"
#include "html.h"
#include "language_names.h"
#include "text.h"
#include "tokens.h"
#include "tree.h"

enum { MOST_RECORDS = 1 << 17, MOST_LINKS = 1 << 15, MOST_METAS = 100 };

/* An element that tells what is content and what is not. */
typedef struct {
  uint32_t flags, begin, end;
} Record;

/* An element <a> that is seen: its text, the language that its hreflang names (letters of the first subtag, the last one
   lowest; 0 where it has none), and the number of its target, from 1 (that of a reference has the highest bit set); 0
   where it leads nowhere or only down the page. */
typedef struct {
  uint32_t begin, end, language, target;
} LinkRecord;

typedef struct {
  uint32_t hash, number; /* of a plain anchor, from 1 */
  uint32_t at, size;     /* its target in `anchors` */
} Slot;

/* A class of the page, and what it says; size 0: none yet. */
typedef struct {
  const uint8_t *value;
  uint32_t size, flags;
} KnownClass;

enum { CLASSES_KNOWN = 64 };

typedef struct graphlang_html {
  TagSlot tags[TAG_SLOTS];
  uint8_t classes[256];
  uint32_t seed;
  Tree tree;
  Text text;
  Buffer anchors;    /* targets of the plain anchors, a zero behind each */
  Buffer references; /* of the others: tag, target, rel, hreflang, a zero behind each */
  Buffer strings;    /* title, language and so on; see `put_string` */
  Buffer records, links, slots, scratch;
  Buffer removed, verdicts, spans, runs, parted; /* of what stands around the content */
  WordSlot words[WORD_SLOTS];
  LanguageNames languages_known;
  KnownClass classes_known[CLASSES_KNOWN];
  uint32_t anchor_count, reference_count, slot_count, metas, skipped, most, depth_limit;
  int titled, based, languages, flattened;
  int frames_possible, framed; /* a frameset may still stand for the body; it does */
  uint32_t framesets;          /* ... that are open */
  int is_at_end;               /* all that is still open ends with the page */
} Parser;

static uint32_t add_record(Buffer *records, uint32_t flags, uint32_t begin) {
  uint32_t number = (uint32_t)(records->size / sizeof(Record));
  if (number >= MOST_RECORDS) return NO_RECORD;
  Record record = {flags, begin, 0};
  put(records, &record, sizeof record);
  return records->failed ? NO_RECORD : number;
}

/* Write down where an element ends; what is the last and empty is forgotten: many a symbol is. */
static void end_record(Buffer *records, uint32_t number, uint32_t end, int is_page_end) {
  if (number == NO_RECORD) return;
  Record *record = &((Record *)(void *)records->data)[number];
  record->end = end;
  if (is_page_end) record->flags |= GRAPHLANG_IS_UNCLOSED;
  if (record->begin == end && (number + 1) * sizeof *record == records->size) records->size -= sizeof *record;
}

/* Write down where an element ends. */
static void end_records(Parser *parser, Open *open) {
  uint32_t end = (uint32_t)parser->text.bytes.size;
  end_record(&parser->records, open->record, end, parser->is_at_end);
  if (open->link != NO_RECORD) {
    LinkRecord *link = &((LinkRecord *)(void *)parser->links.data)[open->link];
    link->end = end;
  }
  open->record = open->link = NO_RECORD;
}

static int grow_slots(Parser *parser) {
  uint32_t count = parser->slot_count ? parser->slot_count * 2 : 256;
  Buffer grown = {0};
  if (!more(&grown, count * sizeof(Slot))) return 0;
  memset(grown.data, 0, count * sizeof(Slot));
  Slot *slots = (Slot *)(void *)grown.data, *old = (Slot *)(void *)parser->slots.data;
  for (uint32_t n = 0; n < parser->slot_count; n++)
    if (old[n].hash) {
      uint32_t at = old[n].hash & (count - 1);
      while (slots[at].hash) at = (at + 1) & (count - 1);
      slots[at] = old[n];
    }
  release(&parser->slots);
  parser->slots = grown;
  parser->slot_count = count;
  return 1;
}

/* The slot of a target among the plain anchors: full where it is known. NULL where there is no memory. */
static Slot *slot_of(Parser *parser, const uint8_t *target, size_t size) {
  if (parser->anchor_count * 2 >= parser->slot_count && !grow_slots(parser)) return NULL;
  Slot *slots = (Slot *)(void *)parser->slots.data;
  uint32_t hash = hash_of(parser->seed, target, size), at = hash & (parser->slot_count - 1);
  while (slots[at].hash) {
    if (slots[at].hash == hash && slots[at].size == size && !memcmp(parser->anchors.data + slots[at].at, target, size))
      break;
    at = (at + 1) & (parser->slot_count - 1);
  }
  if (!slots[at].hash) {
    slots[at].number = 0;
    slots[at].at = hash; /* for whoever fills it */
  }
  return &slots[at];
}

/* A string and what it is: its letter, then the characters of an attribute, then a zero. */
static void put_string(Parser *parser, char letter, const Token *token, Attribute attribute) {
  put_byte(&parser->strings, (uint8_t)letter);
  if (has(token, attribute))
    put_decoded(&parser->strings, token->value[attribute], token->value[attribute] + token->length[attribute], 1);
  put_byte(&parser->strings, 0);
}

static int contains(const uint8_t *at, size_t size, const char *word) {
  size_t length = strlen(word);
  for (; size >= length; at++, size--)
    if (same(at, word, length)) return 1;
  return 0;
}

/* Whether one of the names of a banner stands here. */
static int names_banner(const uint8_t *at, const uint8_t *end) {
  static const char *const kinds[] = {"alert", "banner", "bar",    "box",   "consent", "container", "dialog",  "disclaimer", "hint",
                                      "info",  "law",    "layer", "message", "modal", "msg",     "notice",    "notification", "overlay",
                                      "popup", "sdk",    "warning"};
  for (size_t n = 0; n < sizeof kinds / sizeof *kinds; n++)
    if ((size_t)(end - at) >= strlen(kinds[n]) && same(at, kinds[n], strlen(kinds[n]))) return 1;
  return 0;
}

/* Whether an id or class says that the element asks for consent: "cookie-notice", "eu_cookie_law", "CookieBanner". */
static int speaks_of_consent(const uint8_t *value, size_t size) {
  const uint8_t *end = value + size;
  for (const uint8_t *at = value; (at = find(at, end, 'k')) < end; at++) {
    if (at - value < 3 || end - at < 3 || !same(at - 3, "cookie", 6)) continue;
    const uint8_t *behind = at + 3;
    if (behind < end && *behind == 's') behind++;
    if (behind < end && (*behind == '-' || *behind == '_')) behind++;
    if (names_banner(behind, end)) return 1;
  }
  for (const uint8_t *at = value; (at = find(at, end, '-')) < end; at++)
    if (at - value >= 7 && same(at - 7, "consent", 7) && names_banner(at + 1, end)) return 1;
  return 0;
}

static int is_value(const Token *token, Attribute attribute, const char *value) {
  return token->length[attribute] == strlen(value) && same(token->value[attribute], value, strlen(value));
}

/* Whether a style hides an element: "display: none", "visibility:hidden". */
static int hides(const uint8_t *at, size_t size) {
  const uint8_t *end = at + (size < CLASS_LONGEST ? size : CLASS_LONGEST), *begin = at;
  for (; (at = find(at, end, ':')) < end; at++) {
    const uint8_t *name = at, *value = at + 1;
    while (name > begin && is_space(name[-1])) name--;
    while (value < end && is_space(*value)) value++;
    if (name - begin >= 7 && same(name - 7, "display", 7) && end - value >= 4 && same(value, "none", 4)) return 1;
    if (name - begin >= 10 && same(name - 10, "visibility", 10) && end - value >= 6 && same(value, "hidden", 6)) return 1;
  }
  return 0;
}

/* Whether an element is hidden until a script shows it. Parts of sentences may carry `hidden` as variants of which one is
   shown; elements that HTML does not know are parts of applications. */
static int is_hidden(const Token *token, int block) {
  if (has(token, STYLE) && hides(token->value[STYLE], token->length[STYLE])) return 1;
  if (has(token, HIDDEN) && (block || token->tag >= TAG_COUNT)) return 1;
  if (has(token, ARIA_HIDDEN) && is_value(token, ARIA_HIDDEN, "true")) return 1;
  return token->tag == TAG_DIALOG && !has(token, OPEN);
}

static uint32_t role_of(const Token *token) {
  if (is_value(token, ROLE, "navigation")) return GRAPHLANG_HAS_ROLE | GRAPHLANG_IS_NAVIGATION;
  if (is_value(token, ROLE, "banner") || is_value(token, ROLE, "contentinfo")) return GRAPHLANG_HAS_ROLE;
  return 0;
}

/* What an id or class says. */
static uint32_t flags_of_names(const Parser *parser, const uint8_t *value, uint32_t size) {
  uint32_t meaning = meaning_of_names(parser->words, value, size);
  uint32_t flags = speaks_of_consent(value, size) ? GRAPHLANG_ASKS_CONSENT : 0;
  if (meaning & NAMES_APART) flags |= GRAPHLANG_IS_NAMED;
  if (meaning & NAMES_LINKS) flags |= GRAPHLANG_NAMES_LINKS;
  return meaning & NAMES_SURE ? flags | GRAPHLANG_IS_SURE : flags;
}

/* The same of a class: most elements of a page have one of a few. */
static uint32_t flags_of_class(Parser *parser, const uint8_t *value, uint32_t size) {
  if (!size) return 0;
  KnownClass *known = &parser->classes_known[(size * 31u + value[0] * 7u + value[size - 1] * 3u + value[size / 2]) % CLASSES_KNOWN];
  if (known->size != size || memcmp(known->value, value, size)) {
    known->flags = flags_of_names(parser, value, size);
    known->value = value;
    known->size = size;
  }
  return known->flags;
}

/* What the id and class of a block say. */
static uint32_t names_of(Parser *parser, const Token *token) {
  uint32_t flags = has(token, ID) ? flags_of_names(parser, token->value[ID], token->length[ID]) : 0;
  return has(token, CLASS) ? flags | flags_of_class(parser, token->value[CLASS], token->length[CLASS]) : flags;
}

/* What is to be known of an element whose start tag this is. */
static uint32_t flags_of(Parser *parser, const Token *token) {
  uint32_t flags = 0, kind = traits(token->tag);
  int block = (kind & BLOCK) != 0 || token->tag == TAG_TABLE; /* links and words of text are most elements */
  if (kind & OUTER)
    flags = token->tag == TAG_NAV ? GRAPHLANG_IS_NAV
            : token->tag == TAG_FOOTER ? GRAPHLANG_IS_OUTER | GRAPHLANG_IS_SURE : GRAPHLANG_IS_OUTER;
  if (token->tag == TAG_H1) flags |= GRAPHLANG_IS_TITLE;
  if (kind & CONTENT) flags |= token->tag == TAG_MAIN ? GRAPHLANG_IS_CONTENT | GRAPHLANG_IS_MAIN : GRAPHLANG_IS_CONTENT;
  if (has(token, ROLE)) flags |= role_of(token);
  if (block && (has(token, ID) || has(token, CLASS))) flags |= names_of(parser, token);
  if ((has(token, STYLE) || has(token, HIDDEN) || has(token, ARIA_HIDDEN) || token->tag == TAG_DIALOG) && is_hidden(token, block))
    flags |= GRAPHLANG_IS_HIDDEN;
  return flags && parser->tree.content ? flags | GRAPHLANG_IN_CONTENT : flags;
}

/* An article or main begins: all that is open holds it. */
static void mark_holders(Parser *parser, uint32_t flag) {
  Record *records = (Record *)(void *)parser->records.data;
  for (uint32_t at = parser->tree.depth - 1; at > 0; at--) {
    uint32_t number = parser->tree.stack[at].record;
    if (number != NO_RECORD) records[number].flags |= flag;
  }
}

/* Write down a reference of any kind but a plain anchor; returns its number, from 1, or 0. */
static uint32_t add_reference(Parser *parser, const char *tag, const Token *token, Attribute target) {
  if (!has(token, target) || !token->length[target]) return 0;
  if (parser->anchor_count + parser->reference_count >= parser->most) {
    parser->skipped++;
    return 0;
  }
  Buffer *out = &parser->references;
  put(out, tag, strlen(tag) + 1);
  put_decoded(out, token->value[target], token->value[target] + token->length[target], 1);
  put_byte(out, 0);
  if (has(token, REL)) put_decoded(out, token->value[REL], token->value[REL] + token->length[REL], 1);
  put_byte(out, 0);
  if (has(token, HREFLANG) && token->length[HREFLANG]) {
    put_byte(out, '+');
    put_decoded(out, token->value[HREFLANG], token->value[HREFLANG] + token->length[HREFLANG], 1);
  }
  put_byte(out, 0);
  return ++parser->reference_count;
}

/* Write down an anchor; returns the number of a plain one, that of another with the highest bit set, or 0. */
static uint32_t add_anchor(Parser *parser, const Token *token) {
  if (!has(token, HREF) || !token->length[HREF] || *token->value[HREF] == '#') return 0;
  Buffer *scratch = &parser->scratch;
  scratch->size = 0;
  put_decoded(scratch, token->value[HREF], token->value[HREF] + token->length[HREF], 1);
  if (scratch->failed || !scratch->size || *scratch->data == '#') return 0;
  Slot *slot = slot_of(parser, scratch->data, scratch->size);
  if (!slot) {
    parser->anchors.failed = 1; /* the page is not read then */
    return 0;
  }
  if (slot->hash) return slot->number;
  if (has(token, REL) || has(token, HREFLANG)) {
    uint32_t number = add_reference(parser, "a", token, HREF);
    return number ? number | 0x80000000u : 0;
  }
  if (parser->anchor_count + parser->reference_count >= parser->most) {
    parser->skipped++;
    return 0;
  }
  if (!more(&parser->anchors, scratch->size + 1)) return 0; /* a full slot is one whose target is there */
  slot->hash = slot->at;
  slot->at = (uint32_t)parser->anchors.size;
  slot->size = (uint32_t)scratch->size;
  slot->number = ++parser->anchor_count;
  put(&parser->anchors, scratch->data, scratch->size);
  put_byte(&parser->anchors, 0);
  return slot->number;
}

#endif
