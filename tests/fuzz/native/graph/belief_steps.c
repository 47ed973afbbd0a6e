/* Beliefs move to what is heard: no further, and only those of the pages asked for. */
#include "graph.h"
#include KERNEL_GRAPH_BELIEF_STEPS

HARNESS_BEGIN

void fuzz_belief_steps(Input *in) {
  uint8_t how = byte(in);
  int64_t latent = 1 + below(in, 6), columns = 1 + below(in, 19), rows = latent + below(in, 3), count = below(in, 7);
  int64_t *numbers = array(count, 8), wrong = 0;
  float *weight = floats(in, count, how & 2), *own = floats(in, latent * columns, how & 2), *logs = array(count * columns, 4);
  double *incoming = array(latent * columns, 8);
  graphlang_fault fault;
  for (int64_t n = 0; n < count; n++) numbers[n] = how & 1 ? damaged(in, latent) : below(in, latent);
  for (int64_t n = 0; n < count; n++) wrong |= numbers[n] < 0 || numbers[n] >= latent;
  for (int64_t n = 0; n < latent * columns; n++) incoming[n] = how & 2 ? (double)any_float(in) : byte(in) / 8.0;
  int done = graphlang_neighbour_log_odds((uint64_t)latent, (uint64_t)columns, (uint64_t)count, 8, numbers, incoming,
                                          weight, how & 4 ? own : NULL, logs, &fault);
  CHECK_DONE(done, !wrong);
  if (wrong) CHECK_FAULT("numbers", numbers, count);
  if (wrong) return;
  float *belief = floats(in, rows * columns, 0), *last = floats(in, latent * columns, 0), *damping = array(latent, 4);
  float *before = array(rows * columns, 4), largest[1], *old = copy(belief, rows * columns, 4);
  uint8_t *moves = array(count, 1);
  for (int64_t n = 0; n < latent; n++) damping[n] = (float)byte(in) / 256;
  done = graphlang_move_beliefs((uint64_t)latent, (uint64_t)columns, (uint64_t)rows, (uint64_t)count, 1e-4f, .3, -.2, .9,
                                numbers, logs, belief, last, damping, before, moves, largest, &fault);
  CHECK(done == 1 || (done == 0 && (how & 2)));
  for (int64_t n = latent * columns; n < rows * columns; n++) CHECK(belief[n] == old[n]);
  if (!done) return;
  CHECK(largest[0] >= 0);
  for (int64_t n = 0; n < latent; n++) CHECK(damping[n] >= 0 && damping[n] <= 1);
  for (int64_t n = 0; n < count; n++) CHECK(moves[n] <= 1);
}

HARNESS_END
