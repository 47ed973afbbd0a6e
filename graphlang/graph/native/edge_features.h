/* What the shape of the graph around a link says, and how likely such a link keeps the language; see
   `graphlang.graph.propagation.edge_features`.

   All kernels take the links as `adjacency.h` has them, and the numbers of the links that are asked for, those of a page one
   after the other. Lists of neighbours longer than `longest` are taken to be empty. */
#ifndef GRAPHLANG_EDGE_FEATURES_H
#define GRAPHLANG_EDGE_FEATURES_H
#include "kernel.h"

enum { GRAPHLANG_EDGE_FEATURES = 14 }; /* numbers of a link */

/* What is looked up of each page: its neighbours, packed as tightly as it goes, and how many they are. Read by any number
   of threads at a time. */
typedef struct graphlang_neighbours graphlang_neighbours;

/* Room for `links` links of `pages` pages, of which the first `known` are looked up. */
graphlang_neighbours *graphlang_neighbours_new(uint64_t pages, uint64_t known, uint64_t links);
void graphlang_neighbours_free(graphlang_neighbours *neighbours);

/* Pack those of the pages from `first` up to `last`; other pages may be packed at the same time. `out_degree`, `in_degree`:
   links of each page, of which some may not be here. `log_*`: logarithms of 1 + n, n being a number of each page. */
int graphlang_neighbours_pack(graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t first,
                              uint64_t last, int64_t longest, const int64_t out_start[pages + 1],
                              const int64_t in_start[pages + 1], const int32_t target[links],
                              const int32_t in_source[links], const int32_t out_degree[pages],
                              const int32_t in_degree[pages], const float log_out_degree[pages],
                              const float log_in_degree[pages], const float log_mutual[pages], graphlang_fault *fault);

/* The features of some links between pages that were packed. `reciprocal`: 1 where the target links back. `log_counts`:
   logarithms of 1 + n, n being 0, 1, 2, ... up to `longest` at least. `marks`: all zeros, and all zeros afterwards. */
int graphlang_edge_features(const graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t counts,
                            uint64_t wanted, const int32_t source[links], const int32_t target[links],
                            const uint8_t reciprocal[links], const float log_counts[counts], uint8_t marks[pages],
                            const int32_t numbers[wanted], float features[wanted * GRAPHLANG_EDGE_FEATURES],
                            graphlang_fault *fault);

/* The log-odds that the features of some links give: the sum of (feature - mean) / deviation, cut at 4, times weight. */
int graphlang_edge_log_odds(const graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t counts,
                            uint64_t wanted, const int32_t source[links], const int32_t target[links],
                            const uint8_t reciprocal[links], const float log_counts[counts], uint8_t marks[pages],
                            const int32_t numbers[wanted], const float mean[GRAPHLANG_EDGE_FEATURES], const float deviation[GRAPHLANG_EDGE_FEATURES],
                            const double weight[GRAPHLANG_EDGE_FEATURES], float log_odds[wanted],
                            graphlang_fault *fault);

/* How many marks the features of the wanted links from `first` up to `last` look at, the lists of each page being as long
   as its degrees say. */
int64_t graphlang_edge_steps(uint64_t known, uint64_t links, uint64_t wanted, uint64_t first, uint64_t last,
                             int64_t longest, const int32_t source[links], const int32_t target[links],
                             const int32_t out_degree[known], const int32_t in_degree[known],
                             const int32_t numbers[wanted], graphlang_fault *fault);

#endif
