/* What every kernel shares; see `graphlang/native/build.py`. Read by C compilers and, without the lines that begin with
   a number sign, by cffi. */
#ifndef GRAPHLANG_KERNEL_H
#define GRAPHLANG_KERNEL_H
#include <stdint.h>

/* Marks a parameter for which None may be given, and is NULL then. */
#define OPTIONAL

/* What kernels return when they fail; all else is 0 or more. */
enum {
  GRAPHLANG_NO_MEMORY = -1,
  GRAPHLANG_OUT_OF_RANGE = -2,
  GRAPHLANG_NOT_FINITE = -3,
  GRAPHLANG_WRONG_SIZE = -4 /* an array is shorter or longer than the content of others says */
};

/* The number that a kernel refuses. The binding makes one for each call, and its error says what stands here. */
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
