/* Common neighbours of two pages are counted with marks: the targets and sources of a link's source are marked once for
   all links of that page, and the lists of each target are looked up among the marks. Comparing two sorted lists takes
   three times as many steps, each with an unpredictable branch. */
#define _DEFAULT_SOURCE /* for madvise, which is not in C11 */
#include "edge_features.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "checks.h"
#include "wide.h"

enum {
  FEATURES = GRAPHLANG_EDGE_FEATURES,
  LINE = 16,           /* numbers in a cache line */
  FETCHED = 10 * LINE, /* numbers of a page that are prefetched */
  FAR = 24, NEAR = 10, /* prefetch distances in links */
  TOGETHER = 64,      /* links of one batch */
  TARGET = 1, SOURCE = 128, /* marks; sums of fewer than SOURCE of them are unambiguous */
};
static const uintptr_t HUGE_PAGE = 1 << 21; /* bytes */
static const float STEEPEST = 4.0f; /* standardised features beyond are cut */

/* The record of a page. It is followed by its far targets and far sources, page numbers of 32 bits, then its near
   ones, of 16 bits, relative to the page: most links lead to a page with a close number, and the look-ups are random
   accesses to memory, which take most of the time. */
typedef struct {
  uint16_t near_targets, near_sources, far_targets, far_sources; /* counts; 0 for too many */
  int32_t out_degree, in_degree;                                 /* targets and sources in the whole collection */
  float log_out_degree, log_in_degree, log_mutual;
} Page;
enum {
  PAGE = sizeof(Page) / sizeof(int32_t),
  ROOM = PAGE + 1 /* of a page, without its neighbours: packing writes one beyond the last */
};

/* Made of checked arrays, and immutable: its content is not checked again. */
struct graphlang_neighbours {
  uint64_t pages, known, words; /* only the first `known` pages have lists */
  uint64_t *begin;              /* where each page's numbers begin in `packed` */
  int32_t *packed;
};

/* The targets, or the sources, of a page. */
typedef struct {
  const int32_t *far_pages;
  const int16_t *near_pages; /* relative to the page */
  int64_t far_count, near_count;
} List;

typedef struct {
  const graphlang_neighbours *neighbours;
  uint64_t links, requested;
  const int32_t *source, *target;
  const uint8_t *reciprocal;
  const float *log_counts;
  uint64_t counts;
  uint8_t *marks; /* of each page: TARGET of the marked one, SOURCE, or both */
  const int32_t *numbers;
  int64_t marked; /* page whose lists are marked, -1 none */
  graphlang_fault *fault;
} Graph;

