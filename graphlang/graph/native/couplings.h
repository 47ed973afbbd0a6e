/* Coupling of each link, from its features, kind and host; see `graphlang.graph.propagation.compatibility`. */
#ifndef GRAPHLANG_COUPLINGS_H
#define GRAPHLANG_COUPLINGS_H
#include "kernel.h"

enum { GRAPHLANG_LINK_KINDS = 256 };

/* `feature_log_odds`: log-odds of each link by its features, to which those of its kind and its group are added. A link's group is the
   host of both its pages, or the last group. `p_same`: probability that the link keeps the language, clipped to
   `least`..`most`; `coupling`: the part of it that is not by chance, with the probability `by_chance` for other links.
   Links of forwarding kinds (`forwards`) have the maximum of both. */
int graphlang_couplings(uint64_t pages, uint64_t links, uint64_t groups, uint64_t classes, double least, double most,
                        const int32_t source[links], const int32_t target[links], const uint8_t kind[links],
                        const float feature_log_odds[links], const int32_t host[pages], const double of_group[classes * groups],
                        const double by_chance[groups], const double of_kind[GRAPHLANG_LINK_KINDS],
                        const uint8_t class_of[GRAPHLANG_LINK_KINDS], const uint8_t forwards[GRAPHLANG_LINK_KINDS],
                        OPTIONAL float p_same[links], float coupling[links], graphlang_fault *fault);

#endif
