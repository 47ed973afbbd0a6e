#include "scores.h"

#include <math.h>
#include <string.h>

#include "common.h"

#define LANES 8
#define FIELDS GRAPHLANG_SCORES_FIELDS

/* e ** x for x <= 0, to two units in the last place; 0 where that is less than any normal number. */
INLINE float exponential(float x)
{
    const float magic = 12582912.0f; /* 1.5 * 2 ** 23: adding it rounds to a whole number */
    float below = x < -87.0f ? 0.0f : 1.0f, y = x < -87.0f ? -87.0f : x;
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
    return p * power * below;
}

/* The natural logarithm of a normal number above 0. */
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
    float lanes[LANES], most = row[0];
    int64_t j = 0;
    for (int k = 0; k < LANES; k++)
        lanes[k] = most;
    for (; j + LANES <= width; j += LANES)
        for (int k = 0; k < LANES; k++)
            lanes[k] = row[j + k] > lanes[k] ? row[j + k] : lanes[k];
    for (; j < width; j++)
        most = row[j] > most ? row[j] : most;
    for (int k = 0; k < LANES; k++)
        most = lanes[k] > most ? lanes[k] : most;
    return most;
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
                            const float *base_scale, const float *bias_scale, const float *prior_scale, const float *base,
                            const float *bias, const float *prior, float *out)
{
    if (stride < width)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t row = 0; row < rows; row++) {
        const int16_t *own = sums + row * stride;
        float *to = out + row * width, a = scale[row], b = base_scale[row], c = bias_scale[row], d = prior_scale[row];
        for (int64_t j = 0; j < width; j++)
            to[j] = (float)own[j] * a + b * base[j] + c * bias[j] + d * prior[j];
    }
    return 0;
}

/* A row becomes its softmax, in place; `even` is added to each, and `rest` is what remains of 1. */
INLINE void soften(float *own, int64_t width, float most, float rest, float even)
{
    for (int64_t j = 0; j < width; j++)
        own[j] = exponential(own[j] - most);
    float part = rest / sum(own, width);
    for (int64_t j = 0; j < width; j++)
        own[j] = own[j] * part + even;
}

WIDE
int graphlang_scores_softmax(int64_t rows, int64_t width, float *scores, const float *prior, const uint8_t *has_letters,
                             double outliers)
{
    if (width < 1)
        return rows ? GRAPHLANG_WRONG_SIZE : 0;
    float even = (float)(outliers / (double)width), rest = (float)(1 - outliers);
    for (int64_t row = 0; row < rows; row++) {
        float *own = scores + row * width;
        if (has_letters && !has_letters[row]) {
            memset(own, 0, (size_t)width * sizeof *own);
            continue;
        }
        if (prior)
            for (int64_t j = 0; j < width; j++)
                own[j] += prior[j];
        soften(own, width, greatest(own, width), rest, even);
    }
    return 0;
}

/* Where the first of the greatest numbers of a row is. */
INLINE int64_t place_of(const float *row, int64_t width, float most)
{
    int64_t j = 0;
    for (; j + LANES <= width; j += LANES) {
        int found = 0;
        for (int k = 0; k < LANES; k++)
            found |= row[j + k] >= most;
        if (found)
            break;
    }
    if (j >= width)
        j = width - 1; /* none of them is so great: not all are numbers */
    while (j < width - 1 && row[j] < most)
        j++;
    return j;
}

INLINE float between(float x, float low, float high)
{
    return x < low ? low : x > high ? high : x;
}

/* How probable it is that a text is in no language of the model (`nfc.doubt`), from what its weights in the
   best language add to on average, how many letters it has, and that language's base. */
INLINE float unknown_language(const float *k, float fit, float base, int64_t letters)
{
    float r = between(fit, GRAPHLANG_SCORES_FIT_LEAST, GRAPHLANG_SCORES_FIT_MOST);
    float b = between(-base, GRAPHLANG_SCORES_BASE_LEAST, GRAPHLANG_SCORES_BASE_MOST);
    float n = logarithm(between((float)letters, GRAPHLANG_SCORES_LETTERS_LEAST, GRAPHLANG_SCORES_LETTERS_MOST));
    float z = k[0] + k[1] * r + k[2] * b + k[3] * n + k[4] * r * n + k[5] * r * b + k[6] * b * n + k[7] * b * b;
    float small = exponential(z < 0 ? z : -z);
    return (z < 0 ? small : 1.0f) / (1.0f + small);
}

