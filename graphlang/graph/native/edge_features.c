/* What two pages have in common is counted with marks: the targets and sources of a link's source are marked once for
   all links of that page, and the lists of each target are looked up among the marks. Comparing two sorted lists takes
   three times as many steps, each with a branch that cannot be foretold. */
#include "edge_features.h"

#include <math.h>

#include "checks.h"

enum { FEATURES = GRAPHLANG_EDGE_FEATURES };
static const float STEEPEST = 4.0f; /* standardised features beyond are cut */

typedef struct {
  uint64_t pages, links;
  int64_t longest;
  const int32_t *source, *target;
  const uint8_t *reciprocal;
  const int64_t *out_start, *in_start;
  const int32_t *in_source, *out_degree, *in_degree;
  const float *log_out_degree, *log_in_degree, *log_mutual, *log_counts;
  uint8_t *marks; /* of each page: 1 a target of the marked one, 2 a source */
  int64_t marked; /* page whose lists are marked, -1 none */
  graphlang_fault *fault;
} Graph;

/* A list of pages, of which some are taken to be none. */
typedef struct {
  const int32_t *pages;
  int64_t count;
} List;

static int64_t length(const int64_t *start, int64_t page, int64_t longest) {
  int64_t entries = start[page + 1] - start[page];
  return entries > longest ? 0 : entries;
}

/* The same of a page of which perhaps not all links are here. */
static int64_t known(const int64_t *start, const int32_t *degree, int64_t page, int64_t longest) {
  return degree[page] > longest ? 0 : length(start, page, longest);
}

/* Whether all of a list are pages: without branches, so that several are looked at at once. */
static int are_pages(List list, uint64_t pages) {
  uint32_t last = (uint32_t)pages - 1, wrong = 0;
  for (int64_t i = 0; i < list.count; i++) wrong |= (uint32_t)list.pages[i] | (last - (uint32_t)list.pages[i]);
  return !(wrong >> 31);
}

static int refuse_page(graphlang_fault *fault, const char *name, const int32_t *all, List list, uint64_t pages) {
  for (int64_t i = 0; i < list.count; i++)
    if (!IS_INDEX(list.pages[i], pages))
      return GRAPHLANG_REFUSE(fault, name, list.pages + i - all, list.pages[i], 0, (int64_t)pages - 1);
  return GRAPHLANG_WRONG_SIZE; /* not reached */
}

/* The targets and sources of a page. */
static int lists(const Graph *graph, int64_t page, List *targets, List *sources) {
  const int64_t *out_start = graph->out_start, *in_start = graph->in_start;
  REFUSE_BOUNDS(graph->fault, out_start, page, graph->links);
  REFUSE_BOUNDS(graph->fault, in_start, page, graph->links);
  *targets = (List){graph->target + out_start[page], known(out_start, graph->out_degree, page, graph->longest)};
  *sources = (List){graph->in_source + in_start[page], known(in_start, graph->in_degree, page, graph->longest)};
  if (!are_pages(*targets, graph->pages))
    return refuse_page(graph->fault, "target", graph->target, *targets, graph->pages);
  if (!are_pages(*sources, graph->pages))
    return refuse_page(graph->fault, "in_source", graph->in_source, *sources, graph->pages);
  return 1;
}

static int paint(Graph *graph, int64_t page, uint8_t keep, uint8_t out, uint8_t in) {
  List targets, sources;
  int done = lists(graph, page, &targets, &sources);
  if (done < 0) return done;
  uint8_t *marks = graph->marks;
  for (int64_t i = 0; i < targets.count; i++) marks[targets.pages[i]] = (marks[targets.pages[i]] & keep) | out;
  for (int64_t i = 0; i < sources.count; i++) marks[sources.pages[i]] = (marks[sources.pages[i]] & keep) | in;
  return 1;
}

static int clean(Graph *graph) {
  int done = graph->marked < 0 ? 1 : paint(graph, graph->marked, 0, 0, 0);
  graph->marked = -1;
  return done;
}

/* Sum of the marks of some pages, targets and sources apart: the low and the high half of what comes out. */
static uint64_t look(const uint8_t *marks, List list) {
  static const uint64_t worth[4] = {0, 1, (uint64_t)1 << 32, ((uint64_t)1 << 32) + 1};
  const int32_t *pages = list.pages;
  uint64_t one = 0, two = 0;
  int64_t i = 0;
  for (; i + 1 < list.count; i += 2) {
    one += worth[marks[pages[i]] & 3];
    two += worth[marks[pages[i + 1]] & 3];
  }
  return one + two + (i < list.count ? worth[marks[pages[i]] & 3] : 0);
}

/* Common targets, common sources, paths from s over one page to t. */
static int common(Graph *graph, int32_t s, int32_t t, int32_t *counts) {
  List targets, sources;
  int done = lists(graph, t, &targets, &sources);
  if (done < 0) return done;
  if (targets.count + sources.count && graph->marked != s) {
    if ((done = clean(graph)) < 0 || (done = paint(graph, s, 3, 1, 2)) < 0) return done;
    graph->marked = s;
  }
  uint64_t through = look(graph->marks, sources);
  counts[0] = (int32_t)(uint32_t)look(graph->marks, targets);
  counts[1] = (int32_t)(through >> 32);
  counts[2] = (int32_t)(uint32_t)through;
  return 1;
}

/* The ends of a wanted link. */
static int ends(const int32_t *source, const int32_t *target, uint64_t pages, uint64_t links, const int32_t *numbers,
                uint64_t n, int32_t *s, int32_t *t, graphlang_fault *fault) {
  int32_t link = numbers[n];
  if (!IS_INDEX(link, links)) return GRAPHLANG_REFUSE(fault, "numbers", n, link, 0, (int64_t)links - 1);
  *s = source[link], *t = target[link];
  if (!IS_INDEX(*s, pages)) return GRAPHLANG_REFUSE(fault, "source", link, *s, 0, (int64_t)pages - 1);
  if (!IS_INDEX(*t, pages)) return GRAPHLANG_REFUSE(fault, "target", link, *t, 0, (int64_t)pages - 1);
  return 1;
}

