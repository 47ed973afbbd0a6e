/* How much each link counts (shares.py): the bonds of the neighbours of a page, summed up host by host.
 *
 * Plain C11, no state, no allocation. The caller sees to shapes and types; pages, links and hosts are checked here.
 */
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef struct {
    int64_t pages, links, hosts;
    const int64_t *start;           /* page p's outlinks are start[p]..start[p+1] */
    const int64_t *into;            /* its inlinks are order[into[p]..into[p+1]] */
    const int32_t *order;
    const int32_t *source, *target; /* of each link, sorted by source */
    const int32_t *host;            /* of each page */
    const float *bond;              /* of each link */
} Neighbours;

static int sound(const Neighbours *all, const int64_t *bounds, int64_t page) {
    return bounds[page] >= 0 && bounds[page] <= bounds[page + 1] && bounds[page + 1] <= all->links;
}

/* The host at the other end of a link; -1 where there is none. */
static int64_t there(const Neighbours *all, const int32_t *ends, int64_t link) {
    if (link < 0 || link >= all->links || ends[link] < 0 || ends[link] >= all->pages) return -1;
    int32_t host = all->host[ends[link]];
    return host < all->hosts ? host : -1;
}

static double factor(double sum, double degree) {
    return sum > degree ? degree / sum : 1;
}

/* Of the links to and from the pages from first up to last: along: the share of the message to each link's target, against: of the one back to its source, page: of all that a
 * page hears. sums: one zero for each host, zero again afterwards. Returns 0 at what is not there. */
API int graphlang_shares(const Neighbours *all, int64_t first, int64_t last, double degree, double *sums, float *along,
                         float *against, double *page) {
    if (first < 0 || last > all->pages) return 0;
    for (int64_t p = first; p < last; p++) {
        if (!sound(all, all->start, p) || !sound(all, all->into, p)) return 0;
        for (int64_t i = all->start[p]; i < all->start[p + 1]; i++) {
            int64_t host = there(all, all->target, i);
            if (host < 0) return 0;
            sums[host] += (double)all->bond[i];
        }
        for (int64_t i = all->into[p]; i < all->into[p + 1]; i++) {
            int64_t host = there(all, all->source, all->order[i]);
            if (host < 0) return 0;
            sums[host] += (double)all->bond[all->order[i]];
        }
        double total = 0;
        for (int64_t i = all->start[p]; i < all->start[p + 1]; i++) {
            against[i] = (float)factor(sums[all->host[all->target[i]]], degree);
            total += (double)against[i] * (double)all->bond[i];
        }
        for (int64_t i = all->into[p]; i < all->into[p + 1]; i++) {
            int32_t link = all->order[i];
            along[link] = (float)factor(sums[all->host[all->source[link]]], degree);
            total += (double)along[link] * (double)all->bond[link];
        }
        for (int64_t i = all->start[p]; i < all->start[p + 1]; i++) sums[all->host[all->target[i]]] = 0;
        for (int64_t i = all->into[p]; i < all->into[p + 1]; i++) sums[all->host[all->source[all->order[i]]]] = 0;
        page[p] = factor(total, degree);
    }
    return 1;
}
