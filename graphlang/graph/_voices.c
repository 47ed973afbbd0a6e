/* Which page hears which voice, how loud (voices.py): the links of every receiver, joined by voice.
 *
 * Plain C11, no state, no allocation. The caller sees to shapes and types; pages, links and voices are checked here.
 */
#include <stdint.h>

#define API __attribute__((visibility("default")))

static int32_t ones(uint64_t word) {
    return (int32_t)__builtin_popcountll(word);
}

/* Join the links that carry the same voice to the same page, adding their shares. receiver, voice, share: of each link,
 * those of a page one after the other; last: one -1 for each voice. row, column, data: what comes out, receivers in the
 * order given. count: how many pages hear each voice, added to.
 * Returns how many came out, -1 at a voice that is not there. */
API int64_t graphlang_join(int64_t links, int64_t voices, const int32_t *receiver, const int32_t *voice,
                           const float *share, int64_t *last, int64_t *count, int32_t *row, int32_t *column,
                           double *data) {
    int64_t out = 0, begin = 0;
    for (int64_t i = 0; i < links; i++) {
        if (voice[i] < 0 || voice[i] >= voices) return -1;
        if (i && receiver[i] != receiver[i - 1]) begin = out;
        int64_t at = last[voice[i]];
        if (at >= begin && at < out && column[at] == voice[i]) {
            data[at] += share[i];
            continue;
        }
        last[voice[i]] = out;
        count[voice[i]]++;
        row[out] = receiver[i];
        column[out] = voice[i];
        data[out++] = share[i];
    }
    return out;
}

/* The same sorted by voice, receivers in the order given: next holds where each voice's begin, and is used up. */
API int graphlang_by_voice(int64_t entries, int64_t voices, const int32_t *row, const int32_t *column, const double *data,
                           int64_t *next, int32_t *rows, float *values) {
    for (int64_t i = 0; i < entries; i++) {
        if (column[i] < 0 || column[i] >= voices) return 0;
        int64_t at = next[column[i]]++;
        if (at < 0 || at >= entries) return 0;
        rows[at] = row[i];
        values[at] = (float)data[i];
    }
    return 1;
}

/* Number the different keys of 0..64 * words, in ascending order. bits: words zeros; ranks: one for each word.
 * Returns how many keys there are, -1 at one that is out of range. */
API int64_t graphlang_number(int64_t count, int64_t words, const int64_t *keys, uint64_t *bits, int32_t *ranks,
                             int32_t *numbers) {
    for (int64_t i = 0; i < count; i++) {
        if (keys[i] < 0 || keys[i] / 64 >= words) return -1;
        bits[keys[i] / 64] |= (uint64_t)1 << (keys[i] % 64);
    }
    int64_t total = 0;
    for (int64_t word = 0; word < words; word++) {
        ranks[word] = (int32_t)total;
        total += ones(bits[word]);
    }
    for (int64_t i = 0; i < count; i++) {
        uint64_t below = bits[keys[i] / 64] & (((uint64_t)1 << (keys[i] % 64)) - 1);
        numbers[i] = ranks[keys[i] / 64] + ones(below);
    }
    return total;
}

/* What each of some links carries to whom. part: numbers of the links; receiver, sender, share, group and level of all
 * links; number, kin and home of each page. to: the receiver's number; key: of the voice, kin by level, apart for links
 * within a host and for the others; loud: the share. Returns 0 at a link or page that is not there. */
API int graphlang_carried(int64_t count, int64_t links, int64_t pages, const int32_t *part, const int32_t *receiver,
                          const int32_t *sender, const float *share, const int32_t *group, const uint8_t *level,
                          const int32_t *number, const int32_t *kin, const int32_t *home, int64_t levels, int32_t *to,
                          int64_t *key, float *loud) {
    for (int64_t i = 0; i < count; i++) {
        int64_t link = part[i];
        if (link < 0 || link >= links) return 0;
        int32_t from = sender[link], page = receiver[link];
        if (from < 0 || page < 0 || from >= pages || page >= pages) return 0;
        to[i] = number[page];
        key[i] = (kin[from] * (int64_t)2 + (group[link] != home[from])) * levels + level[link];
        loud[i] = share[link];
    }
    return 1;
}
