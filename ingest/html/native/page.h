/* What is written down of a page while it is read. */
#ifndef GRAPHLANG_PAGE_H
#define GRAPHLANG_PAGE_H

#include "../../native/hash.h"
#include "html.h"
#include "text.h"
#include "tokens.h"
#include "tree.h"

enum { MOST_RECORDS = 1 << 17, MOST_LINKS = 1 << 15, MOST_METAS = 100 };

/* An element that may stand around the content; flags of 0: one that anchors stand in. */
typedef struct {
  uint32_t flags, begin, end;
} Record;

/* An element <a> that is seen: its text, what it stands in, and the number of its target, from 1 (that of a reference
   has the highest bit set); 0 where it leads nowhere or only down the page. */
typedef struct {
  uint32_t begin, end, container, target;
} LinkRecord;

typedef struct {
  uint32_t hash, number; /* of a plain anchor, from 1 */
  uint32_t at, size;     /* its target in `anchors` */
} Slot;

typedef struct graphlang_html {
  TagSlot tags[TAG_SLOTS];
  uint8_t classes[256];
  uint32_t seed;
  Tree tree;
  Text text;
  Buffer anchors;    /* targets of the plain anchors, a zero behind each */
  Buffer references; /* of the others: tag, target, rel, hreflang, a zero behind each */
  Buffer strings;    /* title, language and so on; see `put_string` */
  Buffer records, containers, links, slots, scratch;
  Buffer gone, taken, spans, parted; /* of what stands around the content */
  uint32_t signs; /* names of languages that links have */
  uint32_t anchor_count, reference_count, slot_count, metas, skipped, most, depth_limit;
  int titled, based, languages, flattened;
  int frames_possible, framed; /* a frameset may still stand for the body; it does */
  uint32_t framesets;          /* ... that are open */
} Parser;

static uint32_t add_record(Buffer *records, uint32_t flags, uint32_t begin) {
  uint32_t number = (uint32_t)(records->size / sizeof(Record));
  if (number >= MOST_RECORDS) return NO_RECORD;
  Record record = {flags, begin, 0};
  put(records, &record, sizeof record);
  return records->failed ? NO_RECORD : number;
}

static void end_record(Buffer *records, uint32_t number, uint32_t end) {
  if (number != NO_RECORD) ((Record *)(void *)records->data)[number].end = end;
}

/* Autonyms of which one at least is in nearly every menu of languages, as bits. */
static uint32_t sign(const uint8_t *at, const uint8_t *end) {
  static const char *const signs[] = {"Deutsch", "English", "Espa\303\261ol", "Fran\303\247ais",
    "\320\240\321\203\321\201\321\201\320\272\320\270\320\271", "\346\227\245\346\234\254\350\252\236", "Portugu\303\252s",
    "\344\270\255\346\226\207", "Italiano"};
  while (at < end && is_blank(*at)) at++;
  while (at < end && is_blank(end[-1])) end--;
  for (uint32_t n = 0; n < sizeof signs / sizeof *signs; n++)
    if ((size_t)(end - at) == strlen(signs[n]) && !memcmp(at, signs[n], (size_t)(end - at))) return 1u << n;
  return 0;
}

/* Write down where an element ends. */
static void end_records(Parser *parser, Open *open) {
  uint32_t end = (uint32_t)parser->text.bytes.size;
  end_record(&parser->records, open->record, end);
  end_record(&parser->containers, open->container, end);
  if (open->link != NO_RECORD) {
    LinkRecord *link = &((LinkRecord *)(void *)parser->links.data)[open->link];
    link->end = end;
    if (end > link->begin && end - link->begin < 24) parser->signs |= sign(parser->text.bytes.data + link->begin, parser->text.bytes.data + end);
  }
  open->record = open->container = open->link = NO_RECORD;
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

/* What is to be known of an element whose start tag this is. */
static uint32_t flags_of(const Parser *parser, const Token *token) {
  uint32_t flags = 0;
  if (traits(token->tag) & OUTER)
    flags = token->tag == TAG_NAV ? GRAPHLANG_IS_NAV : token->tag == TAG_UL ? GRAPHLANG_IS_LIST : GRAPHLANG_IS_OUTER;
  if (has(token, ROLE)) {
    if (is_value(token, ROLE, "navigation"))
      flags |= GRAPHLANG_HAS_ROLE | GRAPHLANG_IS_NAVIGATION;
    else if (is_value(token, ROLE, "banner") || is_value(token, ROLE, "contentinfo"))
      flags |= GRAPHLANG_HAS_ROLE;
  }
  int block = (traits(token->tag) & BLOCK) != 0; /* links and words of text are no banners, and are most elements */
  if (block && ((has(token, ID) && speaks_of_consent(token->value[ID], token->length[ID])) ||
                (has(token, CLASS) && speaks_of_consent(token->value[CLASS], token->length[CLASS]))))
    flags |= GRAPHLANG_ASKS_CONSENT;
  /* Elements that HTML does not know are parts of applications. */
  if ((has(token, HIDDEN) && (block || token->tag >= TAG_COUNT)) || (token->tag == TAG_DIALOG && !has(token, OPEN)))
    flags |= GRAPHLANG_IS_HIDDEN;
  if (flags && traits(token->tag) & CONTENT) flags |= GRAPHLANG_IS_CONTENT;
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
