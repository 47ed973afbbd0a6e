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

static int32_t root(int32_t *parent, int32_t page) {
    while (parent[page] != page) page = parent[page] = parent[parent[page]];
    return page;
}

/* heard[p] = 1 for the silent pages that some chain of links, whatever their direction, joins to one that is not silent.
 * parent: room for a number of each page and one more. Returns 0 at a page outside 0..pages-1. */
API int graphlang_reached(int64_t pages, int64_t links, const int32_t *source, const int32_t *target,
                          const uint8_t *silent, int32_t *parent, uint8_t *heard) {
    for (int64_t page = 0; page <= pages; page++) parent[page] = (int32_t)page;
    for (int64_t i = 0; i < links; i++) {
        int32_t a = source[i], b = target[i];
        if (a < 0 || b < 0 || a >= pages || b >= pages) return 0;
        if (!silent[a] && !silent[b]) continue;
        a = root(parent, silent[a] ? a : (int32_t)pages); /* all that are not silent count as one */
        b = root(parent, silent[b] ? b : (int32_t)pages);
        parent[a < b ? a : b] = a < b ? b : a; /* so that this one stays a root */
    }
    for (int64_t page = 0; page < pages; page++) heard[page] = silent[page] && root(parent, (int32_t)page) == pages;
    return 1;
}
