#include "scores.h"

#include <math.h>
#include <string.h>

#include "common.h"

#define LANES 8
#define FIELDS GRAPHLANG_SCORES_FIELDS

/* Compute e ** x for x <= 0, to two units in the last place; 0 below the normal numbers. */
INLINE float exponential(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2 ** 23: adding it rounds to a whole number */
    float is_normal = x < -87.0f ? 0.0f : 1.0f, y = x < -87.0f ? -87.0f : x;
    float shifted = y * 1.44269504088896341f + magic, whole = shifted - magic;
    float r = y - whole * 0.693359375f + whole * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * (r * r) + r + 1.0f;
    uint32_t bits;
    memcpy(&bits, &shifted, 4);
    bits = (bits - 0x4B400000u + 127u) << 23;
    float power;
    memcpy(&power, &bits, 4);
    return p * power * is_normal;
}

/* Compute the natural logarithm of a normal number above 0. */
INLINE float logarithm(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, 4);
    uint32_t from_root = bits - 0x3F3504F3u; /* sqrt(1/2) */
    int32_t exponent = (int32_t)from_root >> 23;
    bits -= (uint32_t)exponent << 23;
    float m, e = (float)exponent;
    memcpy(&m, &bits, 4);
    m -= 1.0f;
    float z = m * m, p = 7.0376836292e-2f;
    p = p * m - 1.1514610310e-1f;
    p = p * m + 1.1676998740e-1f;
    p = p * m - 1.2420140846e-1f;
    p = p * m + 1.4249322787e-1f;
    p = p * m - 1.6668057665e-1f;
    p = p * m + 2.0000714765e-1f;
    p = p * m - 2.4999993993e-1f;
    p = p * m + 3.3333331174e-1f;
    p = p * m * z + e * -2.12194440e-4f - 0.5f * z;
    return m + p + e * 0.693359375f;
}

INLINE float greatest(const float *row, int64_t width)
{
    float lanes[LANES], maximum = row[0];
    int64_t j = 0;
    for (int k = 0; k < LANES; k++)
        lanes[k] = maximum;
    for (; j + LANES <= width; j += LANES)
        for (int k = 0; k < LANES; k++)
            lanes[k] = row[j + k] > lanes[k] ? row[j + k] : lanes[k];
    for (; j < width; j++)
        maximum = row[j] > maximum ? row[j] : maximum;
    for (int k = 0; k < LANES; k++)
        maximum = lanes[k] > maximum ? lanes[k] : maximum;
    return maximum;
}

INLINE float sum(const float *row, int64_t width)
{
    float lanes[LANES] = {0}, total = 0;
    int64_t j = 0;
    for (; j + LANES <= width; j += LANES)
        for (int k = 0; k < LANES; k++)
            lanes[k] += row[j + k];
    for (; j < width; j++)
        total += row[j];
    for (int k = 0; k < LANES; k++)
        total += lanes[k];
    return total;
}

WIDE
int graphlang_scores_linear(int64_t rows, int64_t stride, int64_t width, const int16_t *sums, const float *scale,
                            const float *base_scale, const float *bias_scale, const float *prior_scale,
                            const float *base, const float *bias, const float *prior, float *out)
{
    if (stride < width)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t row = 0; row < rows; row++) {
        const int16_t *row_sums = sums + row * stride;
        float *row_out = out + row * width, a = scale[row], b = base_scale[row], c = bias_scale[row], d = prior_scale[row];
        for (int64_t j = 0; j < width; j++)
            row_out[j] = (float)row_sums[j] * a + b * base[j] + c * bias[j] + d * prior[j];
    }
    return 0;
}

/* Replace a row by its softmax, times `rest`, plus `uniform`. */
INLINE void softmax_row(float *row, int64_t width, float maximum, float rest, float uniform)
{
    for (int64_t j = 0; j < width; j++)
        row[j] = exponential(row[j] - maximum);
    float factor = rest / sum(row, width);
    for (int64_t j = 0; j < width; j++)
        row[j] = row[j] * factor + uniform;
}

