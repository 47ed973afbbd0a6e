#include "url_sums.h"

#include <math.h>

#define INLINE static inline __attribute__((always_inline))
#define SOON 16 /* features, before their rows are looked up */
#define LINE 64 /* bytes */

/* The same code for machines with wider vectors, chosen when the library is loaded. Nothing is contracted or reordered,
   so that both give the same answers. Sanitisers are not ready when it is chosen. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

/* own += factor * weights */
INLINE void add(float *restrict own, const int8_t *restrict weights, float factor, int64_t labels)
{
    for (int64_t j = 0; j < labels; j++)
        own[j] += factor * (float)weights[j];
}

WIDE
int graphlang_url_sums_add(int64_t urls, int64_t features, int64_t buckets, int64_t rows, int64_t labels,
                           const int64_t *bucket, const int64_t *first, const int32_t *row, const int8_t *weights,
                           double enough, float *own, float *sums, int64_t *known, graphlang_fault *fault)
{
    for (int64_t u = 0; u < urls; u++) {
        int64_t begin = first[u], end = first[u + 1], here = 0;
        if (begin < 0 || begin > features)
            return GRAPHLANG_REFUSE(fault, "first", u, begin, 0, features);
        if (end < begin || end > features)
            return GRAPHLANG_REFUSE(fault, "first", u + 1, end, begin, features);
        for (int64_t i = begin; i < end; i++) {
            if (i + SOON < features && bucket[i + SOON] >= 0 && bucket[i + SOON] < buckets)
                __builtin_prefetch(row + bucket[i + SOON]);
            if (bucket[i] < 0 || bucket[i] >= buckets)
                return GRAPHLANG_REFUSE(fault, "bucket", i, bucket[i], 0, buckets - 1);
            int64_t found = row[bucket[i]];
            if (found < 0 || found > rows)
                return GRAPHLANG_REFUSE(fault, "row", bucket[i], found, 0, rows);
            here += found != 0;
            for (int64_t j = 0; found && j < labels; j += LINE)
                __builtin_prefetch(weights + (found - 1) * labels + j);
        }
        if (!here)
            continue;
        known[u] += here;
        float factor = (double)here > enough ? sqrtf((float)(enough / (double)here)) : 1.0f;
        for (int64_t j = 0; j < labels; j++)
            own[j] = 0.0f;
        for (int64_t i = begin; i < end; i++) {
            int64_t found = row[bucket[i]];
            if (found)
                add(own, weights + (found - 1) * labels, factor, labels);
        }
        for (int64_t j = 0; j < labels; j++)
            sums[u * labels + j] += own[j];
    }
    return 0;
}
