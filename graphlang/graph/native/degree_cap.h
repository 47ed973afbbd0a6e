/* Weights of links: the couplings of the neighbours of a page, summed by host and capped; see
   `graphlang.graph.propagation.message_weights`. */
#ifndef GRAPHLANG_DEGREE_CAP_H
#define GRAPHLANG_DEGREE_CAP_H
#include "kernel.h"

/* Compute weights for messages to pages `first`..`last`-1: `to_target` (to the target of each link), `to_source` (to its
   source), and `page` (of all messages to a page). The links of page p are out_start[p]..out_start[p+1]-1, its inlinks
   in_order[in_start[p]..in_start[p+1]-1]. `receives`: pages that receive messages, default all; others are not written.
   `sums` must be zero, and is zero afterwards. */
int graphlang_degree_cap(uint64_t pages, uint64_t links, uint64_t hosts, uint64_t first, uint64_t last, double degree,
                         const int64_t out_start[pages + 1], const int64_t in_start[pages + 1],
                         const int32_t in_order[links], const int32_t source[links], const int32_t target[links],
                         const int32_t host[pages], const float coupling[links],
                         OPTIONAL const uint8_t receives[pages], double sums[hosts], float to_target[links],
                         float to_source[links], double page[pages], graphlang_fault *fault);

#endif
