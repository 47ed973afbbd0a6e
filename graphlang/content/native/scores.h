/* Rows of scores -> probabilities, and the best of them. What is computed stands in `graphlang.content`:
   `scoring.calibration`, `scoring.top_k`, `nfc.scores`, `text.windows`.

   Pure functions over arrays of the caller, without state or memory of their own. A row is read while it is in the cache,
   from its first pass to its last. Sums of floating point go over eight lanes side by side, and then over the lanes, so
   that they are the same on every machine. */
#ifndef GRAPHLANG_SCORES_H
#define GRAPHLANG_SCORES_H
#include "kernel.h"

enum {
    GRAPHLANG_SCORES_FIELDS = 3, /* of a script's line in `columns` */
    GRAPHLANG_SCORES_UNKNOWN = 8, /* coefficients of `nfc.doubt`; and beyond what its numbers are cut: */
    GRAPHLANG_SCORES_FIT_LEAST = -4,
    GRAPHLANG_SCORES_FIT_MOST = 1,
    GRAPHLANG_SCORES_BASE_LEAST = 1,
    GRAPHLANG_SCORES_BASE_MOST = 7,
    GRAPHLANG_SCORES_LETTERS_LEAST = 4,
    GRAPHLANG_SCORES_LETTERS_MOST = 512,
    GRAPHLANG_SCORES_KINDS = 3,  /* of n-grams that are asked about a language that is not there */
    GRAPHLANG_SCORES_SIGNS = 17, /* of such a language (`nfc.doubt`): seven, three of each kind, one more */
    GRAPHLANG_SCORES_CUT = 3,   /* spreads from the mean beyond which a sign is cut */
    GRAPHLANG_SCORES_MARGIN_MOST = 4
};

/* out = sums * scale of the row + base_scale of the row * base of the column + bias_scale of the row * bias of the column
   + prior_scale of the row * prior of the column. Rows of `sums` may be longer than those of `out`. */
int graphlang_scores_linear(int64_t rows, int64_t stride, int64_t width, const int16_t sums[rows * stride],
                            const float scale[rows], const float base_scale[rows], const float bias_scale[rows],
                            const float prior_scale[rows], const float base[width], const float bias[width],
                            const float prior[width], float out[rows * width]);

/* Each row, plus `prior`, becomes its softmax, in place; a row without letters becomes 0. None: no prior; all have letters.

   outliers: the part of the probability that all columns share. */
int graphlang_scores_softmax(int64_t rows, int64_t width, float scores[rows * width], OPTIONAL const float prior[width],
                             OPTIONAL const uint8_t has_letters[rows], double outliers);

/* Probabilities of texts, script by script, from their sums of weights: what scores_linear and scores_softmax do, in one
   go, and what they know of each text looked up here (`nfc.scores`).

   sums, order, counts: as ngrams_sums has them. columns: for each script its first label, how many it has, and how wide a
   row of its sums is. offsets: text t has offsets[t + 1] - offsets[t] features. lengths: the letters of each. inverse_temperature: for each script and length, the last for longer texts too;
   prior_exponent: for each length. base, bias, prior: of each label. to: the row of `answer` that each text gets; labels of
   other scripts get 0, and so do all where there are no letters.
   unknown: None, or how probable it is that a text is in no language of the model, as coefficients
   (`nfc.doubt`): that part of the probability all labels of the script share. Where it is more than `refused`,
   all are 0.
   lm_sums: None, or sums like `sums` of what the character language model says, in units of lm_step; then lm_gain: what
   that counts for, for each length, and nothing for longer texts; lm_letter, lm_word, lm_text: of each label; lm_words:
   of each text. Returns how many texts there are in the scripts. */
int64_t graphlang_scores_probabilities(int64_t size, int64_t rows, int64_t classes, int64_t scripts, int64_t knots,
                                       int64_t labels, int64_t room, int64_t lm_size, int64_t lm_knots,
                                       const int16_t sums[size], const int64_t order[rows],
                                       const int64_t counts[classes],
                                       const int64_t columns[scripts * GRAPHLANG_SCORES_FIELDS],
                                       const int64_t offsets[rows + 1], const int64_t lengths[rows],
                                       const float inverse_temperature[scripts * knots], const float prior_exponent[knots],
                                       double step,
                                       const float base[labels], const float bias[labels], const float prior[labels],
                                       double outliers, OPTIONAL const float unknown[GRAPHLANG_SCORES_UNKNOWN],
                                       double refused, const int64_t to[rows], float answer[room * labels],
                                       OPTIONAL const int16_t lm_sums[lm_size], double lm_step,
                                       OPTIONAL const float lm_gain[lm_knots], OPTIONAL const float lm_letter[labels],
                                       OPTIONAL const float lm_word[labels], OPTIONAL const float lm_text[labels],
                                       OPTIONAL const int64_t lm_words[rows], graphlang_fault *fault);

/* Probabilities of texts of several windows, script by script, from the sums of weights of their windows: what these say
   together, in a mixture (`text.windows`).

   sums, order, counts, columns: of the windows, as scores_probabilities has them of texts. features: window w has
   features[w + 1] - features[w] of them; lengths: the letters of each. offsets: text t has the windows offsets[t] to
   offsets[t + 1] - 1, all of them in one script and one behind the other in `order`. inverse_temperature, base, bias: as
   scores_probabilities has them; prior: what is added to what a text's windows say for each label. foreign: number of English,
   or -1. outliers, share, mixed, exponent: OUTLIERS, FOREIGN, MIXED and EFFECTIVE there. even: the part of the probability
   that all columns share. unknown, refused: as scores_probabilities has them. to: the row of `answer` that each text gets,
   of which labels of other scripts are left as they are. scores: room for twice those of a text's windows,
   overwritten. sure: the greatest probability of each text before unknown languages were thought of; of texts without windows
   in a script, 0. */
