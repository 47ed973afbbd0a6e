/* How far each link binds its pages, by what its features, kind and host say; see
   `graphlang.graph.propagation.compatibility`. */
#ifndef GRAPHLANG_COUPLINGS_H
#define GRAPHLANG_COUPLINGS_H
#include "kernel.h"

enum { GRAPHLANG_LINK_KINDS = 256 };

/* `told`: log-odds of each link by its features, to which those of its kind are added, and those of its group as links of
   the class of this kind have them. A link's group is the host of both its pages, the last group where they differ.
   `p_same`: how likely the link keeps the language, from `least` to `most`; `coupling`: the part of it that is on purpose,
   `by_chance` being how likely it keeps the language otherwise. Links of the kinds `shown` have the most of both. */
int graphlang_couplings(uint64_t pages, uint64_t links, uint64_t groups, uint64_t classes, double least, double most,
                        const int32_t source[links], const int32_t target[links], const uint8_t kind[links],
                        const float told[links], const int32_t host[pages], const double of_group[classes * groups],
                        const double by_chance[groups], const double of_kind[GRAPHLANG_LINK_KINDS],
                        const uint8_t class_of[GRAPHLANG_LINK_KINDS], const uint8_t shown[GRAPHLANG_LINK_KINDS],
                        OPTIONAL float p_same[links], float coupling[links], graphlang_fault *fault);

#endif
