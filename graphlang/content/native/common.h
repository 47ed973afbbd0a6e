/* Definitions for the kernels of this folder. */
#ifndef GRAPHLANG_CONTENT_COMMON_H
#define GRAPHLANG_CONTENT_COMMON_H

#define SPACE 0x20u
#define INLINE static inline __attribute__((always_inline))

/* Compile a function also for wider vectors; the loader chooses the version for the processor. Floating-point operations are
   not contracted or reordered, so all versions give the same results. Sanitisers are not initialised early enough. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#endif