/* Allocate 32-bit numbers; only touched pages of memory are used. */
static int32_t *room_for(uint64_t words) {
  int32_t *room = malloc(words * sizeof *room);
#if defined(MADV_HUGEPAGE)
  uintptr_t begin = ((uintptr_t)room + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE, end = (uintptr_t)(room + words);
  if (room && begin < end) madvise((void *)begin, end - begin, MADV_HUGEPAGE);
#endif
  return room;
}

graphlang_neighbours *graphlang_neighbours_new(uint64_t pages, uint64_t known, uint64_t links) {
  if (known > pages || pages > INT32_MAX || links > INT32_MAX) return NULL;
  graphlang_neighbours *made = calloc(1, sizeof *made);
  if (!made) return NULL;
  *made = (graphlang_neighbours){pages, known, PAGE + known * ROOM + 2 * links, NULL, NULL};
  made->begin = calloc(known + 1, sizeof *made->begin);
  made->packed = room_for(made->words);
  if (made->begin && made->packed) {
    memset(made->packed, 0, sizeof(Page)); /* of pages that were not packed */
    return made;
  }
  graphlang_neighbours_free(made);
  return NULL;
}

void graphlang_neighbours_free(graphlang_neighbours *neighbours) {
  if (!neighbours) return;
  free(neighbours->begin);
  free(neighbours->packed);
  free(neighbours);
}

static int is_near(int32_t page, int32_t other) { return other - page >= INT16_MIN && other - page <= INT16_MAX; }

/* Count the near pages of a list; -1 if one is out of range. No branches, so that compilers vectorise. */
static int64_t count_near(const int32_t *list, int64_t count, int32_t page, uint64_t pages) {
  uint32_t last = (uint32_t)pages - 1, wrong = 0, near_pages = 0;
  for (int64_t i = 0; i < count; i++) {
    wrong |= (uint32_t)list[i] | (last - (uint32_t)list[i]);
    near_pages += (uint32_t)list[i] - (uint32_t)page - (uint32_t)INT16_MIN <= (uint32_t)UINT16_MAX;
  }
  return wrong >> 31 ? -1 : (int64_t)near_pages;
}

static int refuse_page(graphlang_fault *fault, const char *name, const int32_t *all, int64_t begin, int64_t count,
                       uint64_t pages) {
  for (int64_t i = begin; i < begin + count; i++)
    if (!IS_INDEX(all[i], pages)) return GRAPHLANG_REFUSE(fault, name, i, all[i], 0, (int64_t)pages - 1);
  return GRAPHLANG_WRONG_SIZE; /* not reached */
}

/* No unpredictable branch: entries that do not belong are overwritten, or are behind the last. */
static void pack_far(const int32_t *list, int64_t count, int32_t page, int32_t *packed) {
  for (int64_t i = 0; i < count; i++) {
    *packed = list[i];
    packed += !is_near(page, list[i]);
  }
}

static void pack_near(const int32_t *list, int64_t count, int32_t page, int all_near, int16_t *packed) {
  for (int64_t i = 0; all_near && i < count; i++) packed[i] = (int16_t)(list[i] - page);
  for (int64_t i = 0; !all_near && i < count; i++) {
    *packed = (int16_t)(list[i] - page);
    packed += is_near(page, list[i]);
  }
}

int graphlang_neighbours_pack(graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t first,
                              uint64_t last, int64_t longest, const int64_t *out_start, const int64_t *in_start,
                              const int32_t *target, const int32_t *in_source, const int32_t *out_degree,
                              const int32_t *in_degree, const float *log_out_degree, const float *log_in_degree,
                              const float *log_mutual, graphlang_fault *fault) {
  uint64_t words = neighbours->words, all = neighbours->pages;
  if (pages != neighbours->known || words != PAGE + pages * ROOM + 2 * links) return GRAPHLANG_WRONG_SIZE;
  if (longest < 0 || longest > UINT16_MAX) return GRAPHLANG_REFUSE(fault, "longest", 0, longest, 0, UINT16_MAX);
  if (last > pages) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, pages);
  if (first >= last) return 1;
  REFUSE_BOUNDS(fault, out_start, first, links);
  REFUSE_BOUNDS(fault, in_start, first, links);
  /* Where these pages would begin if all before them were far: parts packed in parallel never overlap. */
  uint64_t at = PAGE + first * ROOM + (uint64_t)out_start[first] + (uint64_t)in_start[first];
  for (uint64_t p = first; p < last; p++) {
    REFUSE_BOUNDS(fault, out_start, p, links);
    REFUSE_BOUNDS(fault, in_start, p, links);
    int64_t begin = out_start[p], from = in_start[p], out = out_start[p + 1] - begin, in = in_start[p + 1] - from;
    if (out_degree[p] > longest || out > longest) out = 0; /* the list may be incomplete */
    if (in_degree[p] > longest || in > longest) in = 0;
    int64_t near_out = count_near(target + begin, out, (int32_t)p, all);
    int64_t near_in = count_near(in_source + from, in, (int32_t)p, all);
    if (near_out < 0) return refuse_page(fault, "target", target, begin, out, all);
    if (near_in < 0) return refuse_page(fault, "in_source", in_source, from, in, all);
    Page page = {(uint16_t)near_out,        (uint16_t)near_in, (uint16_t)(out - near_out), (uint16_t)(in - near_in),
                 out_degree[p],             in_degree[p],      log_out_degree[p],          log_in_degree[p],
                 log_mutual[p]};
    int32_t *packed = neighbours->packed + at, *far_pages = packed + PAGE;
    int16_t *near_pages = (int16_t *)(far_pages + (out - near_out) + (in - near_in));
    memcpy(packed, &page, sizeof page);
    if (near_out < out) pack_far(target + begin, out, (int32_t)p, far_pages);
    if (near_in < in) pack_far(in_source + from, in, (int32_t)p, far_pages + (out - near_out));
    pack_near(target + begin, out, (int32_t)p, near_out == out, near_pages);
    pack_near(in_source + from, in, (int32_t)p, near_in == in, near_pages + near_out);
    neighbours->begin[p] = at;
    at += PAGE + (uint64_t)(out - near_out + in - near_in + (near_out + near_in + 1) / 2);
  }
  return 1;
}

