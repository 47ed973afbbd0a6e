#include "belief_steps.h"

#include <math.h>
#include <string.h>

#include "checks.h"

enum { SIDE_BY_SIDE = 8 }; /* independent partial results of a row */

/* The largest of the magnitudes of a row of finite numbers. */
static float magnitude(const float *row, uint64_t columns) {
  float most[SIDE_BY_SIDE] = {0};
  uint64_t i = 0;
  for (; i + SIDE_BY_SIDE <= columns; i += SIDE_BY_SIDE)
    for (int j = 0; j < SIDE_BY_SIDE; j++) {
      float own = fabsf(row[i + (uint64_t)j]);
      most[j] = own > most[j] ? own : most[j];
    }
  for (; i < columns; i++) most[0] = fabsf(row[i]) > most[0] ? fabsf(row[i]) : most[0];
  for (int j = 1; j < SIDE_BY_SIDE; j++) most[0] = most[j] > most[0] ? most[j] : most[0];
  return most[0];
}

/* Sum of the products of two rows. */
static float product(const float *one, const float *other, uint64_t columns) {
  float sum[SIDE_BY_SIDE] = {0};
  uint64_t i = 0;
  for (; i + SIDE_BY_SIDE <= columns; i += SIDE_BY_SIDE)
    for (int j = 0; j < SIDE_BY_SIDE; j++) sum[j] += one[i + (uint64_t)j] * other[i + (uint64_t)j];
  float all = ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
  for (; i < columns; i++) all += one[i] * other[i];
  return all;
}

int graphlang_neighbour_log_odds(uint64_t latent, uint64_t columns, uint64_t count, float most, const int64_t *numbers,
                                 const double *incoming, const float *weight, const float *log_potential, float *logs,
                                 graphlang_fault *fault) {
  if (!columns) return GRAPHLANG_WRONG_SIZE;
  for (uint64_t i = 0; i < count; i++) {
    if (!IS_INDEX(numbers[i], latent))
      return GRAPHLANG_REFUSE(fault, "numbers", i, numbers[i], 0, (int64_t)latent - 1);
    uint64_t at = (uint64_t)numbers[i] * columns;
    const double *given = incoming + at;
    double loud = weight[i];
    float *own = logs + i * columns;
    for (uint64_t x = 0; x < columns; x++) own[x] = (float)(given[x] * loud);
    float largest = own[0];
    for (uint64_t x = 1; x < columns; x++) largest = own[x] > largest ? own[x] : largest;
    largest -= most;
    for (uint64_t x = 0; x < columns; x++) own[x] = own[x] < largest ? largest : own[x];
    if (log_potential)
      for (uint64_t x = 0; x < columns; x++) own[x] += log_potential[at + x];
  }
  return 1;
}

int graphlang_move_beliefs(uint64_t latent, uint64_t columns, uint64_t rows, uint64_t count, float least, double slower,
                           double faster, double slowest, const int64_t *numbers, const float *final, float *belief,
                           float *last, float *damping, float *before, uint8_t *moves, float *largest,
                           graphlang_fault *fault) {
  if (!columns || rows < latent) return GRAPHLANG_WRONG_SIZE;
  largest[0] = 0;
  for (uint64_t i = 0; i < count; i++) {
    if (!IS_INDEX(numbers[i], latent))
      return GRAPHLANG_REFUSE(fault, "numbers", i, numbers[i], 0, (int64_t)latent - 1);
    uint64_t page = (uint64_t)numbers[i];
    const float *to = final + i * columns;
    float *restrict own = belief + page * columns, *restrict step = last + page * columns;
    float *restrict old = before + page * columns;
    int wrong = 0;
    for (uint64_t x = 0; x < columns; x++) {
      wrong |= !isfinite(to[x]);
      old[x] = to[x] - own[x]; /* stored here until the last move of the page is read */
    }
    if (wrong) return 0;
    float far = magnitude(old, columns);
    largest[0] = far > largest[0] ? far : largest[0];
    double damped = (double)damping[page] + (product(old, step, columns) < 0 ? slower : faster);
    damping[page] = (float)(damped < 0 ? 0 : damped > slowest ? slowest : damped);
    float taken = 1 - damping[page];
    for (uint64_t x = 0; x < columns; x++) step[x] = old[x] * taken;
    memcpy(old, own, columns * sizeof *own);
    moves[i] = magnitude(step, columns) > least;
    if (!moves[i]) memset(step, 0, columns * sizeof *step);
    for (uint64_t x = 0; x < columns; x++) own[x] += step[x];
  }
  return 1;
}
