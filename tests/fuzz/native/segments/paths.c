/* The way through the languages of some texts: what slow loops over a whole table say, and nothing of what is damaged. */
#include "../harness.h"
#include "kernel.h"
#include KERNEL_SEGMENTS

HARNESS_BEGIN

enum { MOST_TEXTS = 5, MOST_UNITS = 30, MOST_LABELS = 12 };

typedef struct {
  int64_t units, width, edges, entries;
  int64_t *starts, *label, *offsets;
  double *said, at_border, inside, language, resemblance;
  uint8_t *border;
} Units;

static int done(const Units *all, int64_t *path, graphlang_fault *fault) {
  int64_t *likely = array(all->width, 8);
  double *sums = array(all->width, 8), *gain = array(all->width, 8);
  uint8_t *seen = array(all->width, 1), *came = array(all->units * STATES, 1);
  uint8_t *way = array(all->units, 1), *kept = array(all->units, 1);
  return graphlang_segments_paths(all->units, all->width, all->edges, all->entries, all->starts, all->label, all->said,
                                  all->offsets, all->border, all->at_border, all->inside, all->language, all->resemblance,
                                  path, sums, gain, seen, likely, came, way, kept, fault);
}

/* A number that a log likelihood may be: eighths, so that sums do not depend on their order. */
static double some(Input *in) {
  return (double)byte(in) / 8;
}

static Units units_of(Input *in, int odd) {
  int64_t texts = below(in, MOST_TEXTS + 1);
  Units made = {.edges = texts + 1, .offsets = array(texts + 1, 8)};
  made.offsets[0] = 0;
  for (int64_t t = 0; t < texts; t++) made.offsets[t + 1] = made.offsets[t] + below(in, MOST_UNITS + 1);
  made.units = made.offsets[texts];
  made.width = 1 + below(in, MOST_LABELS);
  made.at_border = some(in) / 8;
  made.inside = some(in) / 8;
  made.language = some(in) / 8;
  made.resemblance = (double)(byte(in) % 5) / 4;
  made.starts = array(made.units + 1, 8);
  made.border = array(made.units, 1);
  int64_t *label = array(made.units * 3, 8);
  double *said = array(made.units * 3, 8);
  for (int64_t unit = 0; unit < made.units; unit++) {
    uint8_t own = byte(in), number = own % 4;
    made.starts[unit] = made.entries;
    made.border[unit] = own >> 7;
    for (int64_t n = 0; n < number; n++) {
      int64_t of = below(in, made.width), twice = 0;
      for (int64_t i = made.starts[unit]; i < made.entries; i++) twice |= label[i] == of;
      if (twice) continue;
      label[made.entries] = of;
      said[made.entries++] = odd ? (double)any_float(in) : some(in) + 0.125; /* what is said is more than 0 */
    }
  }
  made.starts[made.units] = made.entries;
  made.label = copy(label, made.entries, 8);
  made.said = copy(said, made.entries, 8);
  return made;
}

/* ---- the same over a whole table ---- */

static double table[MOST_UNITS][MOST_LABELS];

static double way_of(const Units *all, int64_t begin, int64_t number, const int64_t *states, int64_t count, int64_t *way) {
  int64_t came[MOST_UNITS][STATES];
  double value[STATES], next[STATES];
  for (int64_t s = 0; s < count; s++) value[s] = table[0][states[s]];
  for (int64_t u = 1; u < number; u++) {
    int64_t best = 0;
    for (int64_t s = 1; s < count; s++) best = value[s] > value[best] ? s : best;
    double jump = value[best] - (all->border[begin + u] ? all->at_border : all->inside);
    for (int64_t s = 0; s < count; s++) {
      came[u][s] = value[s] >= jump ? s : best;
      next[s] = (value[s] >= jump ? value[s] : jump) + table[u][states[s]];
    }
    memcpy(value, next, sizeof value);
  }
  int64_t at = 0;
  for (int64_t s = 1; s < count; s++) at = value[s] > value[at] ? s : at;
  double reached = value[at];
  for (int64_t u = number - 1; u >= 0; u--) {
    way[u] = states[at];
    if (u) at = came[u][at];
  }
  return reached;
}

static double doubt(int64_t number, const int64_t *way, const int64_t *states, int64_t count) {
  double all = 0;
  for (int64_t u = 0; u < number; u++) {
    double most = table[u][way[u]];
    for (int64_t s = 0; s < count; s++)
      if ((way[u] == states[count - 1] || s == count - 1) && table[u][states[s]] > most) most = table[u][states[s]];
    all += most - table[u][way[u]];
  }
  return all;
}