static Page page_of(const graphlang_neighbours *neighbours, int64_t number) {
  Page page;
  memcpy(&page, neighbours->packed + neighbours->begin[number], sizeof page);
  return page;
}

static void lists(const graphlang_neighbours *neighbours, int64_t number, const Page *page, List *targets,
                  List *sources) {
  const int32_t *far_pages = neighbours->packed + neighbours->begin[number] + PAGE;
  const int16_t *near_pages = (const int16_t *)(far_pages + page->far_targets + page->far_sources);
  *targets = (List){far_pages, near_pages, page->far_targets, page->near_targets};
  *sources = (List){far_pages + page->far_targets, near_pages + page->near_targets, page->far_sources, page->near_sources};
}

static void paint_list(uint8_t *marks, int64_t number, List list, uint8_t keep, uint8_t mark) {
  uint8_t *here = marks + number;
  for (int64_t i = 0; i < list.far_count; i++) marks[list.far_pages[i]] = (marks[list.far_pages[i]] & keep) | mark;
  for (int64_t i = 0; i < list.near_count; i++) here[list.near_pages[i]] = (here[list.near_pages[i]] & keep) | mark;
}

static void paint(Graph *graph, int64_t number, uint8_t keep, uint8_t out, uint8_t in) {
  List targets, sources;
  Page page = page_of(graph->neighbours, number);
  lists(graph->neighbours, number, &page, &targets, &sources);
  paint_list(graph->marks, number, targets, keep, out);
  paint_list(graph->marks, number, sources, keep, in);
}

static void clean(Graph *graph) {
  if (graph->marked >= 0) paint(graph, graph->marked, 0, 0, 0);
  graph->marked = -1;
}

/* Count the pages of a list that are marked as targets (low half of the result) and as sources (high half). */
#define LOOK(name, type) \
  static uint64_t name(const uint8_t *marks, const type *pages, int64_t count) { \
    const type *end = pages + count; \
    uint64_t found = 0; \
    while (pages < end) { \
      const type *stop = end - pages < SOURCE ? end : pages + SOURCE - 1; \
      uint32_t one = 0, two = 0; /* independent partial sums */ \
      for (; stop - pages > 1; pages += 2) { \
        one += marks[pages[0]]; \
        two += marks[pages[1]]; \
      } \
      if (pages < stop) one += marks[*pages++]; \
      one += two; \
      found += one % SOURCE | (uint64_t)(one / SOURCE) << 32; \
    } \
    return found; \
  }
LOOK(look_far, int32_t)
LOOK(look_near, int16_t)

static uint64_t look(const uint8_t *marks, int64_t number, List list) {
  return look_far(marks, list.far_pages, list.far_count) + look_near(marks + number, list.near_pages, list.near_count);
}

/* Count common targets, common sources, and paths from s over one page to t. */
static int common(Graph *graph, int32_t s, int32_t t, const Page *to, int32_t *counts) {
  List targets, sources;
  lists(graph->neighbours, t, to, &targets, &sources);
  if (graph->marked != s && targets.far_count + targets.near_count + sources.far_count + sources.near_count) {
    clean(graph);
    paint(graph, s, TARGET | SOURCE, TARGET, SOURCE);
    graph->marked = s;
  }
  uint64_t through = look(graph->marks, t, sources);
  counts[0] = (int32_t)(uint32_t)look(graph->marks, t, targets);
  counts[1] = (int32_t)(through >> 32);
  counts[2] = (int32_t)(uint32_t)through;
  for (int i = 0; i < 3; i++) /* the caller sets the number of logarithms */
    if (!IS_INDEX(counts[i], graph->counts)) return GRAPHLANG_WRONG_SIZE;
  return 1;
}

