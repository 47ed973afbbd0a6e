/* What the shape of the graph around a link says (features.py), and how likely such a link keeps the language.
 *
 * Plain C11, no state, no allocation. Pages are 0..pages-1. The targets of page p are target[start[p]..start[p+1]), the
 * pages that link to it origin[into[p]..into[p+1]). The caller sees to shapes, types, bounds and pages; the numbers of
 * the links asked for are checked here.
 *
 * What two pages have in common is counted with marks: the targets and sources of a link's source are marked once for
 * all links of that page, and the lists of each target are looked up among the marks. Comparing two sorted lists takes
 * three times as many steps, each with a branch that cannot be foretold.
 */
#include <math.h>
#include <stdint.h>

#define API __attribute__((visibility("default")))
#define FEATURES 14
#define STEEPEST 4.0f /* standardised features beyond are cut */

typedef struct {
    int64_t pages, links, longest; /* longer lists are taken to be empty */
    const int32_t *source, *target;
    const uint8_t *back; /* whether the target of each link links back */
    const int64_t *start, *into;
    const int32_t *origin;
    const float *outdegree, *indegree, *mutual; /* of each page, logarithms of 1 + n */
    const float *logs; /* of 1 + n for n up to longest */
} Graph;

typedef struct {
    uint8_t *mark; /* of each page: 1 a target of the page, 2 a source; all 0 before and after */
    int64_t page;  /* whose lists are marked, -1 none */
} Marks;

static int64_t length(const int64_t *bounds, int64_t page, int64_t longest) {
    int64_t entries = bounds[page + 1] - bounds[page];
    return entries > longest ? 0 : entries;
}

static void paint(const Graph *graph, uint8_t *mark, int64_t page, uint8_t keep, uint8_t out, uint8_t in) {
    const int32_t *targets = graph->target + graph->start[page], *sources = graph->origin + graph->into[page];
    int64_t outs = length(graph->start, page, graph->longest), ins = length(graph->into, page, graph->longest);
    for (int64_t i = 0; i < outs; i++) mark[targets[i]] = (mark[targets[i]] & keep) | out;
    for (int64_t i = 0; i < ins; i++) mark[sources[i]] = (mark[sources[i]] & keep) | in;
}

static void clean(const Graph *graph, Marks *marks) {
    if (marks->page >= 0) paint(graph, marks->mark, marks->page, 0, 0, 0);
    marks->page = -1;
}

/* Sum of the marks of some pages, targets and sources apart: the low and the high half of what comes out. */
static uint64_t look(const uint8_t *mark, const int32_t *pages, int64_t count) {
    static const uint64_t worth[4] = {0, 1, (uint64_t)1 << 32, ((uint64_t)1 << 32) + 1};
    uint64_t one = 0, two = 0;
    int64_t i = 0;
    for (; i + 1 < count; i += 2) {
        one += worth[mark[pages[i]]];
        two += worth[mark[pages[i + 1]]];
    }
    return one + two + (i < count ? worth[mark[pages[i]]] : 0);
}

/* Common targets, common sources, paths from s over one page to t. */
static void common(const Graph *graph, Marks *marks, int32_t s, int32_t t, int32_t *counts) {
    int64_t outs = length(graph->start, t, graph->longest), ins = length(graph->into, t, graph->longest);
    if (outs + ins && marks->page != s) {
        clean(graph, marks);
        paint(graph, marks->mark, s, 3, 1, 2);
        marks->page = s;
    }
    uint64_t through = look(marks->mark, graph->origin + graph->into[t], ins);
    counts[0] = (int32_t)(uint32_t)look(marks->mark, graph->target + graph->start[t], outs);
    counts[1] = (int32_t)(through >> 32);
    counts[2] = (int32_t)(uint32_t)through;
}

static int row(const Graph *graph, Marks *marks, int64_t link, float *x) {
    if (link < 0 || link >= graph->links) return 0;
    int32_t s = graph->source[link], t = graph->target[link], counts[3];
    common(graph, marks, s, t, counts);
    x[0] = graph->back[link];
    x[1] = graph->outdegree[s];
    x[2] = graph->indegree[t];
    x[3] = graph->outdegree[t];
    x[4] = graph->indegree[s];
    x[5] = graph->mutual[s];
    x[6] = graph->mutual[t];
    x[7] = fabsf(x[1] - x[3]);
    x[8] = fabsf(x[4] - x[2]);
    for (int i = 0; i < 3; i++) x[9 + i] = graph->logs[counts[i]];
    for (int i = 0; i < 2; i++) { /* out of all targets, or sources, of both */
        const int64_t *bounds = i ? graph->into : graph->start;
        int64_t all = bounds[s + 1] - bounds[s] + bounds[t + 1] - bounds[t] - counts[i];
        x[12 + i] = (float)((double)counts[i] / (double)(all > 1 ? all : 1));
    }
    return 1;
}

/* The features of some links, FEATURES numbers each. 0 at a link that is not there. */
API int graphlang_features(const Graph *graph, uint8_t *mark, int64_t count, const int32_t *numbers, float *rows) {
    Marks marks = {mark, -1};
    for (int64_t i = 0; i < count; i++)
        if (!row(graph, &marks, numbers[i], rows + i * FEATURES)) return 0;
    clean(graph, &marks);
    return 1;
}

/* The log-odds that the features of some links give: the standardised features times the weights. */
API int graphlang_odds(const Graph *graph, uint8_t *mark, int64_t count, const int32_t *numbers, const float *middle,
                       const float *width, const double *weight, float *odds) {
    Marks marks = {mark, -1};
    for (int64_t i = 0; i < count; i++) {
        float x[FEATURES];
        if (!row(graph, &marks, numbers[i], x)) return 0;
        double sum = 0;
        for (int f = 0; f < FEATURES; f++) {
            float z = (x[f] - middle[f]) / width[f];
            z = z < -STEEPEST ? -STEEPEST : z > STEEPEST ? STEEPEST : z;
            sum += (double)z * weight[f];
        }
        odds[i] = (float)sum;
    }
    clean(graph, &marks);
    return 1;
}

/* How many marks the features of some links look at; -1 at a link that is not there. */
API int64_t graphlang_steps(const Graph *graph, int64_t count, const int32_t *numbers) {
    int64_t steps = 0, last = -1;
    for (int64_t i = 0; i < count; i++) {
        if (numbers[i] < 0 || numbers[i] >= graph->links) return -1;
        int64_t s = graph->source[numbers[i]], t = graph->target[numbers[i]];
        steps += length(graph->start, t, graph->longest) + length(graph->into, t, graph->longest);
        if (s != last) steps += 2 * (length(graph->start, s, graph->longest) + length(graph->into, s, graph->longest));
        last = s;
    }
    return steps;
}
