/* What beliefs say through links (messages.py), and the sum of it for every page that hears it.
 *
 * Plain C11, no state, no allocation. The caller sees to shapes and types; hosts, places, beliefs, voices and receivers are
 * checked here.
 */
#include <stdint.h>

#define API __attribute__((visibility("default")))

typedef struct {
    int64_t languages, hosts, places, beliefs;
    const float *sources, *different, *lift, *lifted, *spread; /* of each host, a number for each language */
    const float *exclusive;                                    /* of each host */
    const float *prior;                                        /* of each place, a number for each language */
    const float *belief;                                       /* beliefs rows of a number for each language */
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

/* The message along each link, before its logarithm is taken: relative to a source that knows nothing. */
static void along(const Model *model, int64_t host, float bond, const float *restrict belief, const float *restrict prior,
                  float *restrict out) {
    int64_t size = model->languages;
    const float *restrict sources = model->sources + host * size, *restrict different = model->different + host * size;
    const float *restrict lifted = model->lifted + host * size, *restrict spread = model->spread + host * size;
    float exclusive = model->exclusive[host], rest = 1 - bond, keep = 1 - model->doubt;
    for (int64_t i = 0; i < size; i++) out[i] = belief[i] / prior[i];
    float sum = dot(lifted, out, size);
    for (int64_t i = 0; i < size; i++) {
        float joint = bond * sources[i] * out[i] + rest * different[i] * (sum - exclusive * lifted[i] * out[i]);
        float alone = bond * sources[i] + rest * different[i] * spread[i];
        out[i] = keep * joint / alone + model->doubt;
    }
}

static void against(const Model *model, int64_t host, float bond, const float *restrict belief,
                    const float *restrict prior, float *restrict out) {
    int64_t size = model->languages;
    const float *restrict different = model->different + host * size, *restrict lift = model->lift + host * size;
    float exclusive = model->exclusive[host], rest = 1 - bond, keep = 1 - model->doubt;
    for (int64_t i = 0; i < size; i++) out[i] = belief[i] / prior[i];
    float sum = dot(different, out, size);
    for (int64_t i = 0; i < size; i++)
        out[i] = keep * (bond * out[i] + rest * lift[i] * (sum - exclusive * different[i] * out[i])) + model->doubt;
}

/* Messages of some voices, whose logarithms the caller takes. host, bond, belief row and place of each.
 * Returns 0 at a host, belief or place that is not there. */
API int graphlang_messages(const Model *model, int inward, int64_t count, const int32_t *host, const float *bond,
                           const int32_t *belief, const int32_t *place, float *out) {
    for (int64_t i = 0; i < count; i++) {
        if (host[i] < 0 || host[i] >= model->hosts || place[i] < 0 || place[i] >= model->places) return 0;
        if (belief[i] < 0 || belief[i] >= model->beliefs) return 0;
        const float *said = model->belief + belief[i] * model->languages;
        const float *prior = model->prior + place[i] * model->languages;
        (inward ? along : against)(model, host[i], bond[i], said, prior, out + i * model->languages);
    }
    return 1;
}

/* Add the messages of some voices to what their receivers hear, in the order given. start, receiver, share: who hears each
 * voice, how loud; touched: set to 1 of each receiver. Returns 0 at a voice or receiver that is not there. */
API int graphlang_hear(int64_t languages, int64_t receivers, int64_t voices, int64_t entries, const int64_t *start,
                       const int32_t *receiver, const float *share, int64_t count, const int64_t *numbers,
                       const float *messages, float *total, uint8_t *touched) {
    for (int64_t i = 0; i < count; i++) {
        int64_t voice = numbers[i];
        if (voice < 0 || voice >= voices || start[voice] < 0 || start[voice + 1] > entries) return 0;
        const float *restrict said = messages + i * languages;
        for (int64_t at = start[voice]; at < start[voice + 1]; at++) {
            if (receiver[at] < 0 || receiver[at] >= receivers) return 0;
            float *restrict sum = total + receiver[at] * languages;
            float loud = share[at];
            for (int64_t x = 0; x < languages; x++) sum[x] += loud * said[x];
            touched[receiver[at]] = 1;
        }
    }
    return 1;
}
