/* What two pages have in common is counted with marks: the targets and sources of a link's source are marked once for
   all links of that page, and the lists of each target are looked up among the marks. Comparing two sorted lists takes
   three times as many steps, each with a branch that cannot be foretold. */
#include "edge_features.h"

#include <math.h>
#include <string.h>

#include "checks.h"

enum {
  FEATURES = GRAPHLANG_EDGE_FEATURES,
  LINE = 16,           /* numbers that come together from memory */
  FETCHED = 8 * LINE,  /* numbers of a list that are asked for ahead */
  FAR = 16, NEAR = 8, /* links ahead */
  TOGETHER = 64,      /* links whose features are added up side by side */
  TARGET = 1, SOURCE = 128, /* marks, so that no sum of fewer than SOURCE of them is mistaken for another */
};
static const float STEEPEST = 4.0f; /* standardised features beyond are cut */

/* What is looked up of a page, on one line of the cache: links come in the order of their sources, their targets in none. */
typedef struct {
  int32_t out_begin, in_begin;   /* where its targets and sources begin */
  uint16_t out_count, in_count;  /* how many there are; none where too many */
  int32_t out_degree, in_degree; /* the same in the whole collection */
  float log_out_degree, log_in_degree, log_mutual;
} Page;
_Static_assert(sizeof(Page) == GRAPHLANG_PAGE_NUMBERS * sizeof(int32_t), "a page has so many numbers");

