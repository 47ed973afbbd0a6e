/* Scores to probabilities: of finite scores they sum to 1, or to nothing where no language is likely; any other number does
   no harm. */
#include "stages.h"
#include KERNEL_SCORES

HARNESS_BEGIN

static float *floats(Input *in, int64_t count, int odd) {
  float *found = array(count, 4);
  for (int64_t n = 0; n < count; n++) found[n] = odd ? any_float(in) : ((float)byte(in) - 128) / 16;
  return found;
}

static void check_sum(const float *row, int64_t width, int may_be_refused) {
  double sum_of = 0;
  for (int64_t n = 0; n < width; n++) {
    CHECK(row[n] >= 0 && row[n] <= 1.0001f);
    sum_of += (double)row[n];
  }
  CHECK(fabs(sum_of - 1) < 1e-3 || (may_be_refused && sum_of == 0));
}

void answers_of(Input *in, const Letters *letters, const Features *features, const Sums *sums) {
  uint8_t how = byte(in);
  int64_t rows = letters->rows, longest = below(in, 40), shortest = below(in, 30), spoken = 0;
  int odd = how & 1;
  float *sharp = floats(in, sums->scripts * (longest + 1), odd), *lean = floats(in, longest + 1, odd);
  float *base = floats(in, sums->labels, odd), *bias = floats(in, sums->labels, odd), *prior = floats(in, sums->labels, odd);
  float *gain = floats(in, shortest, odd), *letter = floats(in, sums->labels, odd), *word = floats(in, sums->labels, odd);
  float *text = floats(in, sums->labels, odd), *answer = array(rows * sums->labels, 4);
  const float *unknown = how & 8 ? floats(in, GRAPHLANG_SCORES_UNKNOWN, odd) : NULL;
  int64_t *places = array(rows, 8), *words = array(rows, 8), *offsets = copy(features->offsets, rows + 1, 8);
  int64_t *lengths = copy(letters->lengths, rows, 8), *order = copy(sums->order, rows, 8);
  int64_t *counts = copy(sums->counts, sums->scripts + 1, 8), *columns = copy(sums->columns, 3 * sums->scripts, 8);
  for (int64_t n = 0; n < rows; n++) {
    places[n] = rows - 1 - n;
    words[n] = n;
  }
  if (how & 2) {
    int64_t *each[] = {places, words, offsets, lengths, order};
    for (int n = below(in, 4); n > 0; n--) each[below(in, 5)][below(in, rows)] = damaged(in, rows);
    if (byte(in) & 1) counts[below(in, sums->scripts)] = damaged(in, rows + 1);
    if (byte(in) & 1) columns[below(in, 3 * sums->scripts)] = damaged(in, sums->labels + 1);
  }
  const int16_t *lm_sums = how & 4 ? sums->sums : NULL;
  for (int64_t s = 0; s < sums->scripts; s++) spoken += sums->counts[s];
  graphlang_fault fault = {0};
  int64_t done = graphlang_scores_probabilities(
      sums->size, rows, sums->scripts + 1, sums->scripts, longest + 1, sums->labels, rows, sums->size, shortest, sums->sums,
      order, counts, columns, offsets, lengths, sharp, lean, 0.05, base, bias, prior, 0.001, unknown,
      0.95, places, answer, lm_sums, 0.1, gain, letter, word, text, words, &fault);
  if (done < 0) check_fault(&fault);
  if (how & 3) return;
  CHECK(done == spoken);
  for (int64_t s = 0, at = 0; s < sums->scripts; s++)
    for (int64_t n = 0; n < sums->counts[s]; n++, at++) {
      int64_t row = order[at], first = sums->columns[3 * s], width = sums->columns[3 * s + 1];
      const float *own = answer + places[row] * sums->labels;
      for (int64_t j = 0; j < sums->labels; j++)
        if (j < first || j >= first + width || !lengths[row]) CHECK(own[j] == 0);
      if (lengths[row]) check_sum(own + first, width, unknown != NULL);
    }
}

static void check_top(const float *chances, int64_t rows, int64_t width, int64_t best) {
  int16_t *index = array(rows * best, 2);
  float *chance = array(rows * best, 4);
  CHECK(!graphlang_scores_top(rows, width, best, chances, index, chance));
  for (int64_t row = 0; row < rows; row++) {
    const float *own = chances + row * width;
    uint8_t *used = array(width, 1);
    memset(used, 0, (size_t)width);
    for (int64_t n = 0; n < best; n++) {
      int64_t most = -1;
      for (int64_t j = 0; j < width; j++)
        if (!used[j] && own[j] > 0 && (most < 0 || own[j] > own[most])) most = j;
      CHECK(index[row * best + n] == most && chance[row * best + n] == (most < 0 ? 0 : own[most]));
      if (most >= 0) used[most] = 1;
    }
  }
}

static void check_tails(const float *chances, int64_t rows, int64_t width, int64_t labels) {
  float *best = array(rows, 4), *next = array(rows, 4), *least = array(rows, 4);
  int64_t *positive = array(rows, 8);
  int wrong = labels < 1 || labels > width;
  CHECK(graphlang_scores_tails(rows, width, labels, 0.5, chances, best, next, least, positive) ==
        (wrong ? GRAPHLANG_WRONG_SIZE : 0));
  for (int64_t row = 0; row < rows && !wrong; row++) {
    const float *own = chances + row * width;
    int64_t above = 0, reached = 0, after = 0;
    for (int64_t j = 0; j < labels; j++) {
      CHECK(own[j] <= best[row]);
      reached += own[j] == best[row];
      after += own[j] > next[row];
      above += own[j] > 0;
      if (own[j] > 0 && positive[row]) CHECK(own[j] >= least[row]);
    }
    CHECK(reached);
    if (best[row] < 0.5f) CHECK(positive[row] == above && after <= 1);
  }
}

