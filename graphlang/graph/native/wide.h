/* Compilation of loops over floating-point numbers in this folder. */
#ifndef GRAPHLANG_WIDE_H
#define GRAPHLANG_WIDE_H

/* The same code for machines with wider vectors, chosen when the library is loaded; no sum is reordered. Sanitisers are
   not ready when it is chosen. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#define INLINE static inline __attribute__((always_inline))
#else
#define WIDE
#define INLINE static
#endif

#endif