/* A script's line in `columns`. */
struct script {
    int64_t first, width, stride;
};

/* Whether that line, and how many rows of `size` numbers and of `rows` texts or windows are in the script, can be so. */
INLINE int check_script(const int64_t *columns, int64_t script, int64_t labels, const int64_t *counts, int64_t size,
                        int64_t rows, struct script *own, graphlang_fault *fault)
{
    const int64_t *line = columns + FIELDS * script;
    *own = (struct script){line[0], line[1], line[2]};
    if (own->first < 0 || own->first >= labels)
        return GRAPHLANG_REFUSE(fault, "columns", FIELDS * script, own->first, 0, labels - 1);
    if (own->width < 1 || own->width > labels - own->first)
        return GRAPHLANG_REFUSE(fault, "columns", FIELDS * script + 1, own->width, 1, labels - own->first);
    if (own->stride < own->width || own->stride > INT32_MAX)
        return GRAPHLANG_REFUSE(fault, "columns", FIELDS * script + 2, own->stride, own->width, INT32_MAX);
    int64_t most = size / own->stride < rows ? size / own->stride : rows;
    if (counts[script] < 0 || counts[script] > most)
        return GRAPHLANG_REFUSE(fault, "counts", script, counts[script], 0, most);
    return 0;
}

WIDE
int64_t graphlang_scores_probabilities(int64_t size, int64_t rows, int64_t classes, int64_t scripts, int64_t knots,
                                       int64_t labels, int64_t room, int64_t lm_size, int64_t lm_knots,
                                       const int16_t *sums, const int64_t *order, const int64_t *counts,
                                       const int64_t *columns, const int64_t *offsets, const int64_t *lengths,
                                       const float *inverse_temperature, const float *prior_exponent, double step, const float *base,
                                       const float *bias, const float *prior, double outliers, const float *unknown,
                                       double refused, const int64_t *to, float *answer, const int16_t *lm_sums, double lm_step, const float *lm_gain,
                                       const float *lm_letter, const float *lm_word, const float *lm_text,
                                       const int64_t *lm_words, graphlang_fault *fault)
{
    int64_t done = 0;
    if (classes < scripts || knots < 1)
        return GRAPHLANG_WRONG_SIZE;
    if (lm_sums && !(lm_size == size && lm_gain && lm_letter && lm_word && lm_text && lm_words))
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t script = 0; script < scripts; script++) {
        struct script of_script;
        if (check_script(columns, script, labels, counts, size, rows - done, &of_script, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        int64_t first = of_script.first, width = of_script.width, stride = of_script.stride;
        const float *x = base + first, *y = bias + first, *z = prior + first;
        for (int64_t i = 0; i < counts[script]; i++, sums += stride, size -= stride, lm_sums = lm_sums ? lm_sums + stride : NULL) {
            int64_t row = order[done + i];
            if (row < 0 || row >= rows)
                return GRAPHLANG_REFUSE(fault, "order", done + i, row, 0, rows - 1);
            if (to[row] < 0 || to[row] >= room)
                return GRAPHLANG_REFUSE(fault, "to", row, to[row], 0, room - 1);
            if (lengths[row] < 0)
                return GRAPHLANG_REFUSE(fault, "lengths", row, lengths[row], 0, INT64_MAX);
            if (offsets[row] < 0 || offsets[row] > offsets[row + 1])
                return GRAPHLANG_REFUSE(fault, "offsets", row, offsets[row], 0, offsets[row + 1]);
            float *own = answer + to[row] * labels;
            memset(own, 0, (size_t)labels * sizeof *own);
            if (!lengths[row])
                continue;
            int64_t length = lengths[row] < knots - 1 ? lengths[row] : knots - 1, found = offsets[row + 1] - offsets[row];
            float root = (float)sqrt((double)found), c = inverse_temperature[script * knots + length];
            float a = c * (float)step / (root > 1 ? root : 1), b = c * root, d = prior_exponent[length];
            own += first;
            for (int64_t j = 0; j < width; j++)
                own[j] = (float)sums[j] * a + b * x[j] + c * y[j] + d * z[j];
            if (lm_sums && lengths[row] < lm_knots) {
                float g = lm_gain[lengths[row]], e = g * (float)lm_step;
                float f = g * (float)lengths[row], h = g * (float)lm_words[row];
                const float *u = lm_letter + first, *v = lm_word + first, *w = lm_text + first;
                for (int64_t j = 0; j < width; j++)
                    own[j] += (float)lm_sums[j] * e + f * u[j] + h * v[j] + g * w[j];
            }
            float most = greatest(own, width), strange = 0;
            if (unknown && width > 1) {
                int64_t best = place_of(own, width, most);
                float fit = x[best] + (found ? (float)sums[best] * (float)step / (float)found : 0.0f);
                strange = unknown_language(unknown, fit, x[best], lengths[row]);
                if (strange > (float)refused) {
                    memset(own, 0, (size_t)width * sizeof *own);
                    continue;
                }
            }
            float rest = (1 - strange) * (float)(1 - outliers);
            soften(own, width, most, rest, (1 - rest) / (float)width);
        }
        done += counts[script];
    }
    return done;
}

/* Whether texts can have these windows. */
INLINE int check_windows(int64_t texts, const int64_t *offsets, int64_t windows, graphlang_fault *fault)
{
    for (int64_t text = 0; text < texts; text++)
        if (offsets[text] < 0 || offsets[text] > offsets[text + 1])
            return GRAPHLANG_REFUSE(fault, "offsets", text, offsets[text], 0, offsets[text + 1]);
    return offsets[texts] > windows ? GRAPHLANG_REFUSE(fault, "offsets", texts, offsets[texts], 0, windows) : 0;
}

/* The text whose windows are order[at] and those behind it, sought from `text` on; below 0 where there is none. */
INLINE int64_t text_of(int64_t at, int64_t stop, const int64_t *order, int64_t windows, const int64_t *features,
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

/* The log of the sum of two numbers whose logs are given. */
INLINE float of_either(float a, float b)
{
    float high = a > b ? a : b, low = a > b ? b : a;
    return high + logarithm(1.0f + exponential(low - high));
}

/* What windows say together: the log-likelihood of each label. scores: of the windows, overwritten; the softmax of each is
   the probability of its labels. Room for as many numbers again stands behind them. lengths: a window without letters says
   nothing. */
INLINE void mix(int64_t windows, int64_t width, float *scores, const int64_t *lengths, int64_t foreign, double outliers,
                double share, double mixed, double exponent, float *pure)
{
    const float least = (float)log(outliers), some = (float)share, rest_share = (float)(1 - share), thin = (float)outliers;
    float most_foreign = 0, number = 0, *likely = scores + windows * width;
    memset(pure, 0, (size_t)width * sizeof *pure);
    for (int64_t window = 0; window < windows; window++) {
        float *own = scores + window * width, *of = likely + window * width;
        float most = greatest(own, width), counts = lengths[window] > 0 ? 1.0f : 0.0f;
        float total = 0, lanes[LANES] = {0};
        int64_t j = 0;
        for (; j + LANES <= width; j += LANES)
            for (int k = 0; k < LANES; k++) {
                own[j + k] -= most;
                of[j + k] = exponential(own[j + k]);
                lanes[k] += of[j + k];
            }
        for (; j < width; j++) {
            own[j] -= most;
            of[j] = exponential(own[j]);
            total += of[j];
        }
        for (int k = 0; k < LANES; k++)
            total += lanes[k];
        float log_total = logf(total);
        for (j = 0; j < width; j++) {
            float log_probability = own[j] - log_total;
            pure[j] += counts * (log_probability < least ? least : log_probability);
        }
        float part = 1 / total, of_foreign = foreign >= 0 ? of[foreign] * part : 0.0f;
        most_foreign = of_foreign > most_foreign ? of_foreign : most_foreign;
        number += counts;
    }
    if (most_foreign > some / 10) {
        for (int64_t window = 0; window < windows; window++) {
            float *own = scores + window * width, *of = likely + window * width;
            if (lengths[window] <= 0) {
                memset(own, 0, (size_t)width * sizeof *own);
                continue;
            }
            float part = 1 / sum(of, width), rest = some * (of[foreign] * part) + thin;
            for (int64_t j = 0; j < width; j++)
                own[j] = logarithm(of[j] * part * rest_share + rest);
        }
        float prior = (float)log(mixed);
        int64_t j = 0;
        for (; j + LANES <= width; j += LANES) {
            float both[LANES];
            for (int k = 0; k < LANES; k++)
                both[k] = prior;
            for (int64_t window = 0; window < windows; window++)
                for (int k = 0; k < LANES; k++)
                    both[k] += scores[window * width + j + k];
            for (int k = 0; k < LANES; k++)
                pure[j + k] = of_either(both[k], pure[j + k]);
        }
        for (; j < width; j++) {
            float both = prior;
            for (int64_t window = 0; window < windows; window++)
                both += scores[window * width + j];
            pure[j] = of_either(both, pure[j]);
        }
    }
    float weight = (float)pow(number > 1 ? number : 1, exponent - 1);
    for (int64_t j = 0; j < width; j++)
        pure[j] *= weight;
}

/* What the windows of a text say for one label. */
INLINE float sum_of(const int16_t *sums, int64_t stride, int64_t windows, int64_t label)
{
    float total = 0; /* of whole numbers, and exact */
    for (int64_t window = 0; window < windows; window++)
        total += (float)sums[window * stride + label];
    return total;
}

/* Give all labels a part of the probability of a text that may be in none of them. */
INLINE void doubt(int64_t windows, struct script script, const int16_t *sums, int64_t found, int64_t letters,
                  const float *base, double step, const float *unknown, double refused, float *own, float most)
{
    int64_t width = script.width, best = place_of(own, width, most);
    float fit = base[best] + (found > 0 ? sum_of(sums, script.stride, windows, best) * (float)step / (float)found : 0.0f);
    float strange = unknown_language(unknown, fit, base[best], letters);
    if (strange > (float)refused) {
        memset(own, 0, (size_t)width * sizeof *own);
        return;
    }
    float rest = 1 - strange, even = strange / (float)width;
    for (int64_t j = 0; j < width; j++)
        own[j] = own[j] * rest + even;
}

WIDE
int graphlang_scores_mixture(int64_t size, int64_t windows, int64_t classes, int64_t scripts, int64_t knots, int64_t labels,
                             int64_t room, int64_t texts, int64_t cells, const int16_t *sums, const int64_t *order,
                             const int64_t *counts, const int64_t *columns, const int64_t *features, const int64_t *lengths,
                             const int64_t *offsets, const float *inverse_temperature, double step, const float *base,
                             const float *bias, const float *prior, int64_t foreign, double outliers, double share,
                             double mixed, double exponent, double even, const float *unknown, double refused,
                             const int64_t *to, float *answer, float *scores, float *sure, graphlang_fault *fault)
{
    int64_t done = 0;
    if (classes < scripts || knots < 1 || foreign >= labels)
        return GRAPHLANG_WRONG_SIZE;
    if (check_windows(texts, offsets, windows, fault))
        return GRAPHLANG_OUT_OF_RANGE;
    for (int64_t text = 0; text < texts; text++)
        sure[text] = 0;
    for (int64_t number = 0; number < scripts; number++) {
        struct script script;
        if (check_script(columns, number, labels, counts, size, windows - done, &script, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        int64_t width = script.width, stride = script.stride, stop = done + counts[number], text = 0, own_windows;
        int64_t host = foreign >= script.first && foreign < script.first + width ? foreign - script.first : -1;
        const float *x = base + script.first, *y = bias + script.first, *z = prior + script.first;
        for (; done < stop; done += own_windows, sums += own_windows * stride, size -= own_windows * stride) {
            text = text_of(done, stop, order, windows, features, texts, offsets, text, fault);
            if (text < 0)
                return GRAPHLANG_OUT_OF_RANGE;
            if (to[text] < 0 || to[text] >= room)
                return GRAPHLANG_REFUSE(fault, "to", text, to[text], 0, room - 1);
            int64_t first = offsets[text], letters = 0;
            own_windows = offsets[text + 1] - first;
            if (own_windows > cells / 2 / width)
                return GRAPHLANG_WRONG_SIZE;
            for (int64_t window = 0; window < own_windows; window++) {
                int64_t length = lengths[first + window], found = features[first + window + 1] - features[first + window];
                if (length < 0 || length > INT32_MAX)
                    return GRAPHLANG_REFUSE(fault, "lengths", first + window, length, 0, INT32_MAX);
                letters += length;
                length = length < knots - 1 ? length : knots - 1;
                float root = (float)sqrt((double)found), c = inverse_temperature[number * knots + length];
                float a = c * (float)step / (root > 1 ? root : 1), b = c * root, *out = scores + window * width;
                const int16_t *from = sums + window * stride;
                for (int64_t j = 0; j < width; j++)
                    out[j] = (float)from[j] * a + b * x[j] + c * y[j];
            }
            float *own = answer + to[text] * labels + script.first;
            if (!letters) {
                memset(own, 0, (size_t)width * sizeof *own);
                continue;
            }
            mix(own_windows, width, scores, lengths + first, host, outliers, share, mixed, exponent, own);
            for (int64_t j = 0; j < width; j++)
                own[j] += z[j];
            soften(own, width, greatest(own, width), (float)(1 - even), (float)(even / (double)width));
            sure[text] = greatest(own, width);
            if (width > 1 && sure[text] > 0)
                doubt(own_windows, script, sums, features[offsets[text + 1]] - features[first], letters, x, step, unknown,
                      refused, own, sure[text]);
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
        const int64_t *own = members + offsets[group];
        int64_t size = offsets[group + 1] - offsets[group];
        int16_t *total = totals + group * stride;
        if (size > UINT16_MAX)
            return GRAPHLANG_WRONG_SIZE; /* more could leave 32 bits */
        for (int64_t j = 0; j < stride; j += LANES) {
            int32_t lanes[LANES] = {0};
            int64_t width = stride - j < LANES ? stride - j : LANES;
            if (width == LANES)
                for (int64_t i = 0; i < size; i++)
                    for (int k = 0; k < LANES; k++)
                        lanes[k] += sums[own[i] * stride + j + k];
            else
                for (int64_t i = 0; i < size; i++)
                    for (int64_t k = 0; k < width; k++)
                        lanes[k] += sums[own[i] * stride + j + k];
            for (int64_t k = 0; k < width; k++)
                total[j + k] = (int16_t)(lanes[k] < INT16_MIN ? INT16_MIN : lanes[k] > INT16_MAX ? INT16_MAX : lanes[k]);
        }
    }
    return 0;
}

/* The greatest of what windows say for a label, times `part`, plus its base, but for that of `best`. */
INLINE float second_of_sums(const int16_t *sums, int64_t stride, int64_t windows, const float *base, float part,
                            int64_t width, int64_t best)
{
    float lanes[LANES], most;
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
                float value = total[k] * part + base[j + k];
                lanes[k] = value > lanes[k] ? value : lanes[k];
            }
        }
        for (; j < end; j++) {
            float value = sum_of(sums, stride, windows, j) * part + base[j];
            lanes[0] = value > lanes[0] ? value : lanes[0];
        }
    }
    most = lanes[0];
    for (int k = 1; k < LANES; k++)
        most = lanes[k] > most ? lanes[k] : most;
    return most;
}

WIDE
int graphlang_scores_best(int64_t size, int64_t windows, int64_t classes, int64_t scripts, int64_t labels, int64_t room,
                          int64_t texts, const int16_t *sums, const int64_t *order, const int64_t *counts,
                          const int64_t *columns, const int64_t *features, const int64_t *offsets, const int64_t *letters,
                          int64_t fewest, const float *base, double step, const int64_t *to, const float *answer, int64_t *best, float *fit, float *margin,
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
        int64_t text = 0, own_windows;
        for (; done < stop; done += own_windows, sums += own_windows * stride, size -= own_windows * stride) {
            text = text_of(done, stop, order, windows, features, texts, offsets, text, fault);
            if (text < 0)
                return GRAPHLANG_OUT_OF_RANGE;
            own_windows = offsets[text + 1] - offsets[text];
            int64_t found = features[offsets[text + 1]] - features[offsets[text]];
            if (letters[text] < fewest || width < 2 || found < 1)
                continue;
            if (to[text] < 0 || to[text] >= room)
                return GRAPHLANG_REFUSE(fault, "to", text, to[text], 0, room - 1);
            const float *own = answer + to[text] * labels + first;
            float greatest_one = greatest(own, width);
            if (!(greatest_one > 0))
                continue;
            float part = (float)step / (float)found;
            int64_t place = place_of(own, width, greatest_one);
            best[text] = place;
            fit[text] = sum_of(sums, stride, own_windows, place) * part + base[first + place];
            margin[text] = fit[text] - second_of_sums(sums, stride, own_windows, base + first, part, width, place);
        }
    }
    return 0;
}

WIDE
int graphlang_scores_open_set(int64_t texts, int64_t scripts, int64_t labels, int64_t room, int64_t used, int64_t coefficients, const int64_t *script,
                              const int64_t *best, const int64_t *columns, const float *fit, const float *margin,
                              const int64_t *letters, const int64_t *found, const int64_t *number, const float *own,
                              const float *most, const int64_t *has, const float *likelihood, const float *base, const float *prior, const float *unknown,
                              const float *mean, const float *spread, const float *terms, double least, double ask, double sure,
                              const int64_t *to, float *answer,
                              float *signs, float *part, uint8_t *again, graphlang_fault *fault)
{
    enum { SIGNS = GRAPHLANG_SCORES_SIGNS, KINDS = GRAPHLANG_SCORES_KINDS };
    const float cut = GRAPHLANG_SCORES_CUT;
    if (used > SIGNS || coefficients != 1 + used + used * (used + 1) / 2)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t text = 0; text < texts; text++, signs += SIGNS, number += KINDS, own += KINDS, most += KINDS, has += KINDS) {
        part[text] = 0;
        again[text] = 0;
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
        float long_ = letters[text] < 1 ? 1.0f : (float)letters[text];
        signs[0] = fit[text];
        signs[1] = base[first + best[text]];
        signs[2] = logarithm(long_);
        signs[3] = (float)found[text] / long_;
        signs[4] = margin[text] < GRAPHLANG_SCORES_MARGIN_MOST ? margin[text] : GRAPHLANG_SCORES_MARGIN_MOST;
        signs[5] = prior[first + best[text]];
        signs[6] = (float)number[KINDS - 1] / long_; /* words */
        for (int kind = 0; kind < KINDS; kind++) {
            float some = number[kind] < 1 ? 1.0f : (float)number[kind], *own_signs = signs + 7 + 3 * kind;
            own_signs[0] = own[kind] / some;
            own_signs[1] = (most[kind] - own[kind]) / some;
            own_signs[2] = (float)has[kind] / some;
        }
        signs[SIGNS - 1] = likelihood[text];
        float x[SIGNS], z = terms[0];
        const float *term = terms + 1;
        for (int64_t i = 0; i < used; i++)
            x[i] = between((signs[i] - mean[i]) / spread[i], -cut, cut);
        for (int64_t i = 0; i < used; i++)
            z += x[i] * *term++;
        for (int64_t i = 0; i < used; i++)
            for (int64_t j = i; j < used; j++)
                z += x[i] * x[j] * *term++;
        float small = exponential(z < 0 ? z : -z), before = unknown_language(unknown, fit[text], signs[1], letters[text]);
        part[text] = (z < 0 ? small : 1.0f) / (1.0f + small);
        float *row = answer + to[text] * labels + first;
        if (part[text] >= (float)ask && row[best[text]] >= (float)sure) {
            again[text] = 1;
            continue;
        }
        if (!(part[text] > before) || part[text] < (float)least)
            continue;
        float rest = (1 - part[text]) / (1 - before), even = (1 - rest) / (float)width;
        for (int64_t j = 0; j < width; j++)
            row[j] = row[j] * rest + even;
    }
    return 0;
}

