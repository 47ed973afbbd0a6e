/* Update of the beliefs of latent pages in a round; see `graphlang.graph.propagation.rounds`. */
#ifndef GRAPHLANG_BELIEF_STEPS_H
#define GRAPHLANG_BELIEF_STEPS_H
#include "kernel.h"

/* Compute the log-odds from all neighbours of some latent pages (`numbers`): `incoming` times `weight`, at least the
   maximum of the row minus `most`, plus `log_potential` if given. */
int graphlang_neighbour_log_odds(uint64_t latent, uint64_t columns, uint64_t count, float most,
                                 const int64_t numbers[count], const double incoming[latent * columns],
                                 const float weight[count], OPTIONAL const float log_potential[latent * columns],
                                 float logs[count * columns], graphlang_fault *fault);

/* Move the beliefs of some latent pages towards `final`, by a damped step. `last` (last step) and `damping` are updated: if
   a step reverses the last one, damping grows by `slower`, up to `slowest`, else it changes by `faster` (negative). `before`
   gets the old beliefs, `moves` whether a belief changes by more than `least`; if not, it stays. `largest[0]` gets the
   largest difference to `final`. Return 0 at the first page with a number that is not finite, before moving it. */
int graphlang_move_beliefs(uint64_t latent, uint64_t columns, uint64_t rows, uint64_t count, float least, double slower,
                           double faster, double slowest, const int64_t numbers[count],
                           const float final[count * columns], float belief[rows * columns],
                           float last[latent * columns], float damping[latent], float before[rows * columns],
                           uint8_t moves[count], float largest[1], graphlang_fault *fault);

#endif
