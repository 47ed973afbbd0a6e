/* Features of a link from the shape of the graph around it, and the log-odds that it keeps the language; see
   `graphlang.graph.propagation.edge_features`.

   All kernels take the links in the order of `adjacency.h`, and the numbers of links, best grouped by page. Neighbour lists
   longer than `longest` count as empty. */
#ifndef GRAPHLANG_EDGE_FEATURES_H
#define GRAPHLANG_EDGE_FEATURES_H
#include "kernel.h"

enum { GRAPHLANG_EDGE_FEATURES = 14 }; /* numbers of a link */

/* Packed neighbours and degrees of each page. Any number of threads can read them. */
typedef struct graphlang_neighbours graphlang_neighbours;

/* Allocate `links` links of `pages` pages; only the first `known` pages are looked up. */
graphlang_neighbours *graphlang_neighbours_new(uint64_t pages, uint64_t known, uint64_t links);
void graphlang_neighbours_free(graphlang_neighbours *neighbours);

/* Pack pages `first`..`last`-1; threads can pack other pages at the same time. `out_degree`, `in_degree`: of each page, with
   links that are not here. `log_*`: log(1 + n) of numbers of each page. */
int graphlang_neighbours_pack(graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t first,
                              uint64_t last, int64_t longest, const int64_t out_start[pages + 1],
                              const int64_t in_start[pages + 1], const int32_t target[links],
                              const int32_t in_source[links], const int32_t out_degree[pages],
                              const int32_t in_degree[pages], const float log_out_degree[pages],
                              const float log_in_degree[pages], const float log_mutual[pages], graphlang_fault *fault);

/* Compute the features of some links between packed pages. `reciprocal`: 1 if the target links back. `log_counts`:
   log(1 + n) for n = 0, 1, 2, ... up to `longest` at least. `marks` must be zero, and is zero afterwards. */
int graphlang_edge_features(const graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t counts,
                            uint64_t requested, const int32_t source[links], const int32_t target[links],
                            const uint8_t reciprocal[links], const float log_counts[counts], uint8_t marks[pages],
                            const int32_t numbers[requested], float features[requested * GRAPHLANG_EDGE_FEATURES],
                            graphlang_fault *fault);

/* Compute the log-odds of some links: the sum of (feature - mean) / deviation, clipped at 4, times weight. */
int graphlang_edge_log_odds(const graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t counts,
                            uint64_t requested, const int32_t source[links], const int32_t target[links],
                            const uint8_t reciprocal[links], const float log_counts[counts], uint8_t marks[pages],
                            const int32_t numbers[requested], const float mean[GRAPHLANG_EDGE_FEATURES], const float deviation[GRAPHLANG_EDGE_FEATURES],
                            const double weight[GRAPHLANG_EDGE_FEATURES], float log_odds[requested],
                            graphlang_fault *fault);

/* Return the number of steps for the features of the wanted links `first`..`last`-1, from the degrees of the pages. */
int64_t graphlang_edge_steps(uint64_t known, uint64_t links, uint64_t requested, uint64_t first, uint64_t last,
                             int64_t longest, const int32_t source[links], const int32_t target[links],
                             const int32_t out_degree[known], const int32_t in_degree[known],
                             const int32_t numbers[requested], graphlang_fault *fault);

#endif