WIDE
int graphlang_scores_softmax(int64_t rows, int64_t width, float *scores, const float *prior, const uint8_t *has_letters,
                             double outliers)
{
    if (width < 1)
        return rows ? GRAPHLANG_WRONG_SIZE : 0;
    float uniform = (float)(outliers / (double)width), rest = (float)(1 - outliers);
    for (int64_t row = 0; row < rows; row++) {
        float *row_scores = scores + row * width;
        if (has_letters && !has_letters[row]) {
            memset(row_scores, 0, (size_t)width * sizeof *row_scores);
            continue;
        }
        if (prior)
            for (int64_t j = 0; j < width; j++)
                row_scores[j] += prior[j];
        softmax_row(row_scores, width, greatest(row_scores, width), rest, uniform);
    }
    return 0;
}

/* Find the place of the first maximum of a row. */
INLINE int64_t find_maximum(const float *row, int64_t width, float maximum)
{
    int64_t j = 0;
    for (; j + LANES <= width; j += LANES) {
        int reached = 0;
        for (int k = 0; k < LANES; k++)
            reached |= row[j + k] >= maximum;
        if (reached)
            break;
    }
    if (j >= width)
        j = width - 1; /* no maximum: a number is not finite */
    while (j < width - 1 && row[j] < maximum)
        j++;
    return j;
}

