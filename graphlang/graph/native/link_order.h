/* What stands beside each page in the lists that name it; see `graphlang.graph.propagation.nodes.link_order`. */
#ifndef GRAPHLANG_LINK_ORDER_H
#define GRAPHLANG_LINK_ORDER_H
#include "kernel.h"

/* The list of a page is what it links to on its own host, by `ordinal`, where that is not negative; the lists of hosts
   that are not `chosen` are left out. `page` becomes the pages that lists name, list by list, and `key` the context of
   each there: what comes before it or, `backwards`, behind it: host, distance (1 to `farthest`) to the nearest page with
   a label or to the end of the list, and that label, `languages` for the end. `found` is room to work in, for the links
   of any page. Returns how many there are. */
int64_t graphlang_link_contexts(uint64_t pages, uint64_t links, uint64_t hosts, uint64_t room, int64_t languages,
                                int64_t farthest, int backwards, const int64_t out_start[pages + 1],
                                const int32_t target[links], const int16_t ordinal[links], const int32_t host[pages],
                                const int16_t label[pages], const uint8_t chosen[hosts], int64_t found[room],
                                int32_t page[links], int64_t key[links], graphlang_fault *fault);

#endif