typedef struct {
  uint64_t pages, known, links, wanted; /* `known`: the first pages, of which there are numbers */
  const int32_t *source, *target;
  const uint8_t *reciprocal;
  const int32_t *in_source, *page;
  const float *log_counts;
  uint64_t counts;
  uint8_t *marks; /* of each page: TARGET of the marked one, SOURCE, or both */
  const int32_t *numbers;
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

static Page page_of(const Graph *graph, int64_t number) {
  Page page;
  memcpy(&page, graph->page + number * GRAPHLANG_PAGE_NUMBERS, sizeof page);
  return page;
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

/* A list of a page, from `begin` on; `at` is where these numbers stand in `page`. */
static int list_of(const Graph *graph, const char *name, const int32_t *all, int64_t at, int32_t begin, uint16_t count,
                   List *list) {
  int64_t most = (int64_t)graph->links - count;
  if (begin < 0 || begin > most) return GRAPHLANG_REFUSE(graph->fault, "page", at, begin, 0, most);
  *list = (List){all + begin, count};
  return are_pages(*list, graph->pages) ? 1 : refuse_page(graph->fault, name, all, *list, graph->pages);
}

/* The targets and sources of a page. */
static int lists(const Graph *graph, int64_t number, const Page *page, List *targets, List *sources) {
  int64_t at = number * GRAPHLANG_PAGE_NUMBERS;
  int done = list_of(graph, "target", graph->target, at, page->out_begin, page->out_count, targets);
  if (done < 0) return done;
  return list_of(graph, "in_source", graph->in_source, at + 1, page->in_begin, page->in_count, sources);
}

static int paint(Graph *graph, int64_t number, uint8_t keep, uint8_t out, uint8_t in) {
  List targets, sources;
  Page page = page_of(graph, number);
  int done = lists(graph, number, &page, &targets, &sources);
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

/* How many of some pages are marked, as targets and as sources: the low and the high half of what comes out. */
static uint64_t look(const uint8_t *marks, List list) {
  const int32_t *pages = list.pages, *end = pages + list.count;
  uint64_t found = 0;
  while (pages < end) {
    const int32_t *stop = end - pages < SOURCE ? end : pages + SOURCE - 1;
    uint32_t one = 0, two = 0; /* additions that need not wait for each other */
    for (; stop - pages > 1; pages += 2) {
      one += marks[pages[0]];
      two += marks[pages[1]];
    }
    if (pages < stop) one += marks[*pages++];
    one += two;
    found += one % SOURCE | (uint64_t)(one / SOURCE) << 32;
  }
  return found;
}

/* Common targets, common sources, paths from s over one page to t. */
static int common(Graph *graph, int32_t s, int32_t t, const Page *to, int32_t *counts) {
  List targets, sources;
  int done = lists(graph, t, to, &targets, &sources);
  if (done < 0) return done;
  if (targets.count + sources.count && graph->marked != s) {
    if ((done = clean(graph)) < 0 || (done = paint(graph, s, TARGET | SOURCE, TARGET, SOURCE)) < 0) return done;
    graph->marked = s;
  }
  uint64_t through = look(graph->marks, sources);
  counts[0] = (int32_t)(uint32_t)look(graph->marks, targets);
  counts[1] = (int32_t)(through >> 32);
  counts[2] = (int32_t)(uint32_t)through;
  for (int i = 0; i < 3; i++) /* fewer than the longest list has, but what lists are is given */
    if (!IS_INDEX(counts[i], graph->counts)) return GRAPHLANG_WRONG_SIZE;
  return 1;
}

/* The ends of a wanted link. */
static int ends(const int32_t *source, const int32_t *target, uint64_t known, uint64_t links, const int32_t *numbers,
                uint64_t n, int32_t *s, int32_t *t, graphlang_fault *fault) {
  int32_t link = numbers[n];
  if (!IS_INDEX(link, links)) return GRAPHLANG_REFUSE(fault, "numbers", n, link, 0, (int64_t)links - 1);
  *s = source[link], *t = target[link];
  if (!IS_INDEX(*s, known)) return GRAPHLANG_REFUSE(fault, "source", link, *s, 0, (int64_t)known - 1);
  if (!IS_INDEX(*t, known)) return GRAPHLANG_REFUSE(fault, "target", link, *t, 0, (int64_t)known - 1);
  return 1;
}

/* Ask for a list before it is needed. */
static void fetch_list(const Graph *graph, const int32_t *all, int32_t begin, uint16_t count) {
  if (begin < 0 || (uint64_t)begin + count > graph->links) return;
  for (int32_t i = 0; i < count + LINE - 1 && i < FETCHED; i += LINE) FETCH(all + begin + (i < count ? i : count - 1));
}

/* Ask for what the target of a later link is looked up by, and for the lists of that of a nearer one: they lie anywhere,
   and waiting for them takes longer than all else. */
static void fetch(const Graph *graph, uint64_t n) {
  for (int near = 0; near < 2; near++) {
    uint64_t ahead = n + (near ? NEAR : FAR);
    if (ahead >= graph->wanted || !IS_INDEX(graph->numbers[ahead], graph->links)) continue;
    int32_t t = graph->target[graph->numbers[ahead]];
    if (!IS_INDEX(t, graph->known)) continue;
    if (near) {
      Page page = page_of(graph, t);
      fetch_list(graph, graph->target, page.out_begin, page.out_count);
      fetch_list(graph, graph->in_source, page.in_begin, page.in_count);
    } else {
      FETCH(graph->page + (int64_t)t * GRAPHLANG_PAGE_NUMBERS);
    }
  }
}

/* The features of a few wanted links, each feature side by side: x[f][i] is of link first + i. What waits for memory is
   done for all of them before any sum. */
static int features_of(Graph *graph, uint64_t first, int count, float x[FEATURES][TOGETHER]) {
  int32_t counts[3][TOGETHER];
  double targets[TOGETHER], sources[TOGETHER]; /* of both ends together */
  for (int i = 0; i < count; i++) {
    uint64_t n = first + (uint64_t)i;
    int32_t s, t, shared[3];
    fetch(graph, n);
    int done = ends(graph->source, graph->target, graph->known, graph->links, graph->numbers, n, &s, &t, graph->fault);
    if (done < 0) return done;
    Page from = page_of(graph, s), to = page_of(graph, t);
    if ((done = common(graph, s, t, &to, shared)) < 0) return done;
    for (int k = 0; k < 3; k++) counts[k][i] = shared[k];
    x[0][i] = graph->reciprocal[graph->numbers[n]];
    x[1][i] = from.log_out_degree;
    x[2][i] = to.log_in_degree;
    x[3][i] = to.log_out_degree;
    x[4][i] = from.log_in_degree;
    x[5][i] = from.log_mutual;
    x[6][i] = to.log_mutual;
    targets[i] = (double)from.out_degree + to.out_degree;
    sources[i] = (double)from.in_degree + to.in_degree;
  }
  for (int i = 0; i < count; i++) {
    x[7][i] = fabsf(x[1][i] - x[3][i]);
    x[8][i] = fabsf(x[4][i] - x[2][i]);
  }
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < count; i++) x[9 + k][i] = graph->log_counts[counts[k][i]];
  for (int k = 0; k < 2; k++) /* out of all targets, or sources, of both */
    for (int i = 0; i < count; i++) {
      double all = (k ? sources[i] : targets[i]) - counts[k][i];
      x[12 + k][i] = (float)(counts[k][i] / (all > 1 ? all : 1));
    }
  return 1;
}

/* Add up the features of a few links. */
static void add_up(int count, float x[FEATURES][TOGETHER], const float *mean, const float *deviation,
                   const double *weight, float *log_odds) {
  double sum[TOGETHER] = {0};
  for (int f = 0; f < FEATURES; f++)
    for (int i = 0; i < count; i++) {
      float z = (x[f][i] - mean[f]) / deviation[f];
      z = z < -STEEPEST ? -STEEPEST : z;
      z = z > STEEPEST ? STEEPEST : z;
      sum[i] += (double)z * weight[f];
    }
  for (int i = 0; i < count; i++) log_odds[i] = (float)sum[i];
}

int graphlang_edge_pages(uint64_t pages, uint64_t links, uint64_t first, uint64_t last, int64_t longest,
                         const int64_t *out_start, const int64_t *in_start, const int32_t *out_degree,
                         const int32_t *in_degree, const float *log_out_degree, const float *log_in_degree,
                         const float *log_mutual, int32_t *page, graphlang_fault *fault) {
  if (links > INT32_MAX) return GRAPHLANG_WRONG_SIZE; /* numbers of links have 32 bits */
  if (longest < 0 || longest > UINT16_MAX) return GRAPHLANG_REFUSE(fault, "longest", 0, longest, 0, UINT16_MAX);
  if (last > pages) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, pages);
  for (uint64_t p = first; p < last; p++) {
    REFUSE_BOUNDS(fault, out_start, p, links);
    REFUSE_BOUNDS(fault, in_start, p, links);
    int64_t out = out_degree[p] > longest ? 0 : length(out_start, (int64_t)p, longest); /* perhaps not all are here */
    int64_t in = in_degree[p] > longest ? 0 : length(in_start, (int64_t)p, longest);
    Page own = {(int32_t)out_start[p], (int32_t)in_start[p], (uint16_t)out,     (uint16_t)in,
                out_degree[p],         in_degree[p],         log_out_degree[p], log_in_degree[p],
                log_mutual[p]};
    memcpy(page + p * GRAPHLANG_PAGE_NUMBERS, &own, sizeof own);
  }
  return 1;
}

int graphlang_edge_features(uint64_t pages, uint64_t known, uint64_t links, uint64_t counts, uint64_t wanted, const int32_t *source,
                            const int32_t *target, const uint8_t *reciprocal, const int32_t *in_source,
                            const int32_t *page, const float *log_counts, uint8_t *marks, const int32_t *numbers,
                            float *features, graphlang_fault *fault) {
  Graph graph = {pages, known,      links,  wanted, source,  target, reciprocal, in_source,
                 page,  log_counts, counts, marks,  numbers, -1,     fault};
  for (uint64_t first = 0; first < wanted; first += TOGETHER) {
    float x[FEATURES][TOGETHER];
    int count = wanted - first < TOGETHER ? (int)(wanted - first) : TOGETHER, done = features_of(&graph, first, count, x);
    if (done < 0) return done;
    float *rows = features + first * FEATURES;
    for (int i = 0; i < count; i++)
      for (int f = 0; f < FEATURES; f++) rows[i * FEATURES + f] = x[f][i];
  }
  return clean(&graph);
}

int graphlang_edge_log_odds(uint64_t pages, uint64_t known, uint64_t links, uint64_t counts, uint64_t wanted, const int32_t *source,
                            const int32_t *target, const uint8_t *reciprocal, const int32_t *in_source,
                            const int32_t *page, const float *log_counts, uint8_t *marks, const int32_t *numbers,
                            const float *mean, const float *deviation, const double *weight, float *log_odds,
                            graphlang_fault *fault) {
  Graph graph = {pages, known,      links,  wanted, source,  target, reciprocal, in_source,
                 page,  log_counts, counts, marks,  numbers, -1,     fault};
  for (uint64_t first = 0; first < wanted; first += TOGETHER) {
    float x[FEATURES][TOGETHER];
    int count = wanted - first < TOGETHER ? (int)(wanted - first) : TOGETHER, done = features_of(&graph, first, count, x);
    if (done < 0) return done;
    add_up(count, x, mean, deviation, weight, log_odds + first);
    for (int i = 0; i < count; i++)
      if (!isfinite(log_odds[first + (uint64_t)i]))
        return GRAPHLANG_REFUSE_NUMBER(fault, "log_odds", first + (uint64_t)i);
  }
  return clean(&graph);
}

/* Steps that the lists of a page cost; below 0 where its degrees are refused. */
static int64_t cost(const int32_t *out_degree, const int32_t *in_degree, int32_t page, int64_t longest,
                    graphlang_fault *fault) {
  int64_t out = out_degree[page], in = in_degree[page];
  if (out < 0) return GRAPHLANG_REFUSE(fault, "out_degree", page, out, 0, INT32_MAX);
  if (in < 0) return GRAPHLANG_REFUSE(fault, "in_degree", page, in, 0, INT32_MAX);
  return (out > longest ? 0 : out) + (in > longest ? 0 : in);
}

int64_t graphlang_edge_steps(uint64_t known, uint64_t links, uint64_t wanted, uint64_t first, uint64_t last,
                             int64_t longest, const int32_t *source, const int32_t *target, const int32_t *out_degree,
                             const int32_t *in_degree, const int32_t *numbers, graphlang_fault *fault) {
  int64_t steps = 0, before = -1;
  if (last > wanted) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, wanted);
  if (first && first < last && IS_INDEX(numbers[first - 1], links)) before = source[numbers[first - 1]];
  for (uint64_t n = first; n < last; n++) {
    int32_t s, t;
    int done = ends(source, target, known, links, numbers, n, &s, &t, fault);
    if (done < 0) return done;
    int64_t from = cost(out_degree, in_degree, s, longest, fault), to = cost(out_degree, in_degree, t, longest, fault);
    if (from < 0 || to < 0) return from < 0 ? from : to;
    steps += to + (s != before ? 2 * from : 0);
    before = s;
  }
  return steps;
}
