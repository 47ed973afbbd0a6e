/* How the kernels of this folder check numbers that they use as indices, and what they look up with them ahead. */
#ifndef GRAPHLANG_CHECKS_H
#define GRAPHLANG_CHECKS_H
#include "kernel.h"

/* Whether a signed number is one of 0..size-1. */
#define IS_INDEX(value, size) ((value) >= 0 && (uint64_t)(value) < (size))

/* Ask for what lies at an address before it is needed: nothing depends on it but how long a loop waits. */
#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

/* Return unless the list between two neighbouring bounds lies within `size` entries. */
#define REFUSE_BOUNDS(fault, bounds, at, size) \
  do { \
    if ((bounds)[at] < 0 || (uint64_t)(bounds)[at] > (size)) \
      return GRAPHLANG_REFUSE(fault, #bounds, at, (bounds)[at], 0, size); \
    if ((bounds)[(at) + 1] < (bounds)[at] || (uint64_t)(bounds)[(at) + 1] > (size)) \
      return GRAPHLANG_REFUSE(fault, #bounds, (at) + 1, (bounds)[(at) + 1], (bounds)[at], size); \
  } while (0)

#endif
