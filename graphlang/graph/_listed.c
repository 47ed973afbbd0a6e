/* What stands beside each page in the lists that name it (listed.py).
 *
 * Plain C11, no state, no allocation. The caller sees to shapes and types; pages, hosts and labels are checked here.
 */
#include <stdint.h>
#include <stdlib.h>

#define API __attribute__((visibility("default")))

typedef struct {
    int64_t pages, links, hosts, languages, far;
    const int64_t *start;   /* page p's links are start[p]..start[p+1] */
    const int32_t *target;
    const int16_t *place;   /* of each link on its page, below 0 where it is not known */
    const int32_t *host;    /* of each page */
    const int16_t *label;   /* of each page, below 0 where it is not certain */
    const uint8_t *several; /* of each host: whether its lists count */
} Lists;

static int ascending(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Put the links of page p where their places are, if these leave hardly a gap; 0 if there is no room for one. */
static int laid_out(const Lists *all, int64_t begin, int64_t end, int64_t *found) {
    for (int64_t i = 0; i < end - begin; i++) found[i] = -1;
    for (int64_t i = begin; i < end; i++) {
        int16_t place = all->place[i];
        if (place < 0) continue;
        if (place >= end - begin || found[place] >= 0) return 0;
        found[place] = i;
    }
    return 1;
}

/* The links of page p to pages of its own host, in the order of their places, then of their numbers.
 * Returns how many there are, -1 at what is not there. */
static int64_t list(const Lists *all, int64_t p, int64_t *found, int64_t room) {
    int64_t begin = all->start[p], end = all->start[p + 1], count = 0;
    if (begin < 0 || end < begin || end > all->links || end - begin > room) return -1;
    int64_t most = end - begin;
    if (!laid_out(all, begin, end, found)) {
        most = 0;
        for (int64_t i = begin; i < end; i++)
            if (all->place[i] >= 0) found[most++] = ((int64_t)all->place[i] << 40) | (i - begin);
        qsort(found, (size_t)most, sizeof *found, ascending);
        for (int64_t i = 0; i < most; i++) found[i] = begin + (found[i] & 0xFFFFFFFFFF);
    }
    for (int64_t i = 0; i < most; i++) {
        if (found[i] < 0) continue;
        int32_t t = all->target[found[i]];
        if (t < 0 || t >= all->pages) return -1;
        if (all->host[t] == all->host[p]) found[count++] = found[i];
    }
    return count;
}

/* page: the pages that lists name, list by list; key: the number of the context that each has there, what comes before
 * it or, backwards, behind it: host, distance to the nearest certain page of the list or its end, and its language.
 * Both have room for all links, found for the links of any page. Returns how many there are, -1 at what is not there. */
API int64_t graphlang_contexts(const Lists *all, int backwards, int64_t *found, int64_t room, int32_t *page, int64_t *key) {
    int64_t done = 0;
    for (int64_t p = 0; p < all->pages; p++) {
        int32_t host = all->host[p];
        if (host < 0 || host >= all->hosts) return -1;
        if (!all->several[host]) continue;
        int64_t count = list(all, p, found, room);
        if (count < 0) return -1;
        int64_t distance = 0, language = all->languages; /* of the end of the list */
        for (int64_t j = 0; j < count; j++) {
            int32_t t = all->target[found[backwards ? count - 1 - j : j]];
            if (distance < all->far) distance++;
            page[done] = t;
            key[done++] = ((int64_t)host * all->far + distance - 1) * (all->languages + 1) + language;
            if (all->label[t] >= all->languages) return -1;
            if (all->label[t] >= 0) {
                language = all->label[t];
                distance = 0;
            }
        }
    }
    return done;
}
