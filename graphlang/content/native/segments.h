/* The support of units of texts for labels -> the label of each: the languages of a text and the best path through
   them. `segments.decode` explains the model.

   Pure functions over the caller's arrays: no state, no memory of their own. A unit supports few labels: those whose
   probability is above a floor. */
#ifndef GRAPHLANG_SEGMENTS_H
#define GRAPHLANG_SEGMENTS_H
#include "kernel.h"

enum {
  GRAPHLANG_SEGMENTS_STATES = 5, /* languages of a text */
  GRAPHLANG_SEGMENTS_TRIED = 4   /* labels to try as the next language of a text */
};

/* starts: unit u has support[i] for label[i], starts[u] <= i < starts[u + 1], and 0 for all others. offsets: text t has
   the units offsets[t] up to offsets[t + 1]. border: whether a sentence or line begins with a unit; to change the
   language costs at_border there and inside elsewhere. A further language of a text costs language, and resemblance
   times the support that contradicts the path with it. path: the label of each unit; label 0 in a text without support.
   sums, gain, is_listed, likely, previous, sequence, best_sequence: working memory. */
int graphlang_segments_paths(int64_t units, int64_t width, int64_t edges, int64_t entries, const int64_t starts[units + 1],
                             const int64_t label[entries], const double support[entries], const int64_t offsets[edges],
                             const uint8_t border[units], double at_border, double inside, double language,
                             double resemblance, int64_t path[units], double sums[width], double gain[width],
                             uint8_t is_listed[width], int64_t likely[width],
                             uint8_t previous[units * GRAPHLANG_SEGMENTS_STATES], uint8_t sequence[units], uint8_t best_sequence[units],
                             graphlang_fault *fault);
#endif
