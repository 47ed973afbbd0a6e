/* The parts of harness.h, and what libFuzzer (or replay.c) calls. */
#include "harness.h"

#include <math.h>

HARNESS_BEGIN

static void **arrays;
static size_t arrays_count, arrays_room;

void *array(int64_t count, size_t width) {
  size_t size = (size_t)count * width;
  void *memory = malloc(size ? size : 1);
  if (arrays_count == arrays_room) {
    arrays_room = arrays_room ? 2 * arrays_room : 64;
    arrays = realloc(arrays, arrays_room * sizeof *arrays);
  }
  if (!memory || !arrays) abort();
  arrays[arrays_count++] = memory;
  return memset(memory, 0xA5, size);
}

void *copy(const void *data, int64_t count, size_t width) {
  void *memory = array(count, width);
  if (count) memcpy(memory, data, (size_t)count * width);
  return memory;
}

int64_t damaged(Input *in, int64_t limit) {
  static const int64_t odd[] = {-1, INT32_MAX, (int64_t)INT32_MAX + 1, INT32_MIN, (int64_t)1 << 40, INT64_MIN, INT64_MAX};
  int64_t value = below(in, limit > 15 ? limit : 15);
  if (value % 16 != 15) return limit > 0 ? value % limit : 0;
  uint8_t which = byte(in);
  return which % 8 == 7 ? limit + which / 8 % 2 : odd[which % 8];
}

float any_float(Input *in) {
  static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-42f, -0.0f, 1e-20f};
  uint8_t value = byte(in);
  return value >= 248 ? odd[value - 248] : ((float)value - 124) / 8;
}

Input section(Input *in, uint8_t separator) {
  const uint8_t *stop = left(in) ? memchr(in->at, separator, (size_t)left(in)) : NULL;
  Input found = {in->at, stop ? stop : in->end};
  in->at = stop ? stop + 1 : in->end;
  return found;
}

/* ---- allocations ---- */

static int64_t until_failure = -1, failures; /* below 0: none fails */
static int fails_once;

void fail_allocations(int64_t first, int once) {
  until_failure = first;
  fails_once = once;
  failures = 0;
}

void allow_allocations(void) {
  until_failure = -1;
  failures = 0;
}

int64_t failed_allocations(void) {
  return failures;
}

static int fails(void) {
  if (until_failure < 0) return 0;
  if (until_failure > 0) {
    until_failure--;
    return 0;
  }
  if (fails_once) until_failure = -1;
  failures++;
  return 1;
}

void *failing_malloc(size_t size) {
  return fails() ? NULL : malloc(size);
}

void *failing_calloc(size_t count, size_t size) {
  return fails() ? NULL : calloc(count, size);
}

void *failing_realloc(void *memory, size_t size) {
  return fails() ? NULL : realloc(memory, size);
}

/* ---- one input ---- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input in = {data, data + size};
  allow_allocations();
  harnesses[byte(&in) % harness_count](&in);
  while (arrays_count) free(arrays[--arrays_count]);
  return 0;
}

HARNESS_END