static void check_text(const Units *all, int64_t begin, int64_t number, const int64_t *path) {
  int64_t states[STATES] = {0}, way[MOST_UNITS], kept[MOST_UNITS], expected[MOST_UNITS];
  double sums[MOST_LABELS] = {0}, own = 0;
  for (int64_t u = 0; u < number; u++) {
    double most = 0;
    memset(table[u], 0, sizeof table[u]);
    for (int64_t i = all->starts[begin + u]; i < all->starts[begin + u + 1]; i++) table[u][all->label[i]] = all->said[i];
    for (int64_t l = 0; l < all->width; l++) {
      sums[l] += table[u][l];
      most = table[u][l] > most ? table[u][l] : most;
    }
    own += most;
  }
  for (int64_t l = 1; l < all->width; l++) states[0] = sums[l] > sums[states[0]] ? l : states[0];
  double reached = sums[states[0]];
  for (int64_t u = 0; u < number; u++) expected[u] = states[0];
  for (int64_t count = 1; count < STATES && own - sums[states[0]] > all->language; count++) {
    double gain[MOST_LABELS] = {0}, total = reached, likelihood = reached;
    int64_t found = -1;
    for (int64_t u = 0; u < number; u++)
      for (int64_t l = 0; l < all->width; l++)
        if (table[u][l] > table[u][expected[u]]) gain[l] += table[u][l] - table[u][expected[u]];
    for (int64_t s = 0; s < count; s++) gain[states[s]] = 0;
    for (int tried = 0; tried < TRIED; tried++) {
      int64_t next = 0;
      for (int64_t l = 1; l < all->width; l++) next = gain[l] > gain[next] ? l : next;
      if (!(reached + gain[next] - all->language > total)) break;
      gain[next] = 0;
      states[count] = next;
      double with_it = way_of(all, begin, number, states, count + 1, way);
      double net = with_it - (all->language + all->resemblance * doubt(number, way, states, count + 1));
      if (net > total) {
        total = net;
        likelihood = with_it;
        found = next;
        memcpy(kept, way, sizeof kept);
      }
    }
    if (found < 0) break;
    states[count] = found;
    reached = likelihood;
    memcpy(expected, kept, sizeof expected);
  }
  CHECK(!memcmp(path, expected, (size_t)number * 8));
}

void fuzz_paths(Input *in) {
  uint8_t how = byte(in);
  int odd = how % 4 == 1; /* numbers that are none, or not finite */
  Units all = units_of(in, odd);
  int64_t *path = array(all.units, 8);
  graphlang_fault fault = {0};
  CHECK(!done(&all, path, &fault));
  for (int64_t t = 0; t < all.edges - 1; t++) {
    int64_t begin = all.offsets[t], number = all.offsets[t + 1] - begin, several = 0, seen[MOST_LABELS] = {0};
    for (int64_t u = 0; u < number; u++) {
      CHECK(path[begin + u] >= 0 && path[begin + u] < all.width);
      several += !seen[path[begin + u]]++;
    }
    CHECK(several <= STATES);
    if (!odd) check_text(&all, begin, number, path + begin);
  }
  if (how % 4 != 2) return; /* bounds and labels that are not there */
  all.offsets[below(in, all.edges)] = damaged(in, all.units + 1);
  all.starts[below(in, all.units + 1)] = damaged(in, all.entries + 1);
  if (all.entries) all.label[below(in, all.entries)] = damaged(in, all.width);
  int64_t sound = 1;
  for (int64_t u = 0; u <= all.units; u++)
    sound &= all.starts[u] >= (u ? all.starts[u - 1] : 0) && all.starts[u] <= all.entries;
  for (int64_t i = 0; i < all.entries; i++) sound &= all.label[i] >= 0 && all.label[i] < all.width;
  for (int64_t t = 0; t < all.edges - 1; t++)
    sound &= all.offsets[t] >= 0 && all.offsets[t] <= all.offsets[t + 1] && all.offsets[t + 1] <= all.units;
  int refused = done(&all, path, &fault);
  CHECK((refused == 0) == (sound || (all.edges == 1 && refused == 0)));
  if (refused) {
    CHECK(refused == GRAPHLANG_OUT_OF_RANGE && fault.array && *fault.array && fault.index >= 0);
    CHECK(fault.value < fault.least || fault.value > fault.most);
  }
}

HARNESS_END
