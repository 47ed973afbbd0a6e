/* How much each link weighs: no more than a whole, and as much as adding up says. */
#include "graph.h"
#include KERNEL_GRAPH_DEGREE_CAP

HARNESS_BEGIN

static double expected(const Links *all, const int32_t *host, const float *coupling, int64_t page, int32_t there,
                       double degree) {
  double sum = 0;
  for (int64_t n = all->start[page]; n < all->start[page + 1]; n++)
    if (host[all->target[n]] == there) sum += (double)coupling[n];
  for (int64_t n = all->into[page]; n < all->into[page + 1]; n++)
    if (host[all->origin[n]] == there) sum += (double)coupling[all->order[n]];
  return sum > degree ? degree / sum : 1;
}

void fuzz_degree_cap(Input *in) {
  uint8_t how = byte(in);
  Links all = sound_links(in);
  int64_t hosts = 1 + below(in, 6), first = 0, last = all.pages, finite = 1;
  int32_t *host = numbers32(in, all.pages, hosts);
  float *coupling = floats(in, all.links, how & 1), *to_target = array(all.links, 4), *to_source = array(all.links, 4);
  double degree = (double)byte(in) / 64, *sums = array(hosts, 8), *page = array(all.pages, 8);
  uint8_t *receives = how & 4 ? array(all.pages, 1) : NULL;
  for (int64_t n = 0; receives && n < all.pages; n++) receives[n] = byte(in) & 1;
  graphlang_fault fault;
  memset(sums, 0, (size_t)hosts * 8);
  if (how & 2) {
    damage64(in, all.start, all.pages + 1, all.links + 1);
    damage64(in, all.into, all.pages + 1, all.links + 1);
    damage32(in, all.order, all.links, all.links);
    damage32(in, all.source, all.links, all.pages);
    damage32(in, all.target, all.links, all.pages);
    damage32(in, host, all.pages, hosts);
    first = damaged(in, all.pages);
    last = damaged(in, all.pages + 1);
  }
  for (int64_t n = 0; n < all.links && !(how & 2); n++)
    if (!receives || receives[all.source[n]] || receives[all.target[n]]) finite &= isfinite(coupling[n]) != 0;
  int done = graphlang_degree_cap((uint64_t)all.pages, (uint64_t)all.links, (uint64_t)hosts, (uint64_t)first,
                                  (uint64_t)last, degree, all.start, all.into, all.order, all.source, all.target, host,
                                  coupling, receives, sums, to_target, to_source, page, &fault);
  if (how & 2) return;
  CHECK(finite ? done == 1 : done == GRAPHLANG_NOT_FINITE && !isfinite(coupling[fault.index]));
  if (!finite) return;
  for (int64_t n = 0; n < hosts; n++) CHECK(sums[n] == 0);
  if (how & 1) return;
  for (int64_t n = 0; n < all.links; n++) {
    double to = expected(&all, host, coupling, all.target[n], host[all.source[n]], degree);
    double from = expected(&all, host, coupling, all.source[n], host[all.target[n]], degree);
    if (!receives || receives[all.target[n]]) CHECK(fabs((double)to_target[n] - to) < 1e-5);
    if (!receives || receives[all.source[n]]) CHECK(fabs((double)to_source[n] - from) < 1e-5);
  }
  for (int64_t p = 0; p < all.pages; p++) CHECK((receives && !receives[p]) || (page[p] >= 0 && page[p] <= 1));
}

HARNESS_END
