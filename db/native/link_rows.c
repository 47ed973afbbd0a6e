#include "link_rows.h"

#include <stdlib.h>

enum { NOFOLLOW = 0x80, PLAIN = GRAPHLANG_LINK_PLAIN, WIDTH = GRAPHLANG_LINK_WIDTH };

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

int graphlang_link_rows(uint64_t pages, uint64_t links, const int64_t *ids, const int64_t *counts, const uint8_t *chosen,
                         const uint8_t *kinds, const uint8_t *marked, uint8_t usual, int64_t *plain, int64_t *rows,
                         int64_t *row_of, int64_t *made, graphlang_fault *fault) {
  uint64_t left = links, kept = 0, number = 0;
  made[0] = made[1] = 0;
  for (uint64_t page = 0; page < pages; page++) {
    int last = page + 1 == pages; /* whose links are all that are left */
    if (counts[page] < 0 || (uint64_t)counts[page] > left || (last && (uint64_t)counts[page] != left))
      return GRAPHLANG_REFUSE(fault, "counts", page, counts[page], last ? left : 0, left);
    left -= (uint64_t)counts[page];
  }
  if (left) return GRAPHLANG_REFUSE(fault, "counts", 0, 0, left, left); /* links of no page */
  if (!links) return 1;
  Link *sorted = malloc(links * sizeof *sorted);
  if (!sorted) return GRAPHLANG_NO_MEMORY;
  for (uint64_t page = 0; page < pages; page++) {
    int64_t source = *ids++, place = 0;
    for (int64_t n = 0; n < counts[page]; n++, number++) {
      int64_t target = *ids++;
      row_of[number] = -1;
      if (!chosen[page] || target == source) continue;
      row_of[number] = place++; /* for now */
      sorted[kept++] = (Link){source, target, number};
    }
  }
  qsort(sorted, kept, sizeof *sorted, by_key);
  for (uint64_t n = 0; n < kept; n++) {
    const Link *link = &sorted[n];
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
  free(sorted);
  return 1;
}