int graphlang_scores_mixture(int64_t size, int64_t windows, int64_t classes, int64_t scripts, int64_t knots, int64_t labels,
                             int64_t room, int64_t texts, int64_t cells, const int16_t sums[size],
                             const int64_t order[windows], const int64_t counts[classes],
                             const int64_t columns[scripts * GRAPHLANG_SCORES_FIELDS], const int64_t features[windows + 1],
                             const int64_t lengths[windows], const int64_t offsets[texts + 1],
                             const float inverse_temperature[scripts * knots], double step, const float base[labels],
                             const float bias[labels], const float prior[labels], int64_t foreign, double outliers,
                             double share, double mixed, double exponent, double even,
                             const float unknown[GRAPHLANG_SCORES_UNKNOWN], double refused, const int64_t to[texts],
                             float answer[room * labels], float scores[cells], float sure[texts], graphlang_fault *fault);

/* Rows added up by groups: the sum of group g is that of the rows members[i], for i from offsets[g] to offsets[g + 1] - 1,
   each number cut to 16 bits. */
int graphlang_scores_add(int64_t rows, int64_t stride, int64_t number, int64_t groups, const int16_t sums[rows * stride],
                         const int64_t members[number], const int64_t offsets[groups + 1], int16_t totals[groups * stride],
                         graphlang_fault *fault);

/* How the best language of each text stands before the others.

   A text has one window or several. sums, order, counts, columns: of the windows, as scores_probabilities has them of texts.
   features: window w has features[w + 1] - features[w] of them. offsets: text t has the windows offsets[t] to
   offsets[t + 1] - 1, all of them in one script and one behind the other in `order`. letters, to: of each text, and its row
   in `answer`, which holds its probabilities. Left out are texts of fewer letters than `fewest`, and those without an answer
   or in a script of one language: they get -1 and 0.
   best: the most probable label, counted among those of its script; fit: what a feature says for it on average, its base
   included; margin: how much more that is than for the best of the others. */
int graphlang_scores_best(int64_t size, int64_t windows, int64_t classes, int64_t scripts, int64_t labels, int64_t room,
                          int64_t texts, const int16_t sums[size], const int64_t order[windows],
                          const int64_t counts[classes], const int64_t columns[scripts * GRAPHLANG_SCORES_FIELDS],
                          const int64_t features[windows + 1], const int64_t offsets[texts + 1], const int64_t letters[texts],
                          int64_t fewest, const float base[labels], double step, const int64_t to[texts], const float answer[room * labels], int64_t best[texts], float fit[texts],
                          float margin[texts], graphlang_fault *fault);

/* Share what may be in a language that is not there among the labels of each text's script (`nfc.doubt`).

   script, best: of each text, the best label counted among those of the script, or -1 for a text that is left as it is.
   columns: as scores_probabilities has them. fit, margin: as scores_best tells them. letters, found: of each text, and its
   features. number, own, most, has: as ngrams_regret tells them. likelihood: of each text, the last sign. base, prior: of each
   label. unknown: what was shared
   already, which counts towards this. mean, spread: of the first signs, as many as count, a spread
   above 0; terms: a constant, and what each of these and each product of two counts for. least: of a part
   that is worth the while. ask, sure: a text with such a part, whose best label has such a probability, is left as it is,
   for more signs to decide. to: the row of `answer` of each. signs, part: what was found; 0 where nothing is asked.
   again: 1 where a text was left, else 0. */
int graphlang_scores_open_set(int64_t texts, int64_t scripts, int64_t labels, int64_t room, int64_t used, int64_t coefficients, const int64_t script[texts],
                              const int64_t best[texts], const int64_t columns[scripts * GRAPHLANG_SCORES_FIELDS],
                              const float fit[texts], const float margin[texts], const int64_t letters[texts],
                              const int64_t found[texts],
                              const int64_t number[texts * GRAPHLANG_SCORES_KINDS],
                              const float own[texts * GRAPHLANG_SCORES_KINDS], const float most[texts * GRAPHLANG_SCORES_KINDS],
                              const int64_t has[texts * GRAPHLANG_SCORES_KINDS], const float likelihood[texts], const float base[labels], const float prior[labels],
                              const float unknown[GRAPHLANG_SCORES_UNKNOWN], const float mean[used], const float spread[used],
                              const float terms[coefficients],
                              double least, double ask, double sure, const int64_t to[texts], float answer[room * labels],
                              float signs[texts * GRAPHLANG_SCORES_SIGNS], float part[texts], uint8_t again[texts],
                              graphlang_fault *fault);

/* The `best` greatest of each row that are above 0, in order, the earlier of equal ones first; then -1 and 0. */
int graphlang_scores_top(int64_t rows, int64_t width, int64_t best, const float probabilities[rows * width],
                         int16_t indices[rows * best], float values[rows * best]);

/* What shows that a text may be in none of the first `labels` columns (`nfc.further`), by row: the greatest probability;
   and where that is below `sure` the next one, the least above 0, and the number of those above 0, else 0. */
int graphlang_scores_tails(int64_t rows, int64_t width, int64_t labels, double sure,
                           const float probabilities[rows * width], float best[rows], float next[rows],
                           float least[rows], int64_t positive[rows]);

#endif
