/* Links as sorted lists, and look-ups in them; see `graphlang.graph.adjacency`.

   Pages are 0..pages-1. The links of page p are out_start[p]..out_start[p+1]-1. The sources of the links that lead to it
   are in_source[in_start[p]..in_start[p+1]-1]. Both lists are ascending. */
#ifndef GRAPHLANG_ADJACENCY_H
#define GRAPHLANG_ADJACENCY_H
#include "kernel.h"

/* Return 1 if links are sorted by source, then target, without duplicates and self-links; else 0. */
int graphlang_links_are_sorted(uint64_t links, const int32_t source[links], const int32_t target[links]);

/* Count how often each page is an end: once sorted by that end, page p has links start[p]..start[p+1]-1. `start` must be
   zero. Here and below, only links (or pages) `first`..`last`-1 are used; the caller joins the results of ranges. */
int graphlang_links_starts(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, const int32_t ends[links],
                           int64_t start[pages + 1], graphlang_fault *fault);

/* Sort the sources by target, keeping their order. `next`: index of each page's first link of the range, which is its
   start by target if `first` is 0; modified. */
int graphlang_links_sources(uint64_t pages, uint64_t links, uint64_t first, uint64_t last,
                            const int32_t source[links], const int32_t target[links], int64_t next[pages + 1],
                            int32_t in_source[links], graphlang_fault *fault);

/* Sort the numbers of the links by target, keeping their order. `next` as above. */
int graphlang_links_order(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, const int32_t target[links],
                          int64_t next[pages + 1], int32_t order[links], graphlang_fault *fault);

/* Set back[i] to 1 if the target of link i links back, and mutual[p] to the number of such links of page p; `back` must be
   zero. */
int graphlang_links_reciprocal(uint64_t pages, uint64_t links, uint64_t first, uint64_t last,
                               const int64_t out_start[pages + 1], const int32_t target[links],
                               const int64_t in_start[pages + 1], const int32_t in_source[links], uint8_t back[links],
                               int32_t mutual[pages], graphlang_fault *fault);

/* List the numbers of the links with an end in the `selected` pages, ascending. `output` has room for all links of the range.
   Return how many there are. */
int64_t graphlang_links_reaching(uint64_t pages, uint64_t links, uint64_t room, uint64_t first, uint64_t last,
                                 const int32_t source[links], const int32_t target[links], const uint8_t selected[pages],
                                 int32_t output[room], graphlang_fault *fault);

/* List the links between `chosen` pages whose hash of both `key`s is at most `limit`, except kinds that are `left_out`:
   their numbers, ascending, and their hashes. Room and result as above. */
int64_t graphlang_links_drawn(uint64_t pages, uint64_t links, uint64_t room, uint64_t first, uint64_t last,
                              uint64_t limit, const int32_t source[links], const int32_t target[links],
                              const uint8_t kind[links], const uint8_t left_out[256], const uint8_t chosen[pages],
                              const uint64_t key[pages], int32_t output[room], uint64_t hash[room],
                              graphlang_fault *fault);

/* Set present[k] to 1 for each link kind k that occurs. */
int graphlang_link_kinds(uint64_t links, const uint8_t kind[links], uint8_t present[256]);

/* Set reached[p] to 1 for pages without evidence that a chain of links, in any direction, joins to a page with evidence.
   `parent` is scratch. */
int graphlang_links_reached(uint64_t pages, uint64_t links, const int32_t source[links], const int32_t target[links],
                            const uint8_t no_evidence[pages], int32_t parent[pages + 1], uint8_t reached[pages],
                            graphlang_fault *fault);

#endif
