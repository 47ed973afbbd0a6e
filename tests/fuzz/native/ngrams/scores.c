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

void fuzz_scores(Input *in) {
  uint8_t how = byte(in);
  int64_t rows = below(in, 8), width = 1 + below(in, 40), texts = 1 + below(in, 3), foreign = below(in, width + 1) - 1;
  int64_t best = below(in, 6);
  float *scores = floats(in, rows * width, how & 1), *prior = how & 2 ? floats(in, width, how & 1) : NULL;
  uint8_t *spoken = array(rows, 1);
  for (int64_t n = 0; n < rows; n++) spoken[n] = byte(in) & 1;
  check_top(scores, rows, width, best);
  float *soft = copy(scores, rows * width, 4), *likely = array(texts * width, 4), *out = array(rows * width, 4);
  CHECK(!graphlang_scores_softmax(rows, width, soft, prior, how & 4 ? spoken : NULL, 0.002));
  for (int64_t n = 0; n < rows && !(how & 1); n++)
    if (!(how & 4) || spoken[n])
      check_sum(soft + n * width, width, 0);
    else
      for (int64_t j = 0; j < width; j++) CHECK(soft[n * width + j] == 0);
  check_top(soft, rows, width, best);
  int64_t *offsets = array(texts + 1, 8);
  for (int64_t n = 0; n <= texts; n++) offsets[n] = how & 8 ? damaged(in, rows) : rows * n / texts;
  int64_t wrong = 0;
  for (int64_t n = 0; n < texts; n++) wrong |= offsets[n] < 0 || offsets[n + 1] < offsets[n] || offsets[n + 1] > rows;
  graphlang_fault fault = {0};
  int64_t done = graphlang_scores_windows(rows, width, texts, scores, spoken, offsets, foreign, 2e-3, 0.28, 0.02, 0.8, likely,
                                          &fault);
  CHECK(done == (wrong ? GRAPHLANG_OUT_OF_RANGE : 0));
  if (wrong) check_fault(&fault);
  for (int64_t n = 0; n < texts * width && !(how & 9); n++) CHECK(isfinite(likely[n]));
  int16_t *whole = array(rows * width, 2);
  for (int64_t n = 0; n < rows * width; n++) whole[n] = (int16_t)(byte(in) * 257);
  float *each = floats(in, 4 * rows, how & 1), *label = floats(in, 3 * width, how & 1);
  CHECK(!graphlang_scores_linear(rows, width, width, whole, each, each + rows, each + 2 * rows, each + 3 * rows, label,
                                 label + width, label + 2 * width, out));
}

HARNESS_END
