/* Rows of scores -> probabilities, and the best of them.
 *
 * Pure functions over arrays that the caller owns; no state, no allocation. A row is read while it is in the cache, from
 * its first pass to its last. Sums of floating point go over eight lanes side by side, and then over the lanes, so that
 * they are the same on every machine. What is worked out stands in calibrate.py, pieces.py and answers.py.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

#define WRONG (-1)
#define LANES 8
#define INLINE static inline __attribute__((always_inline))

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

/* out = sums * scale of the row + factor of the row * base of the column + sharp of the row * bias of the column
 * + lean of the row * prior of the column.
 *
 * stride: from one row of sums to the next. */
WIDE
int64_t sc_linear(const int16_t *sums, int64_t rows, int64_t stride, int64_t width, const float *scale, const float *factor,
                  const float *sharp, const float *lean, const float *base, const float *bias, const float *prior,
                  float *out)
{
    for (int64_t row = 0; row < rows; row++) {
        const int16_t *own = sums + row * stride;
        float *to = out + row * width, a = scale[row], b = factor[row], c = sharp[row], d = lean[row];
        for (int64_t j = 0; j < width; j++)
            to[j] = (float)own[j] * a + b * base[j] + c * bias[j] + d * prior[j];
    }
    return 0;
}

/* A row becomes its softmax, in place; `even` is added to each, and `rest` is what remains of 1. */
INLINE void soften(float *own, int64_t width, float rest, float even)
{
    float most = greatest(own, width);
    for (int64_t j = 0; j < width; j++)
        own[j] = exponential(own[j] - most);
    float part = rest / sum(own, width);
    for (int64_t j = 0; j < width; j++)
        own[j] = own[j] * part + even;
}

/* Each row, plus `prior`, becomes its softmax, in place; a row that is not `spoken` becomes 0. NULL: none; all.
 *
 * odd: the part of the probability that all columns share. */
WIDE
int64_t sc_softmax(float *scores, int64_t rows, int64_t width, const float *prior, const uint8_t *spoken, double odd)
{
    if (width < 1)
        return rows ? WRONG : 0;
    float even = (float)(odd / (double)width), rest = (float)(1 - odd);
    for (int64_t row = 0; row < rows; row++) {
        float *own = scores + row * width;
        if (spoken && !spoken[row]) {
            memset(own, 0, (size_t)width * sizeof *own);
            continue;
        }
        if (prior)
            for (int64_t j = 0; j < width; j++)
                own[j] += prior[j];
        soften(own, width, rest, even);
    }
    return 0;
}

/* Probabilities of texts, script by script, from their sums of weights: what sc_linear and sc_softmax do, in one go, and
 * what they are told of each text looked up here (scores.py).
 *
 * sums, order, counts: as ng_sums has them. columns: three numbers for each script: its first label, how many it has, and
 * how wide a row of its sums is. offsets: text t has offsets[t + 1] - offsets[t] features. lengths: the letters of each.
 * sharp: for each script and length up to `longest`; lean: for each length. base, bias, prior: of each label.
 * places: the row of `answer`, which has `room` rows, that each text gets; labels of other scripts get 0, and so do
 * all where there are no letters.
 * spelt: NULL, or sums like `sums` of what spelling says (spelling.py), in units of `unit`; gain: what that counts for,
 * for each length up to `shortest`; letter, word, text: of each label; words: of each text.
 * Returns how many texts there are in the scripts, or WRONG.
 */
WIDE
int64_t sc_answers(const int16_t *sums, int64_t size, const int64_t *order, const int64_t *counts, int64_t scripts,
                   const int64_t *columns, const int64_t *offsets, const int64_t *lengths, int64_t rows,
                   const float *sharp, const float *lean, int64_t longest, double step, const float *base,
                   const float *bias, const float *prior, int64_t labels, double odd, const int64_t *places,
                   float *answer, int64_t room, const int16_t *spelt, const float *gain, int64_t shortest, double unit,
                   const float *letter, const float *word, const float *text, const int64_t *words)
{
    int64_t done = 0;
    for (int64_t script = 0; script < scripts; script++) {
        int64_t first = columns[3 * script], width = columns[3 * script + 1], stride = columns[3 * script + 2];
        if (first < 0 || width < 1 || width > labels - first || stride < width || counts[script] < 0 ||
            counts[script] > rows - done || counts[script] * stride > size)
            return WRONG;
        const float *x = base + first, *y = bias + first, *z = prior + first;
        float even = (float)(odd / (double)width), rest = (float)(1 - odd);
        for (int64_t i = 0; i < counts[script]; i++, sums += stride, size -= stride, spelt += spelt ? stride : 0) {
            int64_t row = order[done + i];
            if (row < 0 || row >= rows || places[row] < 0 || places[row] >= room || lengths[row] < 0 ||
                offsets[row] < 0 || offsets[row + 1] < offsets[row])
                return WRONG;
            float *own = answer + places[row] * labels;
            memset(own, 0, (size_t)labels * sizeof *own);
            if (!lengths[row])
                continue;
            int64_t length = lengths[row] < longest ? lengths[row] : longest, found = offsets[row + 1] - offsets[row];
            float root = (float)sqrt((double)found), c = sharp[script * (longest + 1) + length];
            float a = c * (float)step / (root > 1 ? root : 1), b = c * root, d = lean[length];
            own += first;
            for (int64_t j = 0; j < width; j++)
                own[j] = (float)sums[j] * a + b * x[j] + c * y[j] + d * z[j];
            if (spelt && lengths[row] < shortest) {
                float g = gain[lengths[row]], e = g * (float)unit, f = g * (float)lengths[row], h = g * (float)words[row];
                const float *u = letter + first, *v = word + first, *w = text + first;
                for (int64_t j = 0; j < width; j++)
                    own[j] += (float)spelt[j] * e + f * u[j] + h * v[j] + g * w[j];
            }
            soften(own, width, rest, even);
        }
        done += counts[script];
    }
    return done;
}

