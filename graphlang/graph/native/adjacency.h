/* Links as sorted lists, and what is looked up in them; see `graphlang.graph.adjacency`.

   Pages are 0..pages-1. The links of page p are out_start[p]..out_start[p+1]-1. The sources of the links that lead to it
   are in_source[in_start[p]..in_start[p+1]-1]. Both lists are ascending. */
#ifndef GRAPHLANG_ADJACENCY_H
#define GRAPHLANG_ADJACENCY_H
#include "kernel.h"

/* 1 where links are sorted by source, then target, without duplicates and links of a page to itself; else 0. */
int graphlang_links_are_sorted(uint64_t links, const int32_t source[links], const int32_t target[links]);

/* Count how often each page is an end: those of page p are numbers start[p]..start[p+1]-1 once sorted by that end. `start`
   is all zeros before. Here and below only the links (or pages) from `first` up to `last` are looked at: what comes out for
   the parts of a range is put together by the caller. */
int graphlang_links_starts(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, const int32_t ends[links],
                           int64_t start[pages + 1], graphlang_fault *fault);

/* The sources of the links that lead to each page, in the order given. `next`: where the first of these links to each page
   comes, which is its start by target if `first` is 0; it is used up. */
int graphlang_links_sources(uint64_t pages, uint64_t links, uint64_t first, uint64_t last,
                            const int32_t source[links], const int32_t target[links], int64_t next[pages + 1],
                            int32_t in_source[links], graphlang_fault *fault);

/* The numbers of the links that lead to each page, in the order given. `next` as above. */
int graphlang_links_order(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, const int32_t target[links],
                          int64_t next[pages + 1], int32_t order[links], graphlang_fault *fault);

/* back[i] becomes 1 where the target of link i links back, and mutual[p] the number of such links of page p; `back` is all
   zeros before. */
int graphlang_links_reciprocal(uint64_t pages, uint64_t links, uint64_t first, uint64_t last,
                               const int64_t out_start[pages + 1], const int32_t target[links],
                               const int64_t in_start[pages + 1], const int32_t in_source[links], uint8_t back[links],
                               int32_t mutual[pages], graphlang_fault *fault);

/* The numbers of the links with an end at one of the `wanted` pages, in their order. `found` has room for a number of
   each link that is looked at. Returns how many there are. */
int64_t graphlang_links_reaching(uint64_t pages, uint64_t links, uint64_t room, uint64_t first, uint64_t last,
                                 const int32_t source[links], const int32_t target[links], const uint8_t wanted[pages],
                                 int32_t found[room], graphlang_fault *fault);

/* Draw from the links between `chosen` pages, but those of a kind that is `left_out`: the numbers of the links whose hash,
   of the `key`s of both pages, is at most `limit`, in their order, and these hashes. Room and result as above. */
int64_t graphlang_links_drawn(uint64_t pages, uint64_t links, uint64_t room, uint64_t first, uint64_t last,
                              uint64_t limit, const int32_t source[links], const int32_t target[links],
                              const uint8_t kind[links], const uint8_t left_out[256], const uint8_t chosen[pages],
                              const uint64_t key[pages], int32_t found[room], uint64_t hash[room],
                              graphlang_fault *fault);

/* present[k] becomes 1 for each kind of link that there is. */
int graphlang_link_kinds(uint64_t links, const uint8_t kind[links], uint8_t present[256]);

/* reached[p] becomes 1 for the pages without evidence that a chain of links, whatever their direction, joins to a page with
   evidence. `parent` is room to work in. */
int graphlang_links_reached(uint64_t pages, uint64_t links, const int32_t source[links], const int32_t target[links],
                            const uint8_t no_evidence[pages], int32_t parent[pages + 1], uint8_t reached[pages],
                            graphlang_fault *fault);

#endif
