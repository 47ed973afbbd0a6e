/* Walks over sorted lists of links: what numpy cannot do without copying every link several times.
 *
 * Plain C11, no state, no allocation. Pages are 0..n-1. The targets of page p are target[start[p]..start[p+1]) and the
 * pages that link to it origin[into[p]..into[p+1]), both ascending. The caller (native.py) sees to shapes and types;
 * page numbers are checked here.
 */
#include <stdint.h>

#define API __attribute__((visibility("default")))

/* 1 where the links are sorted by source, then target, without duplicates and self-links. */
API int graphlang_canonical(int64_t links, const int32_t *source, const int32_t *target) {
    for (int64_t i = 0; i < links; i++) {
        if (source[i] == target[i]) return 0;
        if (i && (source[i] < source[i - 1] || (source[i] == source[i - 1] && target[i] <= target[i - 1]))) return 0;
    }
    return 1;
}

/* Fill origin: the sources of the links that lead to each page. next holds a copy of into and is used up.
 * Returns 0 at a page outside 0..n-1, or where into does not count the links. */
API int graphlang_origins(int64_t pages, int64_t links, const int32_t *source, const int32_t *target, int64_t *next,
                          int32_t *origin) {
    for (int64_t i = 0; i < links; i++) {
        int32_t page = target[i];
        if (page < 0 || page >= pages) return 0;
        int64_t at = next[page]++;
        if (at < 0 || at >= links) return 0;
        origin[at] = source[i];
    }
    return 1;
}

/* back[i] = 1 where the target of link i links back to its source. */
API void graphlang_reciprocal(int64_t pages, const int64_t *start, const int32_t *target, const int64_t *into,
                              const int32_t *origin, uint8_t *back) {
    for (int64_t page = 0; page < pages; page++) {
        int64_t i = start[page], j = into[page], end = start[page + 1], stop = into[page + 1];
        while (i < end && j < stop) {
            int32_t to = target[i], from = origin[j];
            back[i] = to == from; /* a later round of this loop may look at link i again, and is then right */
            i += to <= from;
            j += from <= to;
        }
    }
}

static int32_t shared(const int32_t *a, int64_t in_a, const int32_t *b, int64_t in_b) {
    int64_t i = 0, j = 0;
    int32_t count = 0;
    while (i < in_a && j < in_b) {
        int32_t x = a[i], y = b[j];
        count += x == y;
        i += x <= y;
        j += y <= x;
    }
    return count;
}

/* For pairs of pages (s, t): common targets, common sources, paths from s over one page to t; three numbers a pair.
 * Lists longer than longest are taken to be empty. Returns 0 at a page outside 0..n-1. */
API int graphlang_common(int64_t pages, int64_t pairs, const int32_t *s, const int32_t *t, const int64_t *start,
                         const int32_t *target, const int64_t *into, const int32_t *origin, int64_t longest,
                         int32_t *counts) {
    for (int64_t i = 0; i < pairs; i++) {
        int32_t a = s[i], b = t[i];
        if (a < 0 || b < 0 || a >= pages || b >= pages) return 0;
        int64_t out_a = start[a + 1] - start[a], out_b = start[b + 1] - start[b];
        int64_t in_a = into[a + 1] - into[a], in_b = into[b + 1] - into[b];
        if (out_a > longest) out_a = 0;
        if (out_b > longest) out_b = 0;
        if (in_a > longest) in_a = 0;
        if (in_b > longest) in_b = 0;
        counts[3 * i] = shared(target + start[a], out_a, target + start[b], out_b);
        counts[3 * i + 1] = shared(origin + into[a], in_a, origin + into[b], in_b);
        counts[3 * i + 2] = shared(target + start[a], out_a, origin + into[b], in_b);
    }
    return 1;
}
