/* What is written down of a page while it is read. */
#ifndef GRAPHLANG_PAGE_H
#define GRAPHLANG_PAGE_H

#include "_hash.h"
#include "_text.h"
#include "_tokens.h"
#include "_tree.h"

enum { /* flags of a record; graphlang.ingest.kernel has the same */
  IN_CONTENT = 1,    /* within an article or main */
  HAS_ROLE = 2,      /* its ARIA role is navigation, banner or contentinfo */
  IS_NAVIGATION = 4, /* ... the first of them */
  ASKS_CONSENT = 8,  /* its id or class speaks of a cookie banner */
  IS_OUTER = 16,     /* header, footer or aside */
  IS_NAV = 32,
  IS_LIST = 64,      /* <ul> */
  IS_CONTENT = 128,  /* article or main itself */
  HOLDS_MAIN = 256,  /* there is a main in it */
  HOLDS_ARTICLE = 512,
  IS_HIDDEN = 1024   /* until a script shows it: `hidden`, or a <dialog> that is not open */
};

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

typedef struct {
  TagSlot tags[TAG_SLOTS];
  uint8_t classes[256];
  uint32_t seed;
  Tree tree;
  Text text;
  Buffer anchors;    /* targets of the plain anchors, a zero behind each */
  Buffer references; /* of the others: tag, target, rel, hreflang, a zero behind each */
  Buffer strings;    /* title, language and so on; see `put_string` */
  Buffer records, containers, links, slots, scratch, cut;
  uint32_t signs; /* names of languages that links have */
  uint32_t anchor_count, reference_count, slot_count, metas, skipped, most, depth_limit;
  int titled, based, languages, flattened;
} Reader;

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
  while (at < end && *at == ' ') at++;
  while (at < end && end[-1] == ' ') end--;
  for (uint32_t n = 0; n < sizeof signs / sizeof *signs; n++)
    if ((size_t)(end - at) == strlen(signs[n]) && !memcmp(at, signs[n], (size_t)(end - at))) return 1u << n;
  return 0;
}

/* Write down where an element ends. */
static void end_records(Reader *reader, Open *open) {
  uint32_t end = (uint32_t)reader->text.bytes.size;
  end_record(&reader->records, open->record, end);
  end_record(&reader->containers, open->container, end);
  if (open->link != NO_RECORD) {
    LinkRecord *link = &((LinkRecord *)(void *)reader->links.data)[open->link];
    link->end = end;
    if (end - link->begin < 24) reader->signs |= sign(reader->text.bytes.data + link->begin, reader->text.bytes.data + end);
  }
  open->record = open->container = open->link = NO_RECORD;
}

static int grow_slots(Reader *reader) {
  uint32_t count = reader->slot_count ? reader->slot_count * 2 : 256;
  Buffer grown = {0};
  if (!more(&grown, count * sizeof(Slot))) return 0;
  memset(grown.data, 0, count * sizeof(Slot));
  Slot *slots = (Slot *)(void *)grown.data, *old = (Slot *)(void *)reader->slots.data;
  for (uint32_t n = 0; n < reader->slot_count; n++)
    if (old[n].hash) {
      uint32_t at = old[n].hash & (count - 1);
      while (slots[at].hash) at = (at + 1) & (count - 1);
      slots[at] = old[n];
    }
  release(&reader->slots);
  reader->slots = grown;
  reader->slot_count = count;
  return 1;
}

/* The slot of a target among the plain anchors: full where it is known. NULL where there is no memory. */
static Slot *slot_of(Reader *reader, const uint8_t *target, size_t size) {
  if (reader->anchor_count * 2 >= reader->slot_count && !grow_slots(reader)) return NULL;
  Slot *slots = (Slot *)(void *)reader->slots.data;
  uint32_t hash = hash_of(reader->seed, target, size), at = hash & (reader->slot_count - 1);
  while (slots[at].hash) {
    if (slots[at].hash == hash && slots[at].size == size && !memcmp(reader->anchors.data + slots[at].at, target, size))
      break;
    at = (at + 1) & (reader->slot_count - 1);
  }
  if (!slots[at].hash) {
    slots[at].number = 0;
    slots[at].at = hash; /* for whoever fills it */
  }
  return &slots[at];
}

