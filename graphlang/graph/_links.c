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

/* Add to counts how often each page is an end. Returns 0 at a page outside 0..pages-1. */
API int graphlang_count(int64_t links, int64_t pages, const int32_t *ends, int64_t *counts) {
    for (int64_t i = 0; i < links; i++) {
        if (ends[i] < 0 || ends[i] >= pages) return 0;
        counts[ends[i]]++;
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

/* Fill order: the numbers of the links that lead to each page. next as above. Returns 0 likewise. */
API int graphlang_order(int64_t pages, int64_t links, const int32_t *target, int64_t *next, int32_t *order) {
    for (int64_t i = 0; i < links; i++) {
        int32_t page = target[i];
        if (page < 0 || page >= pages) return 0;
        int64_t at = next[page]++;
        if (at < 0 || at >= links) return 0;
        order[at] = (int32_t)i;
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
