/* What stands around the content of a page, as `graphlang.ingest.html.boilerplate` has it, but for menus of languages,
   which few pages leave to it. */
#ifndef GRAPHLANG_AROUND_H
#define GRAPHLANG_AROUND_H

#include "left.h"
#include "page.h"

enum {
  HOLDS_CONTENT = GRAPHLANG_HOLDS_MAIN | GRAPHLANG_HOLDS_ARTICLE,
  IS_PAGE = GRAPHLANG_IS_CONTENT | GRAPHLANG_HOLDS_MAIN,
  CONTENT_FLAGS = GRAPHLANG_IS_CONTENT | HOLDS_CONTENT,
  LIST_LINKS = 4,
  LIST_SIZE = 1500,           /* characters of a list of links */
  ENOUGH = 8 * LIST_SIZE + 16 /* bytes of folded text in which there are more: half of them are no blanks, four a character */
};

typedef struct {
  const uint8_t *text;
  uint64_t size;
  const Record *records;
  uint32_t count;
  const LinkRecord *links; /* in the order in which they begin */
  uint32_t link_count;
  uint8_t *gone, *taken; /* of each byte of the text, of each element: 1 where it was set apart */
} Apart;

static int is_outer(uint32_t flags) {
  return flags & GRAPHLANG_IS_NAV || (flags & (GRAPHLANG_IS_OUTER | GRAPHLANG_IN_CONTENT)) == GRAPHLANG_IS_OUTER;
}

static void set_apart(Apart *apart, uint32_t n) {
  const Record *record = &apart->records[n];
  memset(apart->gone + record->begin, 1, record->end - record->begin);
  apart->taken[n] = 1;
}

static uint64_t left_of(const Apart *apart, uint32_t n, uint64_t most) {
  return characters_left(apart->text, apart->gone, apart->records[n].begin, apart->records[n].end, most);
}

/* Set apart what may hold the page, if enough is left without it; what comes behind many of them is not looked at. */
static void take_holder(Apart *apart, uint32_t n, uint32_t *seen) {
  int is_checked = (*seen)++ < GRAPHLANG_MOST_APART;
  if (apart->records[n].flags & GRAPHLANG_HOLDS_MAIN) return;
  if (is_checked && letters_left(apart->text, apart->gone, apart->size) <
                      left_of(apart, n, apart->size) + GRAPHLANG_CONTENT_LEFT)
    return;
  set_apart(apart, n);
}

static void take_holders(Apart *apart) {
  uint32_t seen = 0;
  for (uint32_t n = 0; n < apart->count; n++)
    if (is_outer(apart->records[n].flags) && apart->records[n].flags & HOLDS_CONTENT) take_holder(apart, n, &seen);
  for (uint32_t n = 0; n < apart->count; n++)
    if (apart->records[n].flags & GRAPHLANG_IS_HIDDEN && !(apart->records[n].flags & CONTENT_FLAGS))
      take_holder(apart, n, &seen);
}

/* Set apart what its attributes tell; where one of these is the page itself, they mean something else. */
static void take_told(Apart *apart, uint32_t wanted, uint32_t unwanted) {
  uint32_t number = 0;
  for (uint32_t n = 0; n < apart->count; n++) {
    uint32_t flags = apart->records[n].flags;
    if (!(flags & wanted) || flags & unwanted) continue;
    uint64_t characters = left_of(apart, n, GRAPHLANG_OUTER_SIZE);
    if (!characters) continue;
    if (flags & IS_PAGE || number == GRAPHLANG_MOST_APART || characters > GRAPHLANG_OUTER_SIZE) break;
    set_apart(apart, n);
    number++;
  }
}

/* The first of the links that begins at a place of the text, or behind it. */
static uint32_t link_from(const Apart *apart, uint32_t place) {
  uint32_t first = 0, behind = apart->link_count;
  while (first < behind) {
    uint32_t middle = first + (behind - first) / 2;
    if (apart->links[middle].begin < place)
      first = middle + 1;
    else
      behind = middle;
  }
  return first;
}

/* Whether a list, of which so many characters are left, is one of nothing but links. */
static int is_of_links(const Apart *apart, const Record *list, uint64_t characters) {
  uint64_t linked = 0;
  uint32_t count = 0;
  for (uint32_t n = link_from(apart, list->begin); n < apart->link_count && apart->links[n].begin < list->end; n++) {
    uint64_t begin = apart->links[n].begin, end = apart->links[n].end;
    if (end > apart->size) end = apart->size;
    if (end <= begin) continue;
    if (end - begin > ENOUGH) end = begin + ENOUGH;
    uint64_t words = !is_blank(apart->text[begin]) + (uint64_t)count_words(apart->text, begin + 1, end);
    if (words) linked += count_letters(apart->text, begin, end) + words - 1;
    if (++count >= LIST_LINKS && linked * 5 >= characters * 4) return 1;
  }
  return 0;
}

/* Set apart lists of nothing but links at the top and the end of the page, as long as something else is left. */
static void take_lists(Apart *apart) {
  uint32_t lists[3], count = 0; /* the first two, and the last of the others */
  for (uint32_t n = 0; n < apart->count; n++)
    if (apart->records[n].flags & GRAPHLANG_IS_LIST) {
      if (count == 3) count = 2;
      lists[count++] = n;
    }
  while (count) {
    uint32_t n = lists[--count];
    uint64_t characters = left_of(apart, n, LIST_SIZE);
    if (!characters || characters > LIST_SIZE || !is_of_links(apart, &apart->records[n], characters)) continue;
    if (letters_left(apart->text, apart->gone, apart->size) >= characters + GRAPHLANG_CONTENT_LEFT) set_apart(apart, n);
  }
}

static int speaks_of_cookies(const uint8_t *text, uint64_t size) {
  for (const uint8_t *at = text, *end = text + size; (at = find(at, end, 'k')) < end; at++)
    if (at - text >= 2 && end - at >= 3 && !memcmp(at - 2, "ookie", 5)) return 1;
  return 0;
}

/* Set apart what stands around the content; returns 0 where it is left to the caller. */
static int take_around(Apart *apart) {
  uint32_t every = 0;
  int outer = 0;
  for (uint32_t n = 0; n < apart->count; n++) {
    const Record *record = &apart->records[n];
    if (record->begin > record->end || record->end > apart->size) return 0;
    every |= record->flags;
    outer |= is_outer(record->flags);
  }
  if (outer)
    for (uint32_t n = 0; n < apart->count; n++)
      if (is_outer(apart->records[n].flags) && !(apart->records[n].flags & HOLDS_CONTENT)) set_apart(apart, n);
  if (every & (HOLDS_CONTENT | GRAPHLANG_IS_HIDDEN)) take_holders(apart);
  if (!outer && every & GRAPHLANG_IS_LIST) take_lists(apart);
  if (every & GRAPHLANG_IS_NAVIGATION) take_told(apart, GRAPHLANG_HAS_ROLE, 0);
  if (every & GRAPHLANG_ASKS_CONSENT && speaks_of_cookies(apart->text, apart->size))
    take_told(apart, GRAPHLANG_ASKS_CONSENT, IS_PAGE);
  return 1;
}

#endif
