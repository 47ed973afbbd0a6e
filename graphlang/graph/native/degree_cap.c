#include "degree_cap.h"

#include <math.h>
#include <stddef.h>

#include "checks.h"

enum { KEPT = 256 /* links of a page whose other host is cached */ };

typedef struct {
  uint64_t pages, links, hosts;
  const int32_t *host;
  const float *coupling;
  double *sums;
  graphlang_fault *fault;
} Sums;

/* Add the coupling of a link to the sum of the host at its other end. */
static int add(const Sums *all, const char *name, const int32_t *ends, int64_t link) {
  int32_t page = ends[link];
  if (!IS_INDEX(page, all->pages)) return GRAPHLANG_REFUSE(all->fault, name, link, page, 0, (int64_t)all->pages - 1);
  int32_t host = all->host[page];
  if (!IS_INDEX(host, all->hosts)) return GRAPHLANG_REFUSE(all->fault, "host", page, host, 0, (int64_t)all->hosts - 1);
  if (!isfinite(all->coupling[link])) return GRAPHLANG_REFUSE_NUMBER(all->fault, "coupling", link);
  all->sums[host] += (double)all->coupling[link];
  return 1;
}

static double capped(double sum, double degree) { return sum > degree ? degree / sum : 1; }

/* The host at the other end of a link of a page; cached for the first links, to avoid random accesses. */
static int32_t host_of(const Sums *all, const int32_t *seen_targets, const int32_t *ends, const int32_t *order, int64_t begin,
                       int64_t i) {
  return i - begin < KEPT ? seen_targets[i - begin] : all->host[ends[order ? order[i] : i]];
}

int graphlang_degree_cap(uint64_t pages, uint64_t links, uint64_t hosts, uint64_t first, uint64_t last, double degree,
                         const int64_t *out_start, const int64_t *in_start, const int32_t *in_order,
                         const int32_t *source, const int32_t *target, const int32_t *host, const float *coupling,
                         const uint8_t *receives, double *sums, float *to_target, float *to_source, double *page,
                         graphlang_fault *fault) {
  Sums all = {pages, links, hosts, host, coupling, sums, fault};
  int32_t targets[KEPT], sources[KEPT];
  if (last > pages) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, pages);
  for (uint64_t p = first; p < last; p++) {
    int done;
    if (receives && !receives[p]) continue;
    REFUSE_BOUNDS(fault, out_start, p, links);
    REFUSE_BOUNDS(fault, in_start, p, links);
    int64_t begin = out_start[p], end = out_start[p + 1], from = in_start[p], to = in_start[p + 1];
    for (int64_t i = begin; i < end; i++) {
      if ((done = add(&all, "target", target, i)) < 0) return done;
      if (i - begin < KEPT) targets[i - begin] = host[target[i]];
    }
    for (int64_t i = from; i < to; i++) {
      if (!IS_INDEX(in_order[i], links))
        return GRAPHLANG_REFUSE(fault, "in_order", i, in_order[i], 0, (int64_t)links - 1);
      if ((done = add(&all, "source", source, in_order[i])) < 0) return done;
      if (i - from < KEPT) sources[i - from] = host[source[in_order[i]]];
    }
    double total = 0;
    for (int64_t i = begin; i < end; i++) {
      to_source[i] = (float)capped(sums[host_of(&all, targets, target, NULL, begin, i)], degree);
      total += (double)to_source[i] * (double)coupling[i];
    }
    for (int64_t i = from; i < to; i++) {
      int32_t link = in_order[i];
      to_target[link] = (float)capped(sums[host_of(&all, sources, source, in_order, from, i)], degree);
      total += (double)to_target[link] * (double)coupling[link];
    }
    for (int64_t i = begin; i < end; i++) sums[host_of(&all, targets, target, NULL, begin, i)] = 0;
    for (int64_t i = from; i < to; i++) sums[host_of(&all, sources, source, in_order, from, i)] = 0;
    page[p] = capped(total, degree);
  }
  return 1;
}
