/* The way of a text through the kernels of n-grams: letters, features, sums, answers. Each stage checks what it makes. */
#ifndef GRAPHLANG_FUZZ_STAGES_H
#define GRAPHLANG_FUZZ_STAGES_H

#include "../harness.h"
#include "kernel.h"

/* What was refused is a number of that array, and is out of range. */
void check_fault(const graphlang_fault *fault);

/* N-grams and words that are features, in a table; see graphlang_ngrams_fill. */
typedef struct {
  int64_t number, bits, wanted, highest; /* `wanted` as graphlang_ngrams_find has it; the longest n-gram, 0 for none */
  uint32_t *keys;
  int64_t words; /* of marks */
  uint64_t *marks;
  uint32_t *before, *entries;
} Vocabulary;

/* Letters and single spaces of some rows; see graphlang_letters_normalise. */
typedef struct {
  int64_t rows, size, margin;
  uint32_t *symbols;
  int64_t *starts, *lengths;
} Letters;

/* Features of each row; see graphlang_ngrams_find. */
typedef struct {
  int64_t number;
  int32_t *each;
  int64_t *offsets;
} Features;

/* Sums of weights, script by script; see graphlang_ngrams_sums. */
typedef struct {
  int64_t scripts, labels, size;
  int64_t *columns, *order, *counts;
  int16_t *sums;
} Sums;

/* The lines of an input. */
Vocabulary vocabulary_of(Input *lines, int64_t bits);
/* Rows of a text, parted by line feeds: UTF-8, and any other byte a symbol that is seldom seen. No rows where a symbol is
   none; options are read from `in`. */
Letters letters_of(Input *in, Input *text, int64_t margin);
Features features_of(const Vocabulary *vocabulary, const Letters *letters);
/* What is left of `weights` are weights. Returns whether they are sound. */
int sums_of(Input *in, Input *weights, const Vocabulary *vocabulary, const Features *features, int64_t rows, Sums *out);
void answers_of(Input *in, const Letters *letters, const Features *features, const Sums *sums);
void tally_of(Input *in, const Letters *letters);

#endif