/* The ends of a selected link. */
static int ends(const int32_t *source, const int32_t *target, uint64_t known, uint64_t links, const int32_t *numbers,
                uint64_t n, int32_t *s, int32_t *t, graphlang_fault *fault) {
  int32_t link = numbers[n];
  if (!IS_INDEX(link, links)) return GRAPHLANG_REFUSE(fault, "numbers", n, link, 0, (int64_t)links - 1);
  *s = source[link], *t = target[link];
  if (!IS_INDEX(*s, known)) return GRAPHLANG_REFUSE(fault, "source", link, *s, 0, (int64_t)known - 1);
  if (!IS_INDEX(*t, known)) return GRAPHLANG_REFUSE(fault, "target", link, *t, 0, (int64_t)known - 1);
  return 1;
}

/* Prefetch the record of the target of the nearer link, and the offset of that of the farther one. */
static void fetch(const Graph *graph, uint64_t n) {
  const graphlang_neighbours *neighbours = graph->neighbours;
  for (int near_one = 0; near_one < 2; near_one++) {
    uint64_t ahead = n + (near_one ? NEAR : FAR);
    if (ahead >= graph->requested || !IS_INDEX(graph->numbers[ahead], graph->links)) continue;
    int32_t t = graph->target[graph->numbers[ahead]];
    if (!IS_INDEX(t, neighbours->known)) continue;
    if (near_one) {
      uint64_t begin = neighbours->begin[t], end = neighbours->begin[t + 1];
      if (end > begin + FETCHED) end = begin + FETCHED;
      for (; begin < end; begin += LINE) FETCH(neighbours->packed + begin);
    } else {
      FETCH(neighbours->begin + t);
    }
  }
}

/* The features of a batch of selected links by feature: x[f][i] is of link first + i. */
typedef struct {
  float x[FEATURES][TOGETHER];
  int32_t counts[3][TOGETHER];
  double all[2][TOGETHER]; /* targets, and sources, of both ends in total */
} Few;

/* All look-ups, which wait for memory, come before any sum. */
static int look_up(Graph *graph, uint64_t first, int count, Few *few) {
  for (int i = 0; i < count; i++) {
    uint64_t n = first + (uint64_t)i;
    int32_t s, t, shared[3];
    fetch(graph, n);
    int done = ends(graph->source, graph->target, graph->neighbours->known, graph->links, graph->numbers, n, &s, &t,
                    graph->fault);
    if (done < 0) return done;
    Page from = page_of(graph->neighbours, s), to = page_of(graph->neighbours, t);
    if ((done = common(graph, s, t, &to, shared)) < 0) return done;
    for (int k = 0; k < 3; k++) few->counts[k][i] = shared[k];
    few->x[0][i] = graph->reciprocal[graph->numbers[n]];
    few->x[1][i] = from.log_out_degree;
    few->x[2][i] = to.log_in_degree;
    few->x[3][i] = to.log_out_degree;
    few->x[4][i] = from.log_in_degree;
    few->x[5][i] = from.log_mutual;
    few->x[6][i] = to.log_mutual;
    few->all[0][i] = (double)from.out_degree + to.out_degree;
    few->all[1][i] = (double)from.in_degree + to.in_degree;
  }
  return 1;
}

/* Compute the features that derive from others, and from counts. */
INLINE void work_out(int count, const float *log_counts, Few *few) {
  for (int i = 0; i < count; i++) {
    few->x[7][i] = fabsf(few->x[1][i] - few->x[3][i]);
    few->x[8][i] = fabsf(few->x[4][i] - few->x[2][i]);
  }
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < count; i++) few->x[9 + k][i] = log_counts[few->counts[k][i]];
  for (int k = 0; k < 2; k++) /* share of all targets, or sources, of both */
    for (int i = 0; i < count; i++) {
      double all = few->all[k][i] - few->counts[k][i];
      few->x[12 + k][i] = (float)(few->counts[k][i] / (all > 1 ? all : 1));
    }
}

