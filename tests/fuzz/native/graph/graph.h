/* A graph as the kernels get it, sound or with some numbers that a damaged database might have. */
#ifndef GRAPHLANG_FUZZ_GRAPH_H
#define GRAPHLANG_FUZZ_GRAPH_H

#include <math.h>

#include "../harness.h"

/* A kernel does what it is asked to, or refuses a number. */
#define CHECK_DONE(done, sound) CHECK((done) == ((sound) ? 1 : GRAPHLANG_OUT_OF_RANGE))

/* What was refused is what stands there, and is out of range. */
#define CHECK_FAULT(name, numbers, count)                                                        \
  CHECK(!strcmp(fault.array, name) && fault.index >= 0 && fault.index < (count) &&               \
        fault.value == (int64_t)(numbers)[fault.index] && (fault.value < fault.least || fault.value > fault.most))

HARNESS_BEGIN

enum { MOST_PAGES = 40, MOST_LINKS = 200 };

typedef struct {
  int64_t pages, links;
  int32_t *source, *target; /* of each link: sorted by source, then target, without duplicates and self-links */
  int64_t *start, *into;    /* pages + 1 bounds */
  int32_t *origin, *order;  /* sources, and numbers, of the links sorted by target */
} Links;

/* Two bytes for the sizes, then two for each link. */
static inline Links sound_links(Input *in) {
  Links all = {.pages = 1 + below(in, MOST_PAGES)};
  uint8_t linked[MOST_PAGES][MOST_PAGES] = {0};
  int64_t wanted = below(in, MOST_LINKS), at = 0;
  for (int64_t n = 0; n < wanted && left(in); n++) {
    int64_t s = below(in, all.pages), t = below(in, all.pages);
    all.links += s != t && !linked[s][t];
    linked[s][t] = s != t;
  }
  all.source = array(all.links, 4);
  all.target = array(all.links, 4);
  all.origin = array(all.links, 4);
  all.order = array(all.links, 4);
  all.start = array(all.pages + 1, 8);
  all.into = array(all.pages + 1, 8);
  for (int64_t s = 0; s < all.pages; s++) {
    all.start[s] = at;
    for (int64_t t = 0; t < all.pages; t++)
      if (linked[s][t]) {
        all.source[at] = (int32_t)s;
        all.target[at++] = (int32_t)t;
      }
  }
  all.start[all.pages] = at;
  at = 0;
  for (int64_t t = 0; t < all.pages; t++) {
    all.into[t] = at;
    for (int64_t n = 0; n < all.links; n++)
      if (all.target[n] == t) {
        all.origin[at] = all.source[n];
        all.order[at++] = (int32_t)n;
      }
  }
  all.into[all.pages] = at;
  return all;
}

/* Make up to three numbers of an array something else. */
static inline void damage32(Input *in, int32_t *numbers, int64_t count, int64_t limit) {
  for (int64_t n = below(in, 4); n > 0 && count; n--) {
    int64_t at = below(in, count);
    numbers[at] = (int32_t)damaged(in, limit);
  }
}

static inline void damage64(Input *in, int64_t *numbers, int64_t count, int64_t limit) {
  for (int64_t n = below(in, 4); n > 0 && count; n--) {
    int64_t at = below(in, count);
    numbers[at] = damaged(in, limit);
  }
}

static inline int32_t *numbers32(Input *in, int64_t count, int64_t limit) {
  int32_t *found = array(count, 4);
  for (int64_t n = 0; n < count; n++) found[n] = (int32_t)below(in, limit);
  return found;
}

static inline float *floats(Input *in, int64_t count, int odd) {
  float *found = array(count, 4);
  for (int64_t n = 0; n < count; n++) found[n] = odd ? any_float(in) : (float)byte(in) / 255;
  return found;
}

HARNESS_END

#endif