INLINE float clamp(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* Estimate P(language unknown to the model) (`nfc.doubt`) from the fit of the best label, its base, and the number of
   letters. k: the coefficients. */
INLINE float unknown_probability(const float *k, float fit, float base, int64_t letters)
{
    float r = clamp(fit, GRAPHLANG_SCORES_MIN_FIT, GRAPHLANG_SCORES_MAX_FIT);
    float b = clamp(-base, GRAPHLANG_SCORES_MIN_BASE, GRAPHLANG_SCORES_MAX_BASE);
    float n = logarithm(clamp((float)letters, GRAPHLANG_SCORES_MIN_LETTERS, GRAPHLANG_SCORES_MAX_LETTERS));
    float z = k[0] + k[1] * r + k[2] * b + k[3] * n + k[4] * r * n + k[5] * r * b + k[6] * b * n + k[7] * b * b;
    float small = exponential(z < 0 ? z : -z);
    return (z < 0 ? small : 1.0f) / (1.0f + small);
}

/* A script's line in `columns`. */
struct script {
    int64_t first, width, stride;
};

/* Read that line; return 0, or an error if the line or the number of rows in the script is out of range. */
INLINE int check_script(const int64_t *columns, int64_t script, int64_t labels, const int64_t *counts, int64_t size,
                        int64_t rows, struct script *checked, graphlang_fault *fault)
{
    const int64_t *line = columns + FIELDS * script;
    *checked = (struct script){line[0], line[1], line[2]};
    if (checked->first < 0 || checked->first >= labels)
        return GRAPHLANG_REFUSE(fault, "columns", FIELDS * script, checked->first, 0, labels - 1);
    if (checked->width < 1 || checked->width > labels - checked->first)
        return GRAPHLANG_REFUSE(fault, "columns", FIELDS * script + 1, checked->width, 1, labels - checked->first);
    if (checked->stride < checked->width || checked->stride > INT32_MAX)
        return GRAPHLANG_REFUSE(fault, "columns", FIELDS * script + 2, checked->stride, checked->width, INT32_MAX);
    int64_t max_rows = size / checked->stride < rows ? size / checked->stride : rows;
    if (counts[script] < 0 || counts[script] > max_rows)
        return GRAPHLANG_REFUSE(fault, "counts", script, counts[script], 0, max_rows);
    return 0;
}

WIDE
int64_t graphlang_scores_probabilities(int64_t size, int64_t rows, int64_t classes, int64_t scripts, int64_t knots,
                                       int64_t labels, int64_t room, int64_t lm_size, int64_t lm_knots,
                                       const int16_t *sums, const int64_t *order, const int64_t *counts,
                                       const int64_t *columns, const int64_t *offsets, const int64_t *lengths,
                                       const float *inverse_temperature, const float *prior_exponent, double step,
                                       const float *base, const float *bias, const float *prior, double outliers,
                                       const float *unknown, double max_unknown, const int64_t *to, float *answer,
                                       const int16_t *lm_sums, double lm_step, const float *lm_gain,
                                       const float *lm_letter, const float *lm_word, const float *lm_text,
                                       const int64_t *lm_words, graphlang_fault *fault)
{
    int64_t answered = 0;
    if (classes < scripts || knots < 1)
        return GRAPHLANG_WRONG_SIZE;
    if (lm_sums && !(lm_size == size && lm_gain && lm_letter && lm_word && lm_text && lm_words))
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t script = 0; script < scripts; script++) {
        struct script current;
        if (check_script(columns, script, labels, counts, size, rows - answered, &current, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        int64_t first = current.first, width = current.width, stride = current.stride;
        const float *x = base + first, *y = bias + first, *z = prior + first;
        for (int64_t i = 0; i < counts[script]; i++, sums += stride, size -= stride, lm_sums = lm_sums ? lm_sums + stride : NULL) {
            int64_t row = order[answered + i];
            if (row < 0 || row >= rows)
                return GRAPHLANG_REFUSE(fault, "order", answered + i, row, 0, rows - 1);
            if (to[row] < 0 || to[row] >= room)
                return GRAPHLANG_REFUSE(fault, "to", row, to[row], 0, room - 1);
            if (lengths[row] < 0)
                return GRAPHLANG_REFUSE(fault, "lengths", row, lengths[row], 0, INT64_MAX);
            if (offsets[row] < 0 || offsets[row] > offsets[row + 1])
                return GRAPHLANG_REFUSE(fault, "offsets", row, offsets[row], 0, offsets[row + 1]);
            float *row_scores = answer + to[row] * labels;
            memset(row_scores, 0, (size_t)labels * sizeof *row_scores);
            if (!lengths[row])
                continue;
            int64_t length = lengths[row] < knots - 1 ? lengths[row] : knots - 1, feature_count = offsets[row + 1] - offsets[row];
            float root = (float)sqrt((double)feature_count), c = inverse_temperature[script * knots + length];
            float a = c * (float)step / (root > 1 ? root : 1), b = c * root, d = prior_exponent[length];
            row_scores += first;
            for (int64_t j = 0; j < width; j++)
                row_scores[j] = (float)sums[j] * a + b * x[j] + c * y[j] + d * z[j];
            if (lm_sums && lengths[row] < lm_knots) {
                float g = lm_gain[lengths[row]], e = g * (float)lm_step;
                float f = g * (float)lengths[row], h = g * (float)lm_words[row];
                const float *u = lm_letter + first, *v = lm_word + first, *w = lm_text + first;
                for (int64_t j = 0; j < width; j++)
                    row_scores[j] += (float)lm_sums[j] * e + f * u[j] + h * v[j] + g * w[j];
            }
            float maximum = greatest(row_scores, width), p_unknown = 0;
            if (unknown && width > 1) {
                int64_t best = find_maximum(row_scores, width, maximum);
                float fit = x[best] + (feature_count ? (float)sums[best] * (float)step / (float)feature_count : 0.0f);
                p_unknown = unknown_probability(unknown, fit, x[best], lengths[row]);
                if (p_unknown > (float)max_unknown) {
                    memset(row_scores, 0, (size_t)width * sizeof *row_scores);
                    continue;
                }
            }
            float rest = (1 - p_unknown) * (float)(1 - outliers);
            softmax_row(row_scores, width, maximum, rest, (1 - rest) / (float)width);
        }
        answered += counts[script];
    }
    return answered;
}

/* Return 0, or an error if the windows of a text are out of range. */
INLINE int check_windows(int64_t texts, const int64_t *offsets, int64_t windows, graphlang_fault *fault)
{
    for (int64_t text = 0; text < texts; text++)
        if (offsets[text] < 0 || offsets[text] > offsets[text + 1])
            return GRAPHLANG_REFUSE(fault, "offsets", text, offsets[text], 0, offsets[text + 1]);
    return offsets[texts] > windows ? GRAPHLANG_REFUSE(fault, "offsets", texts, offsets[texts], 0, windows) : 0;
}

/* Find the text whose first window is order[at], from `text` on; below 0 if its windows are not adjacent in `order`. */
INLINE int64_t find_text(int64_t at, int64_t stop, const int64_t *order, int64_t windows, const int64_t *features,
                       int64_t texts, const int64_t *offsets, int64_t text, graphlang_fault *fault)
{
    int64_t window = order[at];
    if (window < 0 || window >= windows)
        return GRAPHLANG_REFUSE(fault, "order", at, window, 0, windows - 1);
    while (text < texts && offsets[text + 1] <= window)
        text++;
    if (text == texts || offsets[text] != window)
        return GRAPHLANG_REFUSE(fault, "order", at, window, 0, -1);
    for (; window < offsets[text + 1]; window++, at++) {
        if (at >= stop || order[at] != window)
            return GRAPHLANG_REFUSE(fault, "offsets", text + 1, offsets[text + 1], offsets[text] + 1, window);
        if (features[window] < 0 || features[window] > features[window + 1])
            return GRAPHLANG_REFUSE(fault, "features", window, features[window], 0, features[window + 1]);
    }
    return text;
}

/* Compute log(exp(a) + exp(b)). */
INLINE float log_add(float a, float b)
{
    float high = a > b ? a : b, low = a > b ? b : a;
    return high + logarithm(1.0f + exponential(low - high));
}

/* Compute the log likelihood of each label for the windows of a text. scores: of the windows, overwritten, and the same
   number of working places after them; the softmax of each window is the probability of its labels. lengths: windows
   without letters do not count. */
INLINE void mix_windows(int64_t windows, int64_t width, float *scores, const int64_t *lengths, int64_t foreign,
                        double outliers, double share, double mixed, double exponent, float *pure)
{
    const float log_outliers = (float)log(outliers), foreign_share = (float)share, pure_share = (float)(1 - share);
    const float outlier_share = (float)outliers;
    float max_foreign = 0, number = 0, *likelihood = scores + windows * width;
    memset(pure, 0, (size_t)width * sizeof *pure);
    for (int64_t window = 0; window < windows; window++) {
        float *row = scores + window * width, *row_likelihood = likelihood + window * width;
        float maximum = greatest(row, width), has_letters = lengths[window] > 0 ? 1.0f : 0.0f;
        float total = 0, lanes[LANES] = {0};
        int64_t j = 0;
        for (; j + LANES <= width; j += LANES)
            for (int k = 0; k < LANES; k++) {
                row[j + k] -= maximum;
                row_likelihood[j + k] = exponential(row[j + k]);
                lanes[k] += row_likelihood[j + k];
            }
        for (; j < width; j++) {
            row[j] -= maximum;
            row_likelihood[j] = exponential(row[j]);
            total += row_likelihood[j];
        }
        for (int k = 0; k < LANES; k++)
            total += lanes[k];
        float log_total = logf(total);
        for (j = 0; j < width; j++) {
            float log_probability = row[j] - log_total;
            pure[j] += has_letters * (log_probability < log_outliers ? log_outliers : log_probability);
        }
        float factor = 1 / total, p_foreign = foreign >= 0 ? row_likelihood[foreign] * factor : 0.0f;
        max_foreign = p_foreign > max_foreign ? p_foreign : max_foreign;
        number += has_letters;
    }
    if (max_foreign > foreign_share / 10) {
        for (int64_t window = 0; window < windows; window++) {
            float *row = scores + window * width, *row_likelihood = likelihood + window * width;
            if (lengths[window] <= 0) {
                memset(row, 0, (size_t)width * sizeof *row);
                continue;
            }
            float factor = 1 / sum(row_likelihood, width);
            float rest = foreign_share * (row_likelihood[foreign] * factor) + outlier_share;
            for (int64_t j = 0; j < width; j++)
                row[j] = logarithm(row_likelihood[j] * factor * pure_share + rest);
        }
        float prior = (float)log(mixed);
        int64_t j = 0;
        for (; j + LANES <= width; j += LANES) {
            float mixture[LANES];
            for (int k = 0; k < LANES; k++)
                mixture[k] = prior;
            for (int64_t window = 0; window < windows; window++)
                for (int k = 0; k < LANES; k++)
                    mixture[k] += scores[window * width + j + k];
            for (int k = 0; k < LANES; k++)
                pure[j + k] = log_add(mixture[k], pure[j + k]);
        }
        for (; j < width; j++) {
            float mixture = prior;
            for (int64_t window = 0; window < windows; window++)
                mixture += scores[window * width + j];
            pure[j] = log_add(mixture, pure[j]);
        }
    }
    float weight = (float)pow(number > 1 ? number : 1, exponent - 1);
    for (int64_t j = 0; j < width; j++)
        pure[j] *= weight;
}

/* Sum the weights of the windows of a text for one label. */
INLINE float sum_windows(const int16_t *sums, int64_t stride, int64_t windows, int64_t label)
{
    float total = 0; /* of integers: exact */
    for (int64_t window = 0; window < windows; window++)
        total += (float)sums[window * stride + label];
    return total;
}

/* Spread P(unknown language) evenly over all labels of a text. */
INLINE void discount_unknown(int64_t windows, struct script script, const int16_t *sums, int64_t features,
                             int64_t letters, const float *base, double step, const float *unknown, double max_unknown,
                             float *row, float maximum)
{
    int64_t width = script.width, best = find_maximum(row, width, maximum);
    float fit = base[best] + (features > 0 ? sum_windows(sums, script.stride, windows, best) * (float)step / (float)features
                                           : 0.0f);
    float p_unknown = unknown_probability(unknown, fit, base[best], letters);
    if (p_unknown > (float)max_unknown) {
        memset(row, 0, (size_t)width * sizeof *row);
        return;
    }
    float rest = 1 - p_unknown, uniform = p_unknown / (float)width;
    for (int64_t j = 0; j < width; j++)
        row[j] = row[j] * rest + uniform;
}

WIDE
int graphlang_scores_mixture(int64_t size, int64_t windows, int64_t classes, int64_t scripts, int64_t knots,
                             int64_t labels, int64_t room, int64_t texts, int64_t cells, const int16_t *sums,
                             const int64_t *order, const int64_t *counts, const int64_t *columns,
                             const int64_t *features, const int64_t *lengths, const int64_t *offsets,
                             const float *inverse_temperature, double step, const float *base, const float *bias,
                             const float *prior, int64_t foreign, double outliers, double share, double mixed,
                             double exponent, double uniform, const float *unknown, double max_unknown,
                             const int64_t *to, float *answer, float *scores, float *confidence, graphlang_fault *fault)
{
    int64_t done = 0;
    if (classes < scripts || knots < 1 || foreign >= labels)
        return GRAPHLANG_WRONG_SIZE;
    if (check_windows(texts, offsets, windows, fault))
        return GRAPHLANG_OUT_OF_RANGE;
    for (int64_t text = 0; text < texts; text++)
        confidence[text] = 0;
    for (int64_t number = 0; number < scripts; number++) {
        struct script script;
        if (check_script(columns, number, labels, counts, size, windows - done, &script, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        int64_t width = script.width, stride = script.stride, stop = done + counts[number], text = 0, text_windows;
        int64_t foreign_column = foreign >= script.first && foreign < script.first + width ? foreign - script.first : -1;
        const float *x = base + script.first, *y = bias + script.first, *z = prior + script.first;
        for (; done < stop; done += text_windows, sums += text_windows * stride, size -= text_windows * stride) {
            text = find_text(done, stop, order, windows, features, texts, offsets, text, fault);
            if (text < 0)
                return GRAPHLANG_OUT_OF_RANGE;
            if (to[text] < 0 || to[text] >= room)
                return GRAPHLANG_REFUSE(fault, "to", text, to[text], 0, room - 1);
            int64_t first = offsets[text], letters = 0;
            text_windows = offsets[text + 1] - first;
            if (text_windows > cells / 2 / width)
                return GRAPHLANG_WRONG_SIZE;
            for (int64_t window = 0; window < text_windows; window++) {
                int64_t length = lengths[first + window], feature_count = features[first + window + 1] - features[first + window];
                if (length < 0 || length > INT32_MAX)
                    return GRAPHLANG_REFUSE(fault, "lengths", first + window, length, 0, INT32_MAX);
                letters += length;
                length = length < knots - 1 ? length : knots - 1;
                float root = (float)sqrt((double)feature_count), c = inverse_temperature[number * knots + length];
                float a = c * (float)step / (root > 1 ? root : 1), b = c * root, *window_scores = scores + window * width;
                const int16_t *window_sums = sums + window * stride;
                for (int64_t j = 0; j < width; j++)
                    window_scores[j] = (float)window_sums[j] * a + b * x[j] + c * y[j];
            }
            float *row = answer + to[text] * labels + script.first;
            if (!letters) {
                memset(row, 0, (size_t)width * sizeof *row);
                continue;
            }
            mix_windows(text_windows, width, scores, lengths + first, foreign_column, outliers, share, mixed, exponent, row);
            for (int64_t j = 0; j < width; j++)
                row[j] += z[j];
            softmax_row(row, width, greatest(row, width), (float)(1 - uniform), (float)(uniform / (double)width));
            confidence[text] = greatest(row, width);
            if (width > 1 && confidence[text] > 0)
                discount_unknown(text_windows, script, sums, features[offsets[text + 1]] - features[first], letters, x, step,
                                 unknown, max_unknown, row, confidence[text]);
        }
    }
    return 0;
}

WIDE
int graphlang_scores_add(int64_t rows, int64_t stride, int64_t number, int64_t groups, const int16_t *sums,
                         const int64_t *members, const int64_t *offsets, int16_t *totals, graphlang_fault *fault)
{
    for (int64_t i = 0; i < number; i++)
        if (members[i] < 0 || members[i] >= rows)
            return GRAPHLANG_REFUSE(fault, "members", i, members[i], 0, rows - 1);
    if (check_windows(groups, offsets, number, fault))
        return GRAPHLANG_OUT_OF_RANGE;
    for (int64_t group = 0; group < groups; group++) {
        const int64_t *group_rows = members + offsets[group];
        int64_t size = offsets[group + 1] - offsets[group];
        int16_t *total = totals + group * stride;
        if (size > UINT16_MAX)
            return GRAPHLANG_WRONG_SIZE; /* a longer sum could overflow 32 bits */
        for (int64_t j = 0; j < stride; j += LANES) {
            int32_t lanes[LANES] = {0};
            int64_t width = stride - j < LANES ? stride - j : LANES;
            if (width == LANES)
                for (int64_t i = 0; i < size; i++)
                    for (int k = 0; k < LANES; k++)
                        lanes[k] += sums[group_rows[i] * stride + j + k];
            else
                for (int64_t i = 0; i < size; i++)
                    for (int64_t k = 0; k < width; k++)
                        lanes[k] += sums[group_rows[i] * stride + j + k];
            for (int64_t k = 0; k < width; k++)
                total[j + k] = (int16_t)(lanes[k] < INT16_MIN ? INT16_MIN : lanes[k] > INT16_MAX ? INT16_MAX : lanes[k]);
        }
    }
    return 0;
}

/* Find the greatest fit of a label other than `best`: its sum of weights over the windows times `factor`, plus its base. */
INLINE float find_second_fit(const int16_t *sums, int64_t stride, int64_t windows, const float *base, float factor,
                            int64_t width, int64_t best)
{
    float lanes[LANES], maximum;
    for (int k = 0; k < LANES; k++)
        lanes[k] = -HUGE_VALF;
    for (int side = 0; side < 2; side++) {
        int64_t j = side ? best + 1 : 0, end = side ? width : best;
        for (; j + LANES <= end; j += LANES) {
            float total[LANES] = {0};
            for (int64_t window = 0; window < windows; window++)
                for (int k = 0; k < LANES; k++)
                    total[k] += (float)sums[window * stride + j + k];
            for (int k = 0; k < LANES; k++) {
                float value = total[k] * factor + base[j + k];
                lanes[k] = value > lanes[k] ? value : lanes[k];
            }
        }
        for (; j < end; j++) {
            float value = sum_windows(sums, stride, windows, j) * factor + base[j];
            lanes[0] = value > lanes[0] ? value : lanes[0];
        }
    }
    maximum = lanes[0];
    for (int k = 1; k < LANES; k++)
        maximum = lanes[k] > maximum ? lanes[k] : maximum;
    return maximum;
}

WIDE
int graphlang_scores_best(int64_t size, int64_t windows, int64_t classes, int64_t scripts, int64_t labels, int64_t room,
                          int64_t texts, const int16_t *sums, const int64_t *order, const int64_t *counts,
                          const int64_t *columns, const int64_t *features, const int64_t *offsets,
                          const int64_t *letters, int64_t min_letters, const float *base, double step,
                          const int64_t *to, const float *answer, int64_t *best, float *fit, float *margin,
                          graphlang_fault *fault)
{
    int64_t done = 0;
    if (classes < scripts)
        return GRAPHLANG_WRONG_SIZE;
    if (check_windows(texts, offsets, windows, fault))
        return GRAPHLANG_OUT_OF_RANGE;
    for (int64_t text = 0; text < texts; text++) {
        best[text] = -1;
        fit[text] = margin[text] = 0;
    }
    for (int64_t number = 0; number < scripts; number++) {
        struct script script;
        if (check_script(columns, number, labels, counts, size, windows - done, &script, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        int64_t first = script.first, width = script.width, stride = script.stride, stop = done + counts[number];
        int64_t text = 0, text_windows;
        for (; done < stop; done += text_windows, sums += text_windows * stride, size -= text_windows * stride) {
            text = find_text(done, stop, order, windows, features, texts, offsets, text, fault);
            if (text < 0)
                return GRAPHLANG_OUT_OF_RANGE;
            text_windows = offsets[text + 1] - offsets[text];
            int64_t feature_count = features[offsets[text + 1]] - features[offsets[text]];
            if (letters[text] < min_letters || width < 2 || feature_count < 1)
                continue;
            if (to[text] < 0 || to[text] >= room)
                return GRAPHLANG_REFUSE(fault, "to", text, to[text], 0, room - 1);
            const float *row = answer + to[text] * labels + first;
            float maximum = greatest(row, width);
            if (!(maximum > 0))
                continue;
            float factor = (float)step / (float)feature_count;
            int64_t place = find_maximum(row, width, maximum);
            best[text] = place;
            fit[text] = sum_windows(sums, stride, text_windows, place) * factor + base[first + place];
            margin[text] = fit[text] - find_second_fit(sums, stride, text_windows, base + first, factor, width, place);
        }
    }
    return 0;
}

WIDE
int graphlang_scores_open_set(int64_t texts, int64_t scripts, int64_t labels, int64_t room, int64_t dimensions,
                              int64_t coefficients, const int64_t *script, const int64_t *best, const int64_t *columns,
                              const float *fit, const float *margin, const int64_t *letters, const int64_t *features,
                              const int64_t *counts, const float *label_sums, const float *best_sums,
                              const int64_t *nonzero, const float *likelihood, const float *base, const float *prior,
                              const float *unknown, const float *mean, const float *spread, const float *terms,
                              double min_doubt, double next_doubt, double next_confidence, const int64_t *to,
                              float *answer, float *signs, float *doubt, uint8_t *undecided, graphlang_fault *fault)
{
    enum { SIGNS = GRAPHLANG_SCORES_SIGNS, KINDS = GRAPHLANG_SCORES_KINDS };
    const float cut = GRAPHLANG_SCORES_CUT;
    if (dimensions > SIGNS || coefficients != 1 + dimensions + dimensions * (dimensions + 1) / 2)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t text = 0; text < texts;
         text++, signs += SIGNS, counts += KINDS, label_sums += KINDS, best_sums += KINDS, nonzero += KINDS) {
        doubt[text] = 0;
        undecided[text] = 0;
        memset(signs, 0, SIGNS * sizeof *signs);
        if (best[text] == -1)
            continue;
        if (script[text] < 0 || script[text] >= scripts)
            return GRAPHLANG_REFUSE(fault, "script", text, script[text], 0, scripts - 1);
        int64_t first = columns[FIELDS * script[text]], width = columns[FIELDS * script[text] + 1];
        if (first < 0 || first >= labels)
            return GRAPHLANG_REFUSE(fault, "columns", FIELDS * script[text], first, 0, labels - 1);
        if (width < 1 || width > labels - first)
            return GRAPHLANG_REFUSE(fault, "columns", FIELDS * script[text] + 1, width, 1, labels - first);
        if (best[text] < 0 || best[text] >= width)
            return GRAPHLANG_REFUSE(fault, "best", text, best[text], -1, width - 1);
        if (to[text] < 0 || to[text] >= room)
            return GRAPHLANG_REFUSE(fault, "to", text, to[text], 0, room - 1);
        float length = letters[text] < 1 ? 1.0f : (float)letters[text];
        signs[0] = fit[text];
        signs[1] = base[first + best[text]];
        signs[2] = logarithm(length);
        signs[3] = (float)features[text] / length;
        signs[4] = margin[text] < GRAPHLANG_SCORES_MAX_MARGIN ? margin[text] : GRAPHLANG_SCORES_MAX_MARGIN;
        signs[5] = prior[first + best[text]];
        signs[6] = (float)counts[KINDS - 1] / length; /* words */
        for (int kind = 0; kind < KINDS; kind++) {
            float count = counts[kind] < 1 ? 1.0f : (float)counts[kind], *kind_signs = signs + 7 + 3 * kind;
            kind_signs[0] = label_sums[kind] / count;
            kind_signs[1] = (best_sums[kind] - label_sums[kind]) / count;
            kind_signs[2] = (float)nonzero[kind] / count;
        }
        signs[SIGNS - 1] = likelihood[text];
        float x[SIGNS], z = terms[0];
        const float *term = terms + 1;
        for (int64_t i = 0; i < dimensions; i++)
            x[i] = clamp((signs[i] - mean[i]) / spread[i], -cut, cut);
        for (int64_t i = 0; i < dimensions; i++)
            z += x[i] * *term++;
        for (int64_t i = 0; i < dimensions; i++)
            for (int64_t j = i; j < dimensions; j++)
                z += x[i] * x[j] * *term++;
        float small = exponential(z < 0 ? z : -z), fit_doubt = unknown_probability(unknown, fit[text], signs[1], letters[text]);
        doubt[text] = (z < 0 ? small : 1.0f) / (1.0f + small);
        float *row = answer + to[text] * labels + first;
        if (doubt[text] >= (float)next_doubt && row[best[text]] >= (float)next_confidence) {
            undecided[text] = 1;
            continue;
        }
        if (!(doubt[text] > fit_doubt) || doubt[text] < (float)min_doubt)
            continue;
        float rest = (1 - doubt[text]) / (1 - fit_doubt), uniform = (1 - rest) / (float)width;
        for (int64_t j = 0; j < width; j++)
            row[j] = row[j] * rest + uniform;
    }
    return 0;
}

int graphlang_scores_top(int64_t rows, int64_t width, int64_t k, const float *probabilities, int16_t *indices,
                         float *values)
{
    if (width > INT16_MAX)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t row = 0; row < rows && k; row++) {
        const float *row_values = probabilities + row * width;
        int16_t *place = indices + row * k;
        float *value = values + row * k;
        for (int64_t i = 0; i < k; i++) {
            place[i] = -1;
            value[i] = 0;
        }
        for (int64_t j = 0; j < width; j++) {
            if (!(row_values[j] > value[k - 1]))
                continue;
            int64_t i = k - 1;
            for (; i > 0 && row_values[j] > value[i - 1]; i--) {
                value[i] = value[i - 1];
                place[i] = place[i - 1];
            }
            value[i] = row_values[j];
            place[i] = (int16_t)j;
        }
    }
    return 0;
}

WIDE
int graphlang_scores_tails(int64_t rows, int64_t width, int64_t labels, double threshold, const float *probabilities,
                           float *best, float *next, float *least, int64_t *positive)
{
    if (labels < 1 || labels > width)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t row = 0; row < rows; row++) {
        const float *row_values = probabilities + row * width;
        float maximum = greatest(row_values, labels), second = 0, minimum = 2;
        int32_t equal = 0, above = 0;
        best[row] = maximum;
        next[row] = least[row] = 0;
        positive[row] = 0;
        if (!(maximum < (float)threshold))
            continue;
        for (int64_t j = 0; j < labels; j++) {
            float x = row_values[j];
            second = x < maximum && x > second ? x : second;
            minimum = x > 0 && x < minimum ? x : minimum;
            equal += x == maximum;
            above += x > 0;
        }
        next[row] = equal > 1 ? maximum : second;
        least[row] = above ? minimum : 0;
        positive[row] = above;
    }
    return 0;
}