/* A string and what it is: its letter, then the characters of an attribute, then a zero. */
static void put_string(Reader *reader, char letter, const Token *token, Attribute attribute) {
  put_byte(&reader->strings, (uint8_t)letter);
  if (has(token, attribute))
    put_decoded(&reader->strings, token->value[attribute], token->value[attribute] + token->length[attribute], 1);
  put_byte(&reader->strings, 0);
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
static uint32_t flags_of(const Reader *reader, const Token *token) {
  uint32_t flags = 0;
  if (traits(token->tag) & OUTER)
    flags = token->tag == TAG_NAV ? IS_NAV : token->tag == TAG_UL ? IS_LIST : IS_OUTER;
  if (has(token, ROLE)) {
    if (is_value(token, ROLE, "navigation"))
      flags |= HAS_ROLE | IS_NAVIGATION;
    else if (is_value(token, ROLE, "banner") || is_value(token, ROLE, "contentinfo"))
      flags |= HAS_ROLE;
  }
  int block = (traits(token->tag) & BLOCK) != 0; /* links and words of text are no banners, and are most elements */
  if (block && ((has(token, ID) && speaks_of_consent(token->value[ID], token->length[ID])) ||
                (has(token, CLASS) && speaks_of_consent(token->value[CLASS], token->length[CLASS]))))
    flags |= ASKS_CONSENT;
  /* Elements that HTML does not know are parts of applications. */
  if ((has(token, HIDDEN) && (block || token->tag >= TAG_COUNT)) || (token->tag == TAG_DIALOG && !has(token, OPEN)))
    flags |= IS_HIDDEN;
  if (flags && traits(token->tag) & CONTENT) flags |= IS_CONTENT;
  return flags && reader->tree.content ? flags | IN_CONTENT : flags;
}

/* An article or main begins: all that is open holds it. */
static void mark_holders(Reader *reader, uint32_t flag) {
  Record *records = (Record *)(void *)reader->records.data;
  for (uint32_t at = reader->tree.depth - 1; at > 0; at--) {
    uint32_t number = reader->tree.stack[at].record;
    if (number != NO_RECORD) records[number].flags |= flag;
  }
}

/* Write down a reference of any kind but a plain anchor; returns its number, from 1, or 0. */
static uint32_t add_reference(Reader *reader, const char *tag, const Token *token, Attribute target) {
  if (!has(token, target) || !token->length[target]) return 0;
  if (reader->anchor_count + reader->reference_count >= reader->most) {
    reader->skipped++;
    return 0;
  }
  Buffer *out = &reader->references;
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
  return ++reader->reference_count;
}

/* Write down an anchor; returns the number of a plain one, that of another with the highest bit set, or 0. */
static uint32_t add_anchor(Reader *reader, const Token *token) {
  if (!has(token, HREF) || !token->length[HREF] || *token->value[HREF] == '#') return 0;
  Buffer *scratch = &reader->scratch;
  scratch->size = 0;
  put_decoded(scratch, token->value[HREF], token->value[HREF] + token->length[HREF], 1);
  if (scratch->failed || !scratch->size || *scratch->data == '#') return 0;
  Slot *slot = slot_of(reader, scratch->data, scratch->size);
  if (!slot) return 0;
  if (slot->hash) return slot->number;
  if (has(token, REL) || has(token, HREFLANG)) {
    uint32_t number = add_reference(reader, "a", token, HREF);
    return number ? number | 0x80000000u : 0;
  }
  if (reader->anchor_count + reader->reference_count >= reader->most) {
    reader->skipped++;
    return 0;
  }
  slot->hash = slot->at;
  slot->at = (uint32_t)reader->anchors.size;
  slot->size = (uint32_t)scratch->size;
  slot->number = ++reader->anchor_count;
  put(&reader->anchors, scratch->data, scratch->size);
  put_byte(&reader->anchors, 0);
  return slot->number;
}

#endif
