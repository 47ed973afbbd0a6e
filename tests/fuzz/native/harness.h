/* What the harnesses share: the input as numbers, arrays of exactly the size asked for, allocations that fail.

   An input is a byte that chooses a harness of its target, then whatever that harness reads; behind its end all is 0. */
#ifndef GRAPHLANG_FUZZ_HARNESS_H
#define GRAPHLANG_FUZZ_HARNESS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What stands between these is not counted as covered, and does not lead the fuzzer: the checks are not what is tested. */
#ifdef __clang__
#define HARNESS_BEGIN _Pragma("clang attribute push(__attribute__((no_sanitize(\"coverage\"))), apply_to = function)")
#define HARNESS_END _Pragma("clang attribute pop")
#else
#define HARNESS_BEGIN
#define HARNESS_END
#endif

HARNESS_BEGIN

typedef struct {
  const uint8_t *at, *end;
} Input;

typedef void (*Harness)(Input *);

/* Of the target; each has a file that defines them. */
extern const Harness harnesses[];
extern const size_t harness_count;

/* Stop at a property that does not hold. */
#define CHECK(property)                                                                    \
  do {                                                                                     \
    if (!(property)) {                                                                     \
      fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #property);        \
      abort();                                                                             \
    }                                                                                      \
  } while (0)

static inline int64_t left(const Input *in) {
  return in->end - in->at;
}

static inline uint8_t byte(Input *in) {
  return in->at < in->end ? *in->at++ : 0;
}

/* A number from 0 to limit - 1. */
static inline int64_t below(Input *in, int64_t limit) {
  int64_t value = byte(in);
  if (limit > 256) value = value << 8 | byte(in);
  return limit > 0 ? value % limit : 0;
}

/* A number from 0 to limit - 1, and in one of sixteen cases one that a damaged database or model might have. */
int64_t damaged(Input *in, int64_t limit);

/* A float: mostly small ones, sometimes one that is not finite, or nearly. */
float any_float(Input *in);

/* The bytes up to a separator, or the end; the input stands behind it then. */
Input section(Input *in, uint8_t separator);

/* Memory of exactly this size, filled with 0xA5, until the input is done. An array of no elements is not NULL. */
void *array(int64_t count, size_t width);

/* A copy of exactly this size. */
void *copy(const void *data, int64_t count, size_t width);

/* ---- allocations of a kernel: failing.h puts these in the place of the C library's ---- */

/* Which allocations fail from here on: those from number `first` (0 is the next one) on, or only that one. */
void fail_allocations(int64_t first, int once);
void allow_allocations(void);
/* How many failed since the last of the two. */
int64_t failed_allocations(void);

void *failing_malloc(size_t size);
void *failing_calloc(size_t count, size_t size);
void *failing_realloc(void *memory, size_t size);

HARNESS_END

#endif
