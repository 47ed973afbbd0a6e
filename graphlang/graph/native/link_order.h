/* Contexts of each page in the lists that name it; see `graphlang.graph.propagation.link_order`. */
#ifndef GRAPHLANG_LINK_ORDER_H
#define GRAPHLANG_LINK_ORDER_H
#include "kernel.h"

/* The list of a page is its links within its host, by `ordinal`, if not negative; lists of hosts that are not `chosen` are
   ignored. `page` gets the pages that lists name, list by list, and `key` the context of each: host, distance (1 to
   `farthest`) to the nearest labelled page or the end of the list, and that label, or `languages` for the end. Contexts are
   before a page or, if `backwards`, behind it. `output` is scratch for the links of a page. Return how many there are. */
int64_t graphlang_link_contexts(uint64_t pages, uint64_t links, uint64_t hosts, uint64_t room, int64_t languages,
                                int64_t farthest, int backwards, const int64_t out_start[pages + 1],
                                const int32_t target[links], const int16_t ordinal[links], const int32_t host[pages],
                                const int16_t label[pages], const uint8_t chosen[hosts], int64_t output[room],
                                int32_t page[links], int64_t key[links], graphlang_fault *fault);

/* Compute the share of each context in the lists that name a page. In entry i a list names page[i] in context[i]. Page p
   gets the distinct contexts sorted[start[p]]..sorted[start[p + 1] - 1], ascending, and their shares. `times` must be zero,
   and is zero afterwards. Return how many there are. */
int64_t graphlang_link_shares(uint64_t pages, uint64_t entries, uint64_t contexts, const int32_t page[entries],
                              const int32_t context[entries], int64_t start[pages + 1], int32_t sorted[entries],
                              double share[entries], uint32_t times[contexts], graphlang_fault *fault);

/* List the labels of the pages in each context, named[first[c]]..named[first[c + 1] - 1], ascending and distinct, with the
   sums of their shares in page order. Pages with a negative label are ignored. `sums` must be zero, and is zero afterwards.
   Return how many there are. */
int64_t graphlang_link_counts(uint64_t pages, uint64_t entries, uint64_t contexts, uint64_t languages,
                              const int64_t start[pages + 1], const int32_t context[entries],
                              const double share[entries], const int16_t label[pages], int64_t first[contexts + 1],
                              int32_t named[entries], double count[entries], double sums[languages],
                              graphlang_fault *fault);

/* Add to `sums`, for some pages, the ratios of the labels in their contexts, weighted by the shares of the contexts. */
int graphlang_link_ratios(uint64_t pages, uint64_t entries, uint64_t contexts, uint64_t known, uint64_t asked,
                          uint64_t languages, const int64_t start[pages + 1], const int32_t context[entries],
                          const double share[entries], const int64_t first[contexts + 1], const int32_t named[known],
                          const double ratio[known], const int64_t page[asked], double sums[asked * languages],
                          graphlang_fault *fault);

#endif
