/* The rows of the links of a batch of pages; see `graphlang.db.linkage`. There is no state. */
#include <stdint.h>
#include <stdlib.h>

enum {
  NOFOLLOW = 0x80,
  PLAIN = 3, /* source, target, place: all else of the row is the same for most links */
  WIDTH = 6  /* source, target, kind, nofollow, hreflang, place */
};

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

   `ids` are those of each page and, behind it, of its `counts` targets; `kinds` has a byte for each link, `marked` 1 for
   those with an hreflang. Links of kind `usual` that are not marked go to `plain`, which has room for PLAIN numbers a
   link, the others to `rows`, which has room for WIDTH, with 0 for the hreflang. `row_of` becomes the row of each link
   there, -1 where it has none. `made` becomes how many of both there are. Returns 0 without memory. */
int graphlang_links_rows(const int64_t *ids, const int64_t *counts, const uint8_t *chosen, uint64_t pages,
                         const uint8_t *kinds, const uint8_t *marked, uint8_t usual, int64_t *plain, int64_t *rows,
                         int64_t *row_of, int64_t made[2]) {
  uint64_t all = 0, kept = 0, number = 0;
  made[0] = made[1] = 0;
  for (uint64_t page = 0; page < pages; page++) all += (uint64_t)counts[page];
  if (!all) return 1;
  Link *links = malloc(all * sizeof *links);
  if (!links) return 0;
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
  for (uint64_t n = 0; n < kept; n++) {
    const Link *link = &links[n];
    uint8_t kind = kinds[link->number];
    int64_t place = row_of[link->number], *row;
    if (kind == usual && !marked[link->number]) {
      row = plain + PLAIN * made[0]++;
      row[2] = place;
      row_of[link->number] = -1;
    } else {
      row = rows + WIDTH * made[1];
      row[2] = kind & ~NOFOLLOW;
      row[3] = kind >= NOFOLLOW;
      row[4] = 0;
      row[5] = place;
      row_of[link->number] = made[1]++;
    }
    row[0] = link->source;
    row[1] = link->target;
  }
  free(links);
  return 1;
}
