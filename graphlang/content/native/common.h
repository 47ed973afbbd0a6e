/* What the kernels of this room share. */
#ifndef GRAPHLANG_CONTENT_COMMON_H
#define GRAPHLANG_CONTENT_COMMON_H

#define SPACE 0x20u
#define INLINE static inline __attribute__((always_inline))

/* The same code for machines with wider vectors, chosen when the library is loaded. No operation of floating point is
   contracted or reordered, so that all of them give the same answers. Sanitisers are not ready when it is chosen. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif
