/* Checks of numbers that kernels of this folder use as indices, and prefetching. */
#ifndef GRAPHLANG_CHECKS_H
#define GRAPHLANG_CHECKS_H
#include "kernel.h"

/* True if a signed number is in 0..size-1. */
#define IS_INDEX(value, size) ((value) >= 0 && (uint64_t)(value) < (size))

/* Prefetch an address; this affects only the speed. */
#if defined(__GNUC__)
#define FETCH(address) __builtin_prefetch(address)
#else
#define FETCH(address) ((void)(address))
#endif

/* Return an error unless the list between two consecutive bounds is within `size` entries. */
#define REFUSE_BOUNDS(fault, bounds, at, size) \
  do { \
    if ((bounds)[at] < 0 || (uint64_t)(bounds)[at] > (size)) \
      return GRAPHLANG_REFUSE(fault, #bounds, at, (bounds)[at], 0, size); \
    if ((bounds)[(at) + 1] < (bounds)[at] || (uint64_t)(bounds)[(at) + 1] > (size)) \
      return GRAPHLANG_REFUSE(fault, #bounds, (at) + 1, (bounds)[(at) + 1], (bounds)[at], size); \
  } while (0)

#endif
