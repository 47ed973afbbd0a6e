/* The features of links, held against counting; and any number of a link. */
#include "graph.h"
#include KERNEL_GRAPH_EDGE_FEATURES

typedef struct {
  int64_t longest;
  const uint8_t *back;
  const float *out_degree, *in_degree, *logs;
} Wanted;

HARNESS_BEGIN

static int64_t in_common(const int32_t *one, int64_t ones, const int32_t *other, int64_t others, int64_t longest) {
  int64_t found = 0;
  if (ones > longest || others > longest) return 0;
  for (int64_t i = 0; i < ones; i++)
    for (int64_t j = 0; j < others; j++) found += one[i] == other[j];
  return found;
}

static void check_features(const Links *all, const Wanted *given, int32_t link, const float *x) {
  int32_t s = all->source[link], t = all->target[link];
  const int32_t *outs[2] = {all->target + all->start[s], all->target + all->start[t]};
  const int32_t *ins[2] = {all->origin + all->into[s], all->origin + all->into[t]};
  int64_t out[2] = {all->start[s + 1] - all->start[s], all->start[t + 1] - all->start[t]};
  int64_t into[2] = {all->into[s + 1] - all->into[s], all->into[t + 1] - all->into[t]};
  int64_t counts[3] = {in_common(outs[0], out[0], outs[1], out[1], given->longest),
                       in_common(ins[0], into[0], ins[1], into[1], given->longest),
                       in_common(outs[0], out[0], ins[1], into[1], given->longest)};
  for (int n = 0; n < 3; n++) CHECK(x[9 + n] == given->logs[counts[n]]);
  CHECK(x[0] == (float)given->back[link] && x[1] == given->out_degree[s] && x[2] == given->in_degree[t]);
  CHECK(x[12] >= 0 && x[12] <= 1 && x[13] >= 0 && x[13] <= 1);
  CHECK((x[12] > 0) == (counts[0] > 0) && (x[13] > 0) == (counts[1] > 0));
}

void fuzz_edge_features(Input *in) {
  uint8_t how = byte(in);
  Links all = sound_links(in);
  int64_t longest = below(in, 12), count = below(in, 40), hurt = 0;
  uint8_t *back = array(all.links, 1), *mark = array(all.pages, 1);
  for (int64_t n = 0; n < all.links; n++) back[n] = byte(in) & 1;
  float *outdegree = array(all.pages, 4), *indegree = array(all.pages, 4), *mutual = floats(in, all.pages, how & 1);
  float *logs = array(longest + 1, 4);
  int32_t *outs = array(all.pages, 4), *ins = array(all.pages, 4);
  for (int64_t p = 0; p < all.pages; p++) {
    outs[p] = (int32_t)(all.start[p + 1] - all.start[p]);
    ins[p] = (int32_t)(all.into[p + 1] - all.into[p]);
    outdegree[p] = (float)log1p((double)(all.start[p + 1] - all.start[p]));
    indegree[p] = (float)log1p((double)(all.into[p + 1] - all.into[p]));
  }
  for (int64_t n = 0; n <= longest; n++) logs[n] = (float)log1p((double)n);
  memset(mark, 0, (size_t)all.pages);
  int32_t *numbers = array(count, 4);
  for (int64_t n = 0; n < count; n++) {
    numbers[n] = (int32_t)(how & 2 ? damaged(in, all.links) : below(in, all.links));
    hurt |= numbers[n] < 0 || numbers[n] >= all.links;
  }
  float *rows = array(count * FEATURES, 4), *odds = array(count, 4);
  float *mean = floats(in, FEATURES, how & 1), *width = floats(in, FEATURES, how & 1);
  double *weight = array(FEATURES, 8);
  for (int n = 0; n < FEATURES; n++) weight[n] = (double)any_float(in);
  graphlang_fault fault;
  uint64_t pages = (uint64_t)all.pages, links = (uint64_t)all.links, wanted = (uint64_t)count;
  if (how & 4) { /* whatever is damaged is refused before it is used */
    damage32(in, all.source, all.links, all.pages);
    damage32(in, all.target, all.links, all.pages);
    damage32(in, all.origin, all.links, all.pages);
    damage64(in, all.start, all.pages + 1, all.links + 1);
    damage64(in, all.into, all.pages + 1, all.links + 1);
  }
  int64_t steps = graphlang_edge_steps(pages, links, wanted, 0, wanted, longest, all.source, all.target, outs, ins,
                                       numbers, &fault);
  graphlang_neighbours *neighbours = graphlang_neighbours_new(pages, pages, links);
  CHECK(neighbours);
  int known = 1; /* in two parts, the latter first */
  for (int part = 1; part >= 0 && known == 1; part--)
    known = graphlang_neighbours_pack(neighbours, pages, links, part ? pages / 2 : 0, part ? pages : pages / 2, longest,
                                      all.start, all.into, all.target, all.origin, outs, ins, outdegree, indegree,
                                      mutual, &fault);
  CHECK(how & 4 ? known == 1 || known == GRAPHLANG_OUT_OF_RANGE : known == 1);
  int done = graphlang_edge_features(neighbours, pages, links, (uint64_t)longest + 1, wanted, all.source, all.target,
                                     back, logs, mark, numbers, rows, &fault);
  CHECK(!hurt || (steps == GRAPHLANG_OUT_OF_RANGE && done < 0));
  if (hurt || how & 4) {
    graphlang_neighbours_free(neighbours);
    return;
  }
  CHECK(steps >= 0 && done == 1);
  uint64_t middle = (uint64_t)below(in, count + 1);
  CHECK(steps == graphlang_edge_steps(pages, links, wanted, 0, middle, longest, all.source, all.target, outs, ins,
                                      numbers, &fault) +
                     graphlang_edge_steps(pages, links, wanted, middle, wanted, longest, all.source, all.target, outs,
                                          ins, numbers, &fault));
  Wanted given = {longest, back, outdegree, indegree, logs};
  for (int64_t p = 0; p < all.pages; p++) CHECK(!mark[p]);
  for (int64_t n = 0; n < count; n++) check_features(&all, &given, numbers[n], rows + n * FEATURES);
  done = graphlang_edge_log_odds(neighbours, pages, links, (uint64_t)longest + 1, wanted, all.source, all.target, back,
                                 logs, mark, numbers, mean, width, weight, odds, &fault);
  graphlang_neighbours_free(neighbours);
  CHECK(done == 1 || done == GRAPHLANG_NOT_FINITE);
}

HARNESS_END
