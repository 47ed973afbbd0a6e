/* Sums of the weights of the features of URLs (`graphlang.urls.url_model`), in one pass over their characters. */
#ifndef GRAPHLANG_URL_SUMS_H
#define GRAPHLANG_URL_SUMS_H
#include "kernel.h"

enum {
  GRAPHLANG_URL_LONGEST = 4096, /* characters of a URL */
  GRAPHLANG_URL_LETTERS = 65536,
  GRAPHLANG_URL_WORDS = 65536, /* of 64 buckets each */
  GRAPHLANG_URL_MARKS = 128
};

/* The features of each URL are those of `urls.url_features`, which is their definition.

   characters: of all URLs; URL u has those from first[u] to first[u + 1] - 2, and a line feed behind them. letters: what
   each character is folded to, 0 for no letter. marks: the class of each mark beside a token. weighs: a bit
   for each bucket that has a row in `weights`, the lowest first; rows are in the order of the buckets. before: the rows of
   the buckets of all words before. enough: of a URL with more known n-grams than that, the weights of
   all are multiplied by the root of enough / known. Weights of a kind are added up in the order of its features, as
   float32, and these sums in the order of the kinds: no batch and no machine changes them. own: room for one URL's. known:
   how many features of each URL have weights. */
int graphlang_url_sums(int64_t size, int64_t urls, int64_t rows, int64_t labels, const uint32_t characters[size],
                       const int64_t first[urls + 1], const uint16_t letters[GRAPHLANG_URL_LETTERS],
                       const uint8_t marks[GRAPHLANG_URL_MARKS], const uint64_t weighs[GRAPHLANG_URL_WORDS],
                       const int32_t before[GRAPHLANG_URL_WORDS], const int8_t weights[rows * labels], double enough,
                       float own[labels], float sums[urls * labels], int64_t known[urls], graphlang_fault *fault);

#endif
