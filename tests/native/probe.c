#include "probe.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct graphlang_probe {
  uint64_t size;
  char word[];
};

static atomic_llong alive;

graphlang_probe *graphlang_probe_new(uint64_t size, const char *word) {
  graphlang_probe *probe = size ? malloc(sizeof *probe + size) : NULL;
  if (!probe) return NULL;
  probe->size = size;
  memcpy(probe->word, word, size);
  alive++;
  return probe;
}

void graphlang_probe_free(graphlang_probe *probe) {
  alive--;
  free(probe);
}

int64_t graphlang_probe_alive(void) { return alive; }

void graphlang_probe_say(const graphlang_probe *probe, graphlang_probe_said *said) {
  said->word = probe->word;
  said->size = probe->size;
  for (int n = 0; n < GRAPHLANG_PROBE_WIDTH; n++) said->thirds[n] = n / 3.0;
}

double graphlang_probe_sum(uint64_t rows, uint64_t columns, const float *weights, const double *factors,
                           const uint8_t *chosen) {
  double sum = 0;
  for (uint64_t row = 0; row < rows; row++)
    for (uint64_t column = 0; column < columns; column++)
      if (!chosen || chosen[row]) sum += weights[row * columns + column] * factors[column];
  return sum;
}

int graphlang_probe_fill(uint64_t count, const int32_t *numbers, int32_t *rows) {
  for (uint64_t n = 0; n < count * GRAPHLANG_PROBE_WIDTH; n++) rows[n] = numbers[n / GRAPHLANG_PROBE_WIDTH];
  return 1;
}

int graphlang_probe_gather(uint64_t pages, uint64_t links, const double *scores, const int64_t *target, double *found,
                           graphlang_fault *fault) {
  for (uint64_t page = 0; page < pages; page++)
    if (!isfinite(scores[page])) return GRAPHLANG_REFUSE_NUMBER(fault, "scores", page);
  for (uint64_t n = 0; n < links; n++) {
    if (target[n] < 0 || (uint64_t)target[n] >= pages)
      return GRAPHLANG_REFUSE(fault, "target", n, target[n], 0, (int64_t)pages - 1);
    found[n] = scores[target[n]];
  }
  return 1;
}

int64_t graphlang_probe_code(uint64_t size, int64_t code, const int16_t *one, const int16_t *other) {
  return one || other ? (int64_t)size : code;
}

int graphlang_probe_beyond(uint64_t size, const uint8_t *bytes) { return bytes[size]; }

int64_t graphlang_probe_race(uint64_t count) {
  static volatile int64_t shared;
  for (uint64_t n = 0; n < count; n++) shared++;
  return 0;
}
