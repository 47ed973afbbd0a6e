/* Rows of scores -> probabilities, and the best of them. `graphlang.content` (`calibration`, `score_lists`, `nfc.scores`,
   `nfc.doubt`, `text.windows`) explains the formulas.

   Pure functions over the caller's arrays: no state, no memory of their own. All passes over a row run while it is in the
   cache. Floating-point sums are kept in eight lanes, which are then added, so results are the same on every machine. */
#ifndef GRAPHLANG_SCORES_H
#define GRAPHLANG_SCORES_H
#include "kernel.h"

enum {
    GRAPHLANG_SCORES_FIELDS = 3, /* numbers of each script in `columns` */
    GRAPHLANG_SCORES_UNKNOWN = 8, /* coefficients of `nfc.doubt`; the ranges to which their features are clipped follow */
    GRAPHLANG_SCORES_MIN_FIT = -4,
    GRAPHLANG_SCORES_MAX_FIT = 1,
    GRAPHLANG_SCORES_MIN_BASE = 1,
    GRAPHLANG_SCORES_MAX_BASE = 7,
    GRAPHLANG_SCORES_MIN_LETTERS = 4,
    GRAPHLANG_SCORES_MAX_LETTERS = 512,
    GRAPHLANG_SCORES_KINDS = 3,  /* of n-grams that are compared for an unknown language */
    GRAPHLANG_SCORES_SIGNS = 17, /* of an unknown language (`doubt.FEATURES`): seven, three of each kind, one more */
    GRAPHLANG_SCORES_CUT = 3,    /* maximum spreads from the mean of a sign */
    GRAPHLANG_SCORES_MAX_MARGIN = 4
};

/* out = scale[row] * sums + base_scale[row] * base[column] + bias_scale[row] * bias[column]
   + prior_scale[row] * prior[column]. Rows of `sums` may be longer than those of `out`. */
int graphlang_scores_linear(int64_t rows, int64_t stride, int64_t width, const int16_t sums[rows * stride],
                            const float scale[rows], const float base_scale[rows], const float bias_scale[rows],
                            const float prior_scale[rows], const float base[width], const float bias[width],
                            const float prior[width], float out[rows * width]);

/* Replace each row of `scores` by the softmax of row + `prior`; a row without letters becomes 0. None: no prior; all rows
   have letters. outliers: the part of the probability that all columns share equally. */
int graphlang_scores_softmax(int64_t rows, int64_t width, float scores[rows * width], OPTIONAL const float prior[width],
                             OPTIONAL const uint8_t has_letters[rows], double outliers);

/* Compute probabilities of texts, script by script, from their sums of weights: scores_linear and scores_softmax in one
   pass, with the scales looked up by text (`nfc.scores`).

   sums, order, counts: of ngrams_sums. columns: of each script its first label, its number of labels, and the length of a
   row of its sums. offsets: text t has offsets[t + 1] - offsets[t] features. lengths: letters of each text.
   inverse_temperature: of each script and length; prior_exponent: of each length; the last is for longer texts, too.
   base, bias, prior: of each label. to: the row of `answer` for each text. Labels of other scripts get 0, and so does a
   text without letters.
   unknown: coefficients of P(unknown language) (`nfc.doubt`), which is spread evenly over the labels of the script, or
   None. A text of more than `max_unknown` gets 0 for all labels.
   lm_sums: sums of the character language model, in units of lm_step and laid out as `sums`, or None. With them: lm_gain,
   the weight of the model for each length, 0 for longer texts; lm_letter, lm_word, lm_text: of each label; lm_words: words
   of each text. Returns how many texts are in one of the scripts. */
int64_t graphlang_scores_probabilities(int64_t size, int64_t rows, int64_t classes, int64_t scripts, int64_t knots,
                                       int64_t labels, int64_t room, int64_t lm_size, int64_t lm_knots,
                                       const int16_t sums[size], const int64_t order[rows],
                                       const int64_t counts[classes],
                                       const int64_t columns[scripts * GRAPHLANG_SCORES_FIELDS],
                                       const int64_t offsets[rows + 1], const int64_t lengths[rows],
                                       const float inverse_temperature[scripts * knots],
                                       const float prior_exponent[knots], double step, const float base[labels],
                                       const float bias[labels], const float prior[labels], double outliers,
                                       OPTIONAL const float unknown[GRAPHLANG_SCORES_UNKNOWN], double max_unknown,
                                       const int64_t to[rows], float answer[room * labels],
                                       OPTIONAL const int16_t lm_sums[lm_size], double lm_step,
                                       OPTIONAL const float lm_gain[lm_knots], OPTIONAL const float lm_letter[labels],
                                       OPTIONAL const float lm_word[labels], OPTIONAL const float lm_text[labels],
                                       OPTIONAL const int64_t lm_words[rows], graphlang_fault *fault);

/* Compute probabilities of texts of several windows, script by script, as a mixture (`text.windows`).

   sums, order, counts, columns: as in scores_probabilities, by window. features: window w has features[w + 1] - features[w]
   of them; lengths: letters of each window. offsets: text t has the windows offsets[t] to offsets[t + 1] - 1, all in one
   script and adjacent in `order`. inverse_temperature, base, bias, unknown, max_unknown: as in scores_probabilities.
   prior: added to the log likelihood of each label. foreign: number of English, or -1. outliers, share, mixed, exponent:
   OUTLIERS, FOREIGN, MIXED and EFFECTIVE of `text.windows`. uniform: the part of the probability that all labels share
   equally. to: the row of `answer` for each text; labels of other scripts do not change. scores: working memory for twice
   the scores of a text's windows. confidence: the greatest probability of each text before the doubt of unknown languages; 0
   if no window is in a script. */
