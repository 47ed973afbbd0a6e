/* What beliefs say through links (messages.py), and the sum of it for every page that hears it.
 *
 * Plain C11, no state, no allocation. The caller sees to shapes and types; hosts, places, beliefs, voices and receivers are
 * checked here.
 */
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef struct {
    int64_t languages, hosts, places, whole, pages, kept;
    const float *sources, *different, *lift, *lifted, *spread; /* of each host, a number for each language */
    const float *exclusive;                                    /* of each host */
    const float *prior;                                        /* of each place, a number for each language */
    const float *belief;  /* of senders that are told from all others by language: whole rows, a number for each */
    const int16_t *slots; /* of the pages that listen: kept languages each */
    float doubt;
} Model;

static float dot(const float *restrict one, const float *restrict other, int64_t size) {
    float sum[4] = {0, 0, 0, 0}; /* additions that need not wait for each other */
    int64_t i = 0;
    for (; i + 3 < size; i += 4)
        for (int j = 0; j < 4; j++) sum[j] += one[i + j] * other[i + j];
    for (; i < size; i++) sum[0] += one[i] * other[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

/* The message along a link, before its logarithm is taken: relative to a source that knows nothing. out holds the
 * evidence, the sender's belief over its prior. */
static void along(const Model *model, int64_t host, float bond, float *restrict out) {
    int64_t size = model->languages;
    const float *restrict sources = model->sources + host * size, *restrict different = model->different + host * size;
    const float *restrict lifted = model->lifted + host * size, *restrict spread = model->spread + host * size;
    float exclusive = model->exclusive[host], rest = 1 - bond, keep = 1 - model->doubt, sum = dot(lifted, out, size);
    for (int64_t i = 0; i < size; i++) {
        float joint = bond * sources[i] * out[i] + rest * different[i] * (sum - exclusive * lifted[i] * out[i]);
        float alone = bond * sources[i] + rest * different[i] * spread[i];
        out[i] = keep * joint / alone + model->doubt;
    }
}

static void against(const Model *model, int64_t host, float bond, float *restrict out) {
    int64_t size = model->languages;
    const float *restrict different = model->different + host * size, *restrict lift = model->lift + host * size;
    float exclusive = model->exclusive[host], rest = 1 - bond, keep = 1 - model->doubt;
    float sum = dot(different, out, size);
    for (int64_t i = 0; i < size; i++)
        out[i] = keep * (bond * out[i] + rest * lift[i] * (sum - exclusive * different[i] * out[i])) + model->doubt;
}

/* What is left of the prior besides some languages. */
static float unlisted(const int16_t *slots, int64_t kept, const float *prior) {
    float left = 1;
    for (int64_t i = 0; i < kept; i++) left -= prior[slots[i]];
    return left;
}

/* The evidence of a page that listens: of its languages, and of all others alike what they have together. */
static void opened(const Model *model, const int16_t *slots, const float *belief, const float *prior, float *out) {
    float left = unlisted(slots, model->kept, prior), others = left > 1e-6f ? belief[model->kept] / left : 0;
    for (int64_t i = 0; i < model->languages; i++) out[i] = others;
    for (int64_t i = 0; i < model->kept; i++) out[slots[i]] = belief[i] / prior[slots[i]];
}

/* The mean message of the languages that the sender does not name, by its prior: what receivers are told of languages
 * that they do not name either. */
static float others(const Model *model, const int16_t *slots, int64_t kept, const float *prior, const float *out) {
    float left = unlisted(slots, kept, prior), sum = dot(prior, out, model->languages);
    for (int64_t i = 0; i < kept; i++) sum -= prior[slots[i]] * out[slots[i]];
    return left > 1e-3f && sum > left * model->doubt ? sum / left : left > 1e-3f ? model->doubt : 1;
}

/* Messages of some voices, whose logarithms the caller takes: a number for each language and one for all others. Of each
 * voice: host, bond, place and row of the sender's prior, and who it is: below whole a row of belief, from there on a page
 * that listens, with kept + 1 numbers in row at of heeded (rows in all).
 * Returns 0 at a host, belief or place that is not there. */
API int graphlang_messages(const Model *model, int inward, int64_t count, const int32_t *host, const float *bond,
                           const int32_t *speaker, const int32_t *place, const float *heeded, int64_t rows,
                           const int32_t *at, float *messages) {
    int64_t size = model->languages;
    for (int64_t i = 0; i < count; i++) {
        if (host[i] < 0 || host[i] >= model->hosts || place[i] < 0 || place[i] >= model->places) return 0;
        if (speaker[i] < 0 || speaker[i] >= model->whole + model->pages) return 0;
        const float *prior = model->prior + place[i] * size;
        float *out = messages + i * (size + 1);
        const int16_t *slots;
        int16_t best = 0;
        int64_t kept = model->kept;
        if (speaker[i] < model->whole) {
            const float *belief = model->belief + speaker[i] * size;
            for (int64_t x = 0; x < size; x++) {
                if (belief[x] > belief[best]) best = (int16_t)x;
                out[x] = belief[x] / prior[x];
            }
            slots = &best;
            kept = 1;
        } else {
            if (at[i] < 0 || at[i] >= rows) return 0;
            slots = model->slots + (speaker[i] - model->whole) * model->kept;
            opened(model, slots, heeded + at[i] * (model->kept + 1), prior, out);
        }
        (inward ? along : against)(model, host[i], bond[i], out);
        out[size] = model->kept < size ? others(model, slots, kept, prior, out) : 1;
    }
    return 1;
}

/* Add the messages of some voices to what their receivers hear of their languages and of all others, in the order given.
 * start, receiver, share: who hears each voice, how loud; slots: kept languages of each receiver; touched: set to 1 of each.
 * Returns 0 at a voice or receiver that is not there. */
API int graphlang_hear(int64_t languages, int64_t kept, int64_t receivers, int64_t voices, int64_t entries,
                       const int64_t *start, const int32_t *receiver, const float *share, const int16_t *slots,
                       int64_t count, const int64_t *numbers, const float *messages, double *total, uint8_t *touched) {
    for (int64_t i = 0; i < count; i++) {
        int64_t voice = numbers[i];
        if (voice < 0 || voice >= voices || start[voice] < 0 || start[voice + 1] > entries) return 0;
        const float *restrict said = messages + i * (languages + 1);
        for (int64_t at = start[voice]; at < start[voice + 1]; at++) {
            if (receiver[at] < 0 || receiver[at] >= receivers) return 0;
            double *restrict sum = total + receiver[at] * (kept + 1); /* a hub hears millions */
            double loud = share[at];
            const int16_t *restrict asked = slots + receiver[at] * kept;
            if (kept == languages)
                for (int64_t x = 0; x < kept; x++) sum[x] += loud * (double)said[x];
            else
                for (int64_t x = 0; x < kept; x++) sum[x] += loud * (double)said[asked[x]];
            sum[kept] += loud * (double)said[languages];
            touched[receiver[at]] = 1;
        }
    }
    return 1;
}
