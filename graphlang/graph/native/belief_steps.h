/* How the beliefs of latent pages move in a round; see `graphlang.graph.propagation.belief_steps`. */
#ifndef GRAPHLANG_BELIEF_STEPS_H
#define GRAPHLANG_BELIEF_STEPS_H
#include "kernel.h"

/* What some of the latent pages (`numbers`) take from their neighbours: `incoming` times `weight`, nothing less than the
   largest of its row less `most`; and `log_potential` with it, where that is given. */
int graphlang_heard(uint64_t latent, uint64_t columns, uint64_t count, float most, const int64_t numbers[count],
                    const double incoming[latent * columns], const float weight[count],
                    OPTIONAL const float log_potential[latent * columns], float logs[count * columns],
                    graphlang_fault *fault);

/* Move the beliefs of some latent pages to what is `final`, less the part of the step that is damped. `last`: how each
   moved last, and `damping`; both are brought up to date. A page that turned back is damped by `slower` more, up to
   `slowest`, any other by `faster` (below 0). `before` becomes what these pages believed, `moves` whether a page moves by
   more than `least`; if not, it stays. `largest[0]` becomes how far one of them is at most from what is final. Returns 0
   and moves none from the first page on of which something is not finite. */
int graphlang_move_beliefs(uint64_t latent, uint64_t columns, uint64_t rows, uint64_t count, float least, double slower,
                           double faster, double slowest, const int64_t numbers[count],
                           const float final[count * columns], float belief[rows * columns],
                           float last[latent * columns], float damping[latent], float before[rows * columns],
                           uint8_t moves[count], float largest[1], graphlang_fault *fault);

#endif
