/* The rows of the links of a batch of pages; see `graphlang.db.linkage`. There is no state. */
#include <stdint.h>
#include <stdlib.h>

enum { NOFOLLOW = 0x80, WIDTH = 6 }; /* source, target, kind, nofollow, hreflang, place */

typedef struct {
  int64_t source, target;
  uint64_t number;
} Link;

static int by_key(const void *left, const void *right) {
  const Link *a = left, *b = right;
  if (a->source != b->source) return a->source < b->source ? -1 : 1;
  if (a->target != b->target) return a->target < b->target ? -1 : 1;
  return a->number < b->number ? -1 : 1;
}

/* Write the rows of the links of the chosen pages, in the order of their key; links of a page to itself are left out.

   `ids` are those of each page and, behind it, of its `counts` targets; `kinds` has a byte for each link. `rows` has
   room for WIDTH numbers a link; the hreflangs are left at 0. `row_of` becomes the row of each link, -1 where it has
   none. Returns the number of rows, -1 without memory. */
int64_t graphlang_links_rows(const int64_t *ids, const int64_t *counts, const uint8_t *chosen, uint64_t pages,
                             const uint8_t *kinds, int64_t *rows, int64_t *row_of) {
  uint64_t all = 0, kept = 0, number = 0;
  for (uint64_t page = 0; page < pages; page++) all += (uint64_t)counts[page];
  if (!all) return 0;
  Link *links = malloc(all * sizeof *links);
  if (!links) return -1;
  for (uint64_t page = 0; page < pages; page++) {
    int64_t source = *ids++, place = 0;
    for (int64_t n = 0; n < counts[page]; n++, number++) {
      int64_t target = *ids++;
      row_of[number] = -1;
      if (!chosen[page] || target == source) continue;
      row_of[number] = place++; /* for now */
      links[kept++] = (Link){source, target, number};
    }
  }
  qsort(links, kept, sizeof *links, by_key);
  for (uint64_t row = 0; row < kept; row++, rows += WIDTH) {
    const Link *link = &links[row];
    uint8_t kind = kinds[link->number];
    rows[0] = link->source;
    rows[1] = link->target;
    rows[2] = kind & ~NOFOLLOW;
    rows[3] = kind >= NOFOLLOW;
    rows[4] = 0;
    rows[5] = row_of[link->number];
    row_of[link->number] = (int64_t)row;
  }
  free(links);
  return (int64_t)kept;
}
