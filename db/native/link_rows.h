/* The rows of the links of a batch of pages; see `graphlang.db.write.links`. */
#ifndef GRAPHLANG_LINK_H
#define GRAPHLANG_LINK_H
#include "kernel.h"

enum {
  GRAPHLANG_LINK_PLAIN = 3, /* source, target, place: all else of the row is the same for most links */
  GRAPHLANG_LINK_WIDTH = 6  /* source, target, kind, nofollow, hreflang, place */
};

/* Write the rows of the links of the chosen pages, in the order of their key; links of a page to itself are left out.

   `ids` are those of each page and, behind it, of its `counts` targets; `kinds` has a byte for each link, `marked` 1 for
   those with an hreflang. Links of kind `usual` that are not marked go to `plain`, the others to `rows`, with 0 for the
   hreflang. `row_of` becomes the row of each link there, -1 where it has none. `made` becomes how many of both there
   are. Refuses counts that are negative or do not come to `links`. */
int graphlang_link_rows(uint64_t pages, uint64_t links, const int64_t ids[pages + links], const int64_t counts[pages],
                         const uint8_t chosen[pages], const uint8_t kinds[links], const uint8_t marked[links],
                         uint8_t usual, int64_t plain[links * GRAPHLANG_LINK_PLAIN],
                         int64_t rows[links * GRAPHLANG_LINK_WIDTH], int64_t row_of[links], int64_t made[2],
                         graphlang_fault *fault);

#endif