static int row(Graph *graph, const int32_t *numbers, uint64_t n, float *x) {
  int32_t s, t, counts[3];
  int done = ends(graph->source, graph->target, graph->pages, graph->links, numbers, n, &s, &t, graph->fault);
  if (done < 0 || (done = common(graph, s, t, counts)) < 0) return done;
  const int64_t *out_start = graph->out_start, *in_start = graph->in_start;
  REFUSE_BOUNDS(graph->fault, out_start, s, graph->links); /* those of t were looked at, and those of s only perhaps */
  REFUSE_BOUNDS(graph->fault, in_start, s, graph->links);
  x[0] = graph->reciprocal[numbers[n]];
  x[1] = graph->log_out_degree[s];
  x[2] = graph->log_in_degree[t];
  x[3] = graph->log_out_degree[t];
  x[4] = graph->log_in_degree[s];
  x[5] = graph->log_mutual[s];
  x[6] = graph->log_mutual[t];
  x[7] = fabsf(x[1] - x[3]);
  x[8] = fabsf(x[4] - x[2]);
  for (int i = 0; i < 3; i++) x[9 + i] = graph->log_counts[counts[i]];
  for (int i = 0; i < 2; i++) { /* out of all targets, or sources, of both */
    const int32_t *degree = i ? graph->in_degree : graph->out_degree;
    int64_t all = (int64_t)degree[s] + degree[t] - counts[i];
    x[12 + i] = (float)((double)counts[i] / (double)(all > 1 ? all : 1));
  }
  return 1;
}

/* Whether there is a logarithm for every count. */
static int is_long(int64_t longest, uint64_t counts, graphlang_fault *fault) {
  if (IS_INDEX(longest, counts)) return 1;
  return GRAPHLANG_REFUSE(fault, "longest", 0, longest, 0, (int64_t)counts - 1);
}

int graphlang_edge_features(uint64_t pages, uint64_t links, uint64_t counts, uint64_t wanted, int64_t longest,
                            const int32_t *source, const int32_t *target, const uint8_t *reciprocal,
                            const int64_t *out_start, const int64_t *in_start, const int32_t *in_source,
                            const int32_t *out_degree, const int32_t *in_degree, const float *log_out_degree,
                            const float *log_in_degree, const float *log_mutual, const float *log_counts,
                            uint8_t *marks, const int32_t *numbers, float *features, graphlang_fault *fault) {
  Graph graph = {pages,          links,         longest,    source,     target, reciprocal, out_start,
                 in_start,       in_source,     out_degree, in_degree,  log_out_degree,
                 log_in_degree,  log_mutual,    log_counts, marks,      -1,     fault};
  int done = is_long(longest, counts, fault);
  for (uint64_t n = 0; n < wanted && done > 0; n++) done = row(&graph, numbers, n, features + n * FEATURES);
  return done < 0 ? done : clean(&graph);
}

int graphlang_edge_log_odds(uint64_t pages, uint64_t links, uint64_t counts, uint64_t wanted, int64_t longest,
                            const int32_t *source, const int32_t *target, const uint8_t *reciprocal,
                            const int64_t *out_start, const int64_t *in_start, const int32_t *in_source,
                            const int32_t *out_degree, const int32_t *in_degree, const float *log_out_degree,
                            const float *log_in_degree, const float *log_mutual, const float *log_counts,
                            uint8_t *marks, const int32_t *numbers, const float *mean, const float *deviation,
                            const double *weight, float *log_odds, graphlang_fault *fault) {
  Graph graph = {pages,          links,         longest,    source,     target, reciprocal, out_start,
                 in_start,       in_source,     out_degree, in_degree,  log_out_degree,
                 log_in_degree,  log_mutual,    log_counts, marks,      -1,     fault};
  int done = is_long(longest, counts, fault);
  for (uint64_t n = 0; n < wanted && done > 0; n++) {
    float x[FEATURES];
    if ((done = row(&graph, numbers, n, x)) < 0) return done;
    double sum = 0;
    for (int f = 0; f < FEATURES; f++) {
      float z = (x[f] - mean[f]) / deviation[f];
      z = z < -STEEPEST ? -STEEPEST : z > STEEPEST ? STEEPEST : z;
      sum += (double)z * weight[f];
    }
    if (!isfinite(sum)) return GRAPHLANG_REFUSE_NUMBER(fault, "log_odds", n);
    log_odds[n] = (float)sum;
  }
  return done < 0 ? done : clean(&graph);
}

int64_t graphlang_edge_steps(uint64_t pages, uint64_t links, uint64_t wanted, int64_t longest, const int32_t *source,
                             const int32_t *target, const int64_t *out_start, const int64_t *in_start,
                             const int32_t *numbers, graphlang_fault *fault) {
  int64_t steps = 0, last = -1;
  for (uint64_t n = 0; n < wanted; n++) {
    int32_t s, t;
    int done = ends(source, target, pages, links, numbers, n, &s, &t, fault);
    if (done < 0) return done;
    for (int i = 0; i < 2; i++) {
      int32_t page = i ? t : s;
      REFUSE_BOUNDS(fault, out_start, page, links);
      REFUSE_BOUNDS(fault, in_start, page, links);
    }
    steps += length(out_start, t, longest) + length(in_start, t, longest);
    if (s != last) steps += 2 * (length(out_start, s, longest) + length(in_start, s, longest));
    last = s;
  }
  return steps;
}
