/* Included behind a kernel; see failing.h. No include guard: each kernel needs it. */
#undef malloc
#undef calloc
#undef realloc