int graphlang_scores_top(int64_t rows, int64_t width, int64_t best, const float *probabilities, int16_t *indices,
                         float *values)
{
    if (width > INT16_MAX)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t row = 0; row < rows && best; row++) {
        const float *own = probabilities + row * width;
        int16_t *place = indices + row * best;
        float *value = values + row * best;
        for (int64_t i = 0; i < best; i++) {
            place[i] = -1;
            value[i] = 0;
        }
        for (int64_t j = 0; j < width; j++) {
            if (!(own[j] > value[best - 1]))
                continue;
            int64_t i = best - 1;
            for (; i > 0 && own[j] > value[i - 1]; i--) {
                value[i] = value[i - 1];
                place[i] = place[i - 1];
            }
            value[i] = own[j];
            place[i] = (int16_t)j;
        }
    }
    return 0;
}

WIDE
int graphlang_scores_tails(int64_t rows, int64_t width, int64_t labels, double sure, const float *probabilities,
                           float *best, float *next, float *least, int64_t *positive)
{
    if (labels < 1 || labels > width)
        return GRAPHLANG_WRONG_SIZE;
    for (int64_t row = 0; row < rows; row++) {
        const float *own = probabilities + row * width;
        float most = greatest(own, labels), second = 0, low = 2;
        int32_t equal = 0, above = 0;
        best[row] = most;
        next[row] = least[row] = 0;
        positive[row] = 0;
        if (!(most < (float)sure))
            continue;
        for (int64_t j = 0; j < labels; j++) {
            float x = own[j];
            second = x < most && x > second ? x : second;
            low = x > 0 && x < low ? x : low;
            equal += x == most;
            above += x > 0;
        }
        next[row] = equal > 1 ? most : second;
        least[row] = above ? low : 0;
        positive[row] = above;
    }
    return 0;
}