/* What the pieces of each text say together (pieces.py): the log likelihood of each label, (texts, width).
 *
 * scores: of all pieces, overwritten. spoke: whether a piece says anything. offsets: text t has the pieces offsets[t] to
 * offsets[t + 1] - 1. odd, share, mixed, power: ODD, GUEST, MIXED, TOGETHER. guest: column of English, or -1.
 * Returns 0, or WRONG.
 */
WIDE
int64_t sc_together(float *scores, int64_t pieces, int64_t width, const uint8_t *spoke, const int64_t *offsets,
                    int64_t texts, int64_t guest, double odd, double share, double mixed, double power, float *likely)
{
    const float least = (float)log(odd), some = (float)share, own_share = (float)(1 - share), thin = (float)odd;
    if (width < 1 || guest >= width)
        return texts ? WRONG : 0;
    for (int64_t text = 0; text < texts; text++) {
        int64_t begin = offsets[text], end = offsets[text + 1];
        float *pure = likely + text * width, host = 0, said = 0;
        if (begin < 0 || end < begin || end > pieces)
            return WRONG;
        memset(pure, 0, (size_t)width * sizeof *pure);
        for (int64_t piece = begin; piece < end; piece++) {
            float *own = scores + piece * width, most = greatest(own, width);
            float speaks = spoke[piece] ? 1.0f : 0.0f;
            for (int64_t j = 0; j < width; j++)
                own[j] -= most;
            /* The logs are needed first and the chances later: what is said is added up while both are at hand. */
            float total = 0, lanes[LANES] = {0};
            int64_t j = 0;
            for (; j + LANES <= width; j += LANES)
                for (int k = 0; k < LANES; k++)
                    lanes[k] += exponential(own[j + k]);
            for (; j < width; j++)
                total += exponential(own[j]);
            for (int k = 0; k < LANES; k++)
                total += lanes[k];
            float log_total = logf(total), part = 1 / total;
            for (j = 0; j < width; j++) {
                float log_chance = own[j] - log_total;
                pure[j] += speaks * (log_chance < least ? least : log_chance);
                own[j] = exponential(own[j]) * part;
            }
            if (guest >= 0 && own[guest] > host)
                host = own[guest];
            said += speaks;
        }
        if (host > some / 10) {
            for (int64_t piece = begin; piece < end; piece++) {
                float *own = scores + piece * width, rest = some * own[guest] + thin;
                for (int64_t j = 0; j < width; j++)
                    own[j] = spoke[piece] ? logarithm(own[j] * own_share + rest) : 0.0f;
            }
            float prior = (float)log(mixed);
            for (int64_t j = 0; j < width; j++) {
                float both = prior;
                for (int64_t piece = begin; piece < end; piece++)
                    both += scores[piece * width + j];
                float high = both > pure[j] ? both : pure[j], low = both > pure[j] ? pure[j] : both;
                pure[j] = high + logarithm(1.0f + exponential(low - high));
            }
        }
        float weight = (float)pow(said > 1 ? said : 1, power - 1);
        for (int64_t j = 0; j < width; j++)
            pure[j] *= weight;
    }
    return 0;
}

/* The `best` greatest of each row that are above 0, in order, the earlier of equal ones first; then -1 and 0. */
int64_t sc_top(const float *chances, int64_t rows, int64_t width, int64_t best, int16_t *index, float *chance)
{
    if (best < 0 || width > INT16_MAX)
        return WRONG;
    for (int64_t row = 0; row < rows && best; row++) {
        const float *own = chances + row * width;
        int16_t *place = index + row * best;
        float *value = chance + row * best;
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