int graphlang_scores_mixture(int64_t size, int64_t windows, int64_t classes, int64_t scripts, int64_t knots,
                             int64_t labels, int64_t room, int64_t texts, int64_t cells, const int16_t sums[size],
                             const int64_t order[windows], const int64_t counts[classes],
                             const int64_t columns[scripts * GRAPHLANG_SCORES_FIELDS],
                             const int64_t features[windows + 1], const int64_t lengths[windows],
                             const int64_t offsets[texts + 1], const float inverse_temperature[scripts * knots],
                             double step, const float base[labels], const float bias[labels], const float prior[labels],
                             int64_t foreign, double outliers, double share, double mixed, double exponent,
                             double uniform, const float unknown[GRAPHLANG_SCORES_UNKNOWN], double max_unknown,
                             const int64_t to[texts], float answer[room * labels], float scores[cells],
                             float confidence[texts], graphlang_fault *fault);

/* Sum rows by groups: group g sums the rows members[i], offsets[g] <= i < offsets[g + 1]. Sums are clipped to 16 bits. */
int graphlang_scores_add(int64_t rows, int64_t stride, int64_t number, int64_t groups,
                         const int16_t sums[rows * stride], const int64_t members[number],
                         const int64_t offsets[groups + 1], int16_t totals[groups * stride], graphlang_fault *fault);

/* Find the best label of each text, its fit and its margin over the next label.

   sums, order, counts, columns, features, offsets: as in scores_mixture; a text may have one window. letters: of each text;
   to: its row of `answer`, which has its probabilities. A text of fewer than `min_letters`, without an answer, or in a
   script of one language gets -1 and zeros.
   best: the most probable label, counted among those of its script. fit: the mean that a feature adds to it, base
   included. margin: the fit less the greatest fit of another label. */
int graphlang_scores_best(int64_t size, int64_t windows, int64_t classes, int64_t scripts, int64_t labels, int64_t room,
                          int64_t texts, const int16_t sums[size], const int64_t order[windows],
                          const int64_t counts[classes], const int64_t columns[scripts * GRAPHLANG_SCORES_FIELDS],
                          const int64_t features[windows + 1], const int64_t offsets[texts + 1],
                          const int64_t letters[texts], int64_t min_letters, const float base[labels], double step,
                          const int64_t to[texts], const float answer[room * labels], int64_t best[texts],
                          float fit[texts], float margin[texts], graphlang_fault *fault);

/* Spread the open-set doubt of each text evenly over the labels of its script, in place (`nfc.doubt`).

   script, best: of each text its script, and its best label, counted among those of the script; -1 skips the text.
   columns: as in scores_probabilities. fit, margin: of scores_best. letters, features: numbers of each text. counts,
   label_sums, best_sums, nonzero: of ngrams_regret. likelihood: of each text, the last sign. base, prior: of each label.
   unknown: coefficients of the doubt that `answer` has already; only a greater one changes it.
   mean, spread: of the first `dimensions` signs, which count; spreads are above 0. terms: of the logit, a constant, each of
   these signs, and each product of two.
   min_doubt: smaller doubts change nothing. next_doubt, next_confidence: a text of at least this doubt whose best label has
   at least this probability does not change: the next stage decides. to: the row of `answer` for each text.
   signs, doubt: of each text, zeros if it is skipped. undecided: 1 for the texts of the next stage, else 0. */
int graphlang_scores_open_set(int64_t texts, int64_t scripts, int64_t labels, int64_t room, int64_t dimensions,
                              int64_t coefficients, const int64_t script[texts], const int64_t best[texts],
                              const int64_t columns[scripts * GRAPHLANG_SCORES_FIELDS], const float fit[texts],
                              const float margin[texts], const int64_t letters[texts], const int64_t features[texts],
                              const int64_t counts[texts * GRAPHLANG_SCORES_KINDS],
                              const float label_sums[texts * GRAPHLANG_SCORES_KINDS],
                              const float best_sums[texts * GRAPHLANG_SCORES_KINDS],
                              const int64_t nonzero[texts * GRAPHLANG_SCORES_KINDS], const float likelihood[texts],
                              const float base[labels], const float prior[labels],
                              const float unknown[GRAPHLANG_SCORES_UNKNOWN], const float mean[dimensions],
                              const float spread[dimensions], const float terms[coefficients], double min_doubt,
                              double next_doubt, double next_confidence, const int64_t to[texts],
                              float answer[room * labels], float signs[texts * GRAPHLANG_SCORES_SIGNS],
                              float doubt[texts], uint8_t undecided[texts], graphlang_fault *fault);

/* Find the k greatest numbers of each row that are above 0, in order, the earlier of equal ones first; then -1 and 0. */
int graphlang_scores_top(int64_t rows, int64_t width, int64_t k, const float probabilities[rows * width],
                         int16_t indices[rows * k], float values[rows * k]);

/* Measure by row whether a text may be in none of the first `labels` columns (`nfc.further`): the greatest probability. If
   it is below `threshold`, also the next one, the least above 0, and the number of those above 0; else 0. */
int graphlang_scores_tails(int64_t rows, int64_t width, int64_t labels, double threshold,
                           const float probabilities[rows * width], float best[rows], float next[rows],
                           float least[rows], int64_t positive[rows]);

#endif
