/* Probabilities of the units of texts to the label of each: the languages of a text and the best way through them;
   `segments.decode` says how.

   Pure functions over arrays of the caller, without state or memory of their own. Only probabilities above a floor are
   looked at, which few are: a unit's log likelihoods are counted from that of the floor, where all others stand. */
#ifndef GRAPHLANG_SEGMENTS_H
#define GRAPHLANG_SEGMENTS_H
#include "kernel.h"

enum {
  GRAPHLANG_SEGMENTS_STATES = 5, /* languages of a text */
  GRAPHLANG_SEGMENTS_TRIED = 4   /* labels that are tried as the next one of a text */
};

/* chances: of the units. offsets: text t has the units offsets[t] up to offsets[t + 1]. border: whether a natural border
   is before a unit; changing the language costs at_border there and inside elsewhere, and one language more of a text
   costs language. A text that would be likelier by no more than least, if each unit had a label of its own, has one label;
   so have all if least is infinite. path: the label of each unit. missed: of each text, how much likelier that would be.
   sums, gain, came, way: room to work in. */
int graphlang_segments_paths(int64_t units, int64_t width, int64_t texts, const float chances[units * width],
                             const int64_t offsets[texts + 1], const uint8_t border[units], double least_chance,
                             double at_border, double inside, double language, double least, int64_t path[units],
                             double missed[texts], double sums[width], double gain[width],
                             uint8_t came[units * GRAPHLANG_SEGMENTS_STATES], uint8_t way[units], uint8_t kept[units],
                             graphlang_fault *fault);
#endif