WIDE static void in_rows(int count, const float *log_counts, Few *few, float *rows) {
  work_out(count, log_counts, few);
  for (int i = 0; i < count; i++)
    for (int f = 0; f < FEATURES; f++) rows[i * FEATURES + f] = few->x[f][i];
}

WIDE static void add_up(int count, const float *log_counts, Few *few, const float *mean, const float *deviation,
                        const double *weight, float *log_odds) {
  double sum[TOGETHER] = {0};
  work_out(count, log_counts, few);
  for (int f = 0; f < FEATURES; f++)
    for (int i = 0; i < count; i++) {
      float z = (few->x[f][i] - mean[f]) / deviation[f];
      z = z < -STEEPEST ? -STEEPEST : z;
      z = z > STEEPEST ? STEEPEST : z;
      sum[i] += (double)z * weight[f];
    }
  for (int i = 0; i < count; i++) log_odds[i] = (float)sum[i];
}

int graphlang_edge_features(const graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t counts,
                            uint64_t requested, const int32_t *source, const int32_t *target, const uint8_t *reciprocal,
                            const float *log_counts, uint8_t *marks, const int32_t *numbers,
                            float *features, graphlang_fault *fault) {
  Graph graph = {neighbours, links, requested, source, target, reciprocal, log_counts, counts, marks, numbers, -1, fault};
  if (pages != neighbours->pages) return GRAPHLANG_WRONG_SIZE;
  for (uint64_t first = 0; first < requested; first += TOGETHER) {
    Few few;
    int count = requested - first < TOGETHER ? (int)(requested - first) : TOGETHER, done = look_up(&graph, first, count, &few);
    if (done < 0) return done;
    in_rows(count, log_counts, &few, features + first * FEATURES);
  }
  clean(&graph);
  return 1;
}

int graphlang_edge_log_odds(const graphlang_neighbours *neighbours, uint64_t pages, uint64_t links, uint64_t counts,
                            uint64_t requested, const int32_t *source, const int32_t *target, const uint8_t *reciprocal,
                            const float *log_counts, uint8_t *marks, const int32_t *numbers,
                            const float *mean, const float *deviation, const double *weight, float *log_odds,
                            graphlang_fault *fault) {
  Graph graph = {neighbours, links, requested, source, target, reciprocal, log_counts, counts, marks, numbers, -1, fault};
  if (pages != neighbours->pages) return GRAPHLANG_WRONG_SIZE;
  for (uint64_t first = 0; first < requested; first += TOGETHER) {
    Few few;
    int count = requested - first < TOGETHER ? (int)(requested - first) : TOGETHER, done = look_up(&graph, first, count, &few);
    if (done < 0) return done;
    add_up(count, log_counts, &few, mean, deviation, weight, log_odds + first);
    for (int i = 0; i < count; i++)
      if (!isfinite(log_odds[first + (uint64_t)i]))
        return GRAPHLANG_REFUSE_NUMBER(fault, "log_odds", first + (uint64_t)i);
  }
  clean(&graph);
  return 1;
}

/* Steps for the lists of a page; below 0 if its degrees are refused. */
static int64_t cost(const int32_t *out_degree, const int32_t *in_degree, int32_t page, int64_t longest,
                    graphlang_fault *fault) {
  int64_t out = out_degree[page], in = in_degree[page];
  if (out < 0) return GRAPHLANG_REFUSE(fault, "out_degree", page, out, 0, INT32_MAX);
  if (in < 0) return GRAPHLANG_REFUSE(fault, "in_degree", page, in, 0, INT32_MAX);
  return (out > longest ? 0 : out) + (in > longest ? 0 : in);
}

int64_t graphlang_edge_steps(uint64_t known, uint64_t links, uint64_t requested, uint64_t first, uint64_t last,
                             int64_t longest, const int32_t *source, const int32_t *target, const int32_t *out_degree,
                             const int32_t *in_degree, const int32_t *numbers, graphlang_fault *fault) {
  int64_t steps = 0, before = -1;
  if (last > requested) return GRAPHLANG_REFUSE(fault, "last", 0, last, 0, requested);
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
