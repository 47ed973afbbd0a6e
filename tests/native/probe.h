/* Kernels for the tests of the binding, one of each kind, and two with a defect that a sanitiser must find. */
#ifndef GRAPHLANG_PROBE_H
#define GRAPHLANG_PROBE_H
#include "kernel.h"

enum { GRAPHLANG_PROBE_WIDTH = 3 };

/* A word that is kept. */
typedef struct graphlang_probe graphlang_probe;
graphlang_probe *graphlang_probe_new(uint64_t size, const char word[size]);
void graphlang_probe_free(graphlang_probe *probe);

/* How many are kept now. */
int64_t graphlang_probe_alive(void);

typedef struct {
  const char *word;
  uint64_t size;
  double thirds[GRAPHLANG_PROBE_WIDTH];
} graphlang_probe_said;

void graphlang_probe_say(const graphlang_probe *probe, graphlang_probe_said *said);

/* The sum of weights times factors over the rows that are chosen, or all. */
double graphlang_probe_sum(uint64_t rows, uint64_t columns, const float weights[rows * columns],
                           const double factors[columns], OPTIONAL const uint8_t chosen[rows]);

/* Each row becomes WIDTH times its number. */
int graphlang_probe_fill(uint64_t count, const int32_t numbers[count], int32_t rows[count * GRAPHLANG_PROBE_WIDTH]);

/* The scores of targets; refuses targets that are not there, and scores that are no numbers. */
int graphlang_probe_gather(uint64_t pages, uint64_t links, const double scores[pages], const int64_t target[links],
                           double found[links], graphlang_fault *fault);

/* What a kernel of this code gives; a size of nothing but what may be missing. */
int64_t graphlang_probe_code(uint64_t size, int64_t code, OPTIONAL const int16_t one[size],
                             OPTIONAL const int16_t other[size]);

/* Reads the byte behind the last. */
int graphlang_probe_beyond(uint64_t size, const uint8_t bytes[size]);

/* Counts up to `count`, in a number that threads share without a lock. */
int64_t graphlang_probe_race(uint64_t count);

#endif
