/* What stands beside each page in the lists that name it; see `graphlang.graph.propagation.link_order`. */
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

/* How often, of all the lists that name it, each page has each context. Entry i says that a list names page[i] in
   context[i]. Page p gets the contexts sorted[start[p]] to sorted[start[p + 1] - 1], ascending, each once, and their
   shares of its entries. `times`: all zeros, and all zeros afterwards. Returns how many there are. */
int64_t graphlang_link_shares(uint64_t pages, uint64_t entries, uint64_t contexts, const int32_t page[entries],
                              const int32_t context[entries], int64_t start[pages + 1], int32_t sorted[entries],
                              double share[entries], uint32_t times[contexts], graphlang_fault *fault);

/* The same the other way about: of each context the labels of the pages that have it, named[first[c]] to
   named[first[c + 1] - 1], ascending, each once, and the sums of their shares, added up in the order of the pages. Pages
   whose label is below 0 do not count. `sums`: all zeros, and all zeros afterwards. Returns how many there are. */
int64_t graphlang_link_counts(uint64_t pages, uint64_t entries, uint64_t contexts, uint64_t languages,
                              const int64_t start[pages + 1], const int32_t context[entries],
                              const double share[entries], const int16_t label[pages], int64_t first[contexts + 1],
                              int32_t named[entries], double count[entries], double sums[languages],
                              graphlang_fault *fault);

/* Add to `sums`, for some pages, the ratios of the labels of their contexts, each times the share of the context. */
int graphlang_link_ratios(uint64_t pages, uint64_t entries, uint64_t contexts, uint64_t known, uint64_t asked,
                          uint64_t languages, const int64_t start[pages + 1], const int32_t context[entries],
                          const double share[entries], const int64_t first[contexts + 1], const int32_t named[known],
                          const double ratio[known], const int64_t page[asked], double sums[asked * languages],
                          graphlang_fault *fault);

#endif
