/* Definitions for all kernels; see `graphlang/native/build.py`. C compilers read this file, and so does cffi, without the
   preprocessor directives. */
#ifndef GRAPHLANG_KERNEL_H
#define GRAPHLANG_KERNEL_H
#include <stdint.h>

/* Mark a parameter that may be None in Python, NULL in C. */
#define OPTIONAL

/* Status of a kernel that fails; all other results are 0 or more. */
enum {
  GRAPHLANG_NO_MEMORY = -1,
  GRAPHLANG_OUT_OF_RANGE = -2,
  GRAPHLANG_NOT_FINITE = -3,
  GRAPHLANG_WRONG_SIZE = -4 /* the size of an array does not fit the content of others */
};

/* The number that a kernel refuses. The binding makes one for each call and puts it into the error message. */
typedef struct {
  const char *array;
  int64_t index, value, least, most;
} graphlang_fault;

/* return GRAPHLANG_REFUSE(fault, "target", n, target[n], 0, pages - 1); */
#define GRAPHLANG_REFUSE(fault, array, index, value, least, most) \
  (*(fault) = (graphlang_fault){(array), (int64_t)(index), (int64_t)(value), (int64_t)(least), (int64_t)(most)}, \
   GRAPHLANG_OUT_OF_RANGE)

/* return GRAPHLANG_REFUSE_NUMBER(fault, "scores", n); where scores[n] is infinite or not a number */
#define GRAPHLANG_REFUSE_NUMBER(fault, array, index) \
  (*(fault) = (graphlang_fault){(array), (int64_t)(index), 0, 0, 0}, GRAPHLANG_NOT_FINITE)

#endif