/* Windows of texts, in one script. */
static void windows_of(Input *in, int64_t rows, int64_t width, const int16_t *sums, const float *label, uint8_t how) {
  int64_t texts = 1 + below(in, 3), foreign = below(in, width + 1) - 1, counts[2] = {rows, 0}, columns[3] = {0, width, width};
  int64_t *offsets = array(texts + 1, 8), *order = array(rows, 8), *features = array(rows + 1, 8), *lengths = array(rows, 8);
  int64_t *places = array(texts, 8), *letters = array(texts, 8), *best = array(texts, 8), wrong = 0, refused = 0;
  float *answer = array(texts * width, 4), *room = array(2 * rows * width, 4), *sure = array(texts, 4);
  float *fit = array(texts, 4), *margin = array(texts, 4), sharp[1] = {0.5f};
  const float *unknown = floats(in, GRAPHLANG_SCORES_UNKNOWN, how & 1);
  for (int64_t n = 0; n <= texts; n++) offsets[n] = how & 8 ? damaged(in, rows) : rows * n / texts;
  for (int64_t n = 0; n < texts; n++) {
    wrong |= offsets[n] < 0 || offsets[n + 1] < offsets[n] || offsets[n + 1] > rows;
    places[n] = texts - 1 - n;
    letters[n] = 0;
  }
  features[0] = 0;
  refused = wrong || (rows && (offsets[0] || offsets[texts] != rows));
  for (int64_t n = 0; n < rows; n++) {
    order[n] = n;
    lengths[n] = byte(in);
    features[n + 1] = features[n] + byte(in);
  }
  for (int64_t n = 0; n < texts && !refused; n++)
    for (int64_t w = offsets[n]; w < offsets[n + 1]; w++) letters[n] += lengths[w];
  if (how & 16 && rows) {
    int64_t *each[] = {order, features, lengths, places, letters};
    int which = below(in, 5);
    each[which][below(in, which < 3 ? rows : texts)] = damaged(in, rows);
  }
  graphlang_fault fault = {0};
  int64_t done = graphlang_scores_mixture(rows * width, rows, 2, 1, 1, width, texts, texts, 2 * rows * width, sums, order, counts,
                                          columns, features, lengths, offsets, sharp, 0.05, label, label + width,
                                          label + 2 * width, foreign, 2e-3, 0.28, 0.02, 0.8, 0.005, unknown, 0.95, places,
                                          answer, room, sure, &fault);
  if (done) check_fault(&fault);
  if (!(how & 16)) CHECK(done == (refused ? GRAPHLANG_OUT_OF_RANGE : 0));
  for (int64_t n = 0; n < texts && !done && !(how & 17); n++) {
    const float *own = answer + places[n] * width;
    if (letters[n])
      check_sum(own, width, 1);
    else if (offsets[n] < offsets[n + 1])
      for (int64_t j = 0; j < width; j++) CHECK(own[j] == 0);
  }
  fault = (graphlang_fault){0};
  done = graphlang_scores_best(rows * width, rows, 2, 1, width, texts, texts, sums, order, counts, columns, features, offsets,
                               letters, 4, label, 0.05, places, answer, best, fit, margin, &fault);
  if (done) check_fault(&fault);
  for (int64_t n = 0; n < texts && !done; n++) CHECK(best[n] >= -1 && best[n] < width);
  int16_t *totals = array(texts * width, 2);
  fault = (graphlang_fault){0};
  done = graphlang_scores_add(rows, width, rows, texts, sums, order, offsets, totals, &fault);
  if (done) check_fault(&fault);
  if (!(how & 16)) CHECK(done == (wrong ? GRAPHLANG_OUT_OF_RANGE : 0));
  for (int64_t n = 0; n < texts && !done; n++)
    for (int64_t j = 0; j < width; j++) {
      int64_t total = 0;
      for (int64_t i = offsets[n]; i < offsets[n + 1]; i++) total += sums[order[i] * width + j];
      CHECK(totals[n * width + j] == (total < INT16_MIN ? INT16_MIN : total > INT16_MAX ? INT16_MAX : total));
    }
}

void fuzz_scores(Input *in) {
  uint8_t how = byte(in);
  int64_t rows = below(in, 8), width = 1 + below(in, 40), best = below(in, 6);
  float *scores = floats(in, rows * width, how & 1), *prior = how & 2 ? floats(in, width, how & 1) : NULL;
  uint8_t *spoken = array(rows, 1);
  for (int64_t n = 0; n < rows; n++) spoken[n] = byte(in) & 1;
  check_top(scores, rows, width, best);
  float *soft = copy(scores, rows * width, 4), *out = array(rows * width, 4);
  CHECK(!graphlang_scores_softmax(rows, width, soft, prior, how & 4 ? spoken : NULL, 0.002));
  for (int64_t n = 0; n < rows && !(how & 1); n++)
    if (!(how & 4) || spoken[n])
      check_sum(soft + n * width, width, 0);
    else
      for (int64_t j = 0; j < width; j++) CHECK(soft[n * width + j] == 0);
  check_top(soft, rows, width, best);
  check_tails(soft, rows, width, width - width / 2);
  int16_t *whole = array(rows * width, 2);
  for (int64_t n = 0; n < rows * width; n++) whole[n] = (int16_t)(byte(in) * 257);
  float *each = floats(in, 4 * rows, how & 1), *label = floats(in, 3 * width, how & 1);
  CHECK(!graphlang_scores_linear(rows, width, width, whole, each, each + rows, each + 2 * rows, each + 3 * rows, label,
                                 label + width, label + 2 * width, out));
  windows_of(in, rows, width, whole, label, how);
}

HARNESS_END
