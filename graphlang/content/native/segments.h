/* What the units of texts say for labels -> the label of each: the languages of a text and the best way through them;
   `segments.decode` says how.

   Pure functions over arrays of the caller, without state or memory of their own. A unit says something for few labels:
   those that are likelier than a floor. */
#ifndef GRAPHLANG_SEGMENTS_H
#define GRAPHLANG_SEGMENTS_H
#include "kernel.h"

enum {
  GRAPHLANG_SEGMENTS_STATES = 5, /* languages of a text */
  GRAPHLANG_SEGMENTS_TRIED = 4   /* labels that are tried as the next one of a text */
};

/* starts: unit u says said[i] for label[i], starts[u] <= i < starts[u + 1], and 0 for all others. offsets: text t has the
   units offsets[t] up to offsets[t + 1]. border: whether a natural border is before a unit; changing the language costs
   at_border there and inside elsewhere. One language more of a text costs language, and resemblance times what units say
   against the way with it, for it and for the others. path: the label of each unit; the first one where none is said
   anything for. sums, gain, seen, likely, came, way, kept: room to work in. */
int graphlang_segments_paths(int64_t units, int64_t width, int64_t edges, int64_t entries, const int64_t starts[units + 1],
                             const int64_t label[entries], const double said[entries], const int64_t offsets[edges],
                             const uint8_t border[units], double at_border, double inside, double language,
                             double resemblance, int64_t path[units], double sums[width], double gain[width],
                             uint8_t seen[width], int64_t likely[width],
                             uint8_t came[units * GRAPHLANG_SEGMENTS_STATES], uint8_t way[units], uint8_t kept[units],
                             graphlang_fault *fault);
#endif
