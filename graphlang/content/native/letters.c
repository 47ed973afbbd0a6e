#include "letters.h"

#include <string.h>

#include "common.h"

#define SYMBOL 0x1FFFFFu /* of an entry of the table of letters: what the letter becomes */
#define DROPPED ((uint32_t)GRAPHLANG_LETTERS_DROPPED)
#define SCRIPT(entry) ((entry) >> 24)
#define CODE_POINTS ((uint32_t)GRAPHLANG_LETTERS_CODE_POINTS)
#define PAGE 8
#define FIRST_OTHER 0x370u /* no letter before this one is of a script other than Latin */
#define FIRST_MARK 0x300u
#define LATIN 1u
#define SCRIPTS GRAPHLANG_LETTERS_SCRIPTS
#define FEWEST 2

/* Returns 0, or that a row begins or ends outside the symbols. */
static int out_of_text(int64_t row, int64_t begin, int64_t end, int64_t size, graphlang_fault *fault)
{
    if (begin < 0 || begin > size)
        return GRAPHLANG_REFUSE(fault, "begins", row, begin, 0, size);
    return end < begin || end > size ? GRAPHLANG_REFUSE(fault, "ends", row, end, begin, size) : 0;
}

int64_t graphlang_letters_scan(int64_t size, int64_t rows, const uint32_t *symbols, const int64_t *begins,
                               const int64_t *ends, const uint8_t *known, uint8_t *needed, uint8_t *marked,
                               graphlang_fault *fault)
{
    int64_t found = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[row], end = ends[row];
        uint32_t marks = 0;
        if (out_of_text(row, begin, end, size, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        for (int64_t i = begin; i < end; i++) {
            uint32_t symbol = symbols[i];
            if (symbol >= CODE_POINTS)
                return GRAPHLANG_REFUSE(fault, "symbols", i, symbol, 0, CODE_POINTS - 1);
            marks |= symbol - FIRST_MARK < FIRST_OTHER - FIRST_MARK;
            if (!known[symbol >> PAGE]) {
                needed[symbol >> PAGE] = 1;
                found |= GRAPHLANG_LETTERS_PAGES_NEEDED;
            }
        }
        marked[row] = (uint8_t)marks;
        found |= marks ? GRAPHLANG_LETTERS_MARKS_FOUND : 0;
    }
    return found;
}

/* Which script a row is in, from how many of its letters are of each (scripts.py). */
static uint32_t decide(const uint32_t *counts, const uint8_t *weights, int64_t latin, double share)
{
    uint32_t best = 0;
    int64_t most = 0, weight = 0;
    for (uint32_t script = LATIN + 1; script < SCRIPTS; script++) {
        int64_t weighed = (int64_t)counts[script] * weights[script];
        weight += weighed;
        if (weighed > most) {
            most = weighed;
            best = script;
        }
    }
    if (!most)
        return LATIN;
    if ((counts[best] >= FEWEST && (double)weight >= share * (double)(weight + latin)) || !latin)
        return best;
    return LATIN;
}

int64_t graphlang_letters_normalise(int64_t size, int64_t rows, int64_t room, const uint32_t *symbols,
                                    const int64_t *begins, const int64_t *ends, const uint32_t *table,
                                    const uint8_t *weights, double share, int64_t margin, int64_t closed,
                                    uint8_t *chosen, uint32_t *out, int64_t *starts, int64_t *lengths,
                                    graphlang_fault *fault)
{
    uint32_t counts[SCRIPTS] = {0};
    int64_t used = 0;
    if (margin < 0 || margin > room)
        return rows ? GRAPHLANG_WRONG_SIZE : 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[row], end = ends[row], read = 0, written = 0, latin = 0, others = 0;
        uint32_t *own = out + used;
        if (out_of_text(row, begin, end, size, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        if (room - used < end - begin + 1 + margin)
            return GRAPHLANG_WRONG_SIZE;
        for (int64_t i = begin; i < end; i++) {
            if (symbols[i] >= CODE_POINTS)
                return GRAPHLANG_REFUSE(fault, "symbols", i, symbols[i], 0, CODE_POINTS - 1);
            own[read] = table[symbols[i]];
            read += !(own[read] & DROPPED);
        }
        if (chosen) {
            for (int64_t i = 0; i < read; i++) {
                uint32_t symbol = own[i] & SYMBOL;
                if (symbol < FIRST_OTHER) {
                    latin += symbol != SPACE;
                } else {
                    counts[SCRIPT(own[i])]++;
                    others++;
                }
            }
            latin += counts[LATIN];
            if (!chosen[row])
                chosen[row] = (uint8_t)(others ? decide(counts, weights, latin, share) : LATIN);
            if (others)
                memset(counts, 0, sizeof counts);
        }
        uint32_t before = SPACE, kept = chosen ? chosen[row] : 0;
        for (int64_t i = 0; i < read; i++) {
            uint32_t symbol = own[i] & SYMBOL, script = SCRIPT(own[i]);
            if (kept && script && script != kept)
                symbol = SPACE;
            own[written] = symbol;
            written += symbol != SPACE || before != SPACE;
            before = symbol;
        }
        if (before != SPACE)
            own[written++] = SPACE;
        if (!closed && written)
            written--;
        for (int64_t place = 0; place < margin; place++)
            own[written + place] = written ? own[place] : SPACE; /* also where what is repeated was just written */
        starts[row] = used;
        lengths[row] = written;
        used += written + margin;
    }
    return used;
}

int64_t graphlang_letters_windows(int64_t size, int64_t windows, int64_t edges, const uint32_t *symbols, int64_t *begins,
                                  int64_t *ends, int64_t *offsets, const uint8_t *inside, int64_t width,
                                  int64_t longest, graphlang_fault *fault)
{
    if (edges < 1 || width < 0 || longest < 0 || longest > INT32_MAX || width > INT32_MAX)
        return GRAPHLANG_WRONG_SIZE;
    int64_t kept = 0, next = offsets[0];
    if (next < 0 || next > windows)
        return GRAPHLANG_REFUSE(fault, "offsets", 0, next, 0, windows);
    for (int64_t text = 0; text < edges - 1; text++) {
        int64_t first = next, own = kept;
        next = offsets[text + 1];
        if (next < first || next > windows)
            return GRAPHLANG_REFUSE(fault, "offsets", text + 1, next, first, windows);
        for (int64_t i = first; i < next; i++) {
            int64_t begin = begins[i], end = ends[i], same;
            if (out_of_text(i, begin, end, size, fault))
                return GRAPHLANG_OUT_OF_RANGE;
            if (inside[i] & 1)
                for (int64_t j = begin; j < end && j < begin + longest; j++)
                    if (symbols[j] == SPACE) {
                        begin = j + 1;
                        break;
                    }
            if (inside[i] & 2) {
                int64_t low = width - longest; /* counted from the end where it is below 0, as Python counts */
                low = begin + (low >= 0 ? low : low + end - begin > 0 ? low + end - begin : 0);
                for (int64_t j = end - 1; j >= low && j > begin; j--)
                    if (symbols[j] == SPACE) {
                        end = j;
                        break;
                    }
            }
            for (same = own; same < kept; same++)
                if (ends[same] - begins[same] == end - begin &&
                    !memcmp(symbols + begins[same], symbols + begin, (size_t)(end - begin) * sizeof *symbols))
                    break;
            if (same == kept) {
                begins[kept] = begin;
                ends[kept++] = end;
            }
        }
        offsets[text] = own;
    }
    offsets[edges - 1] = kept;
    return kept;
}

WIDE
int graphlang_letters_rubbish(int64_t size, int64_t rows, const uint32_t *symbols, const int64_t *begins, const int64_t *ends,
                              int64_t *trebled, int64_t *code, graphlang_fault *fault)
{
    for (int64_t row = 0; row < rows; row++) {
        if (out_of_text(row, begins[row], ends[row], size, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        const uint32_t *own = symbols + begins[row];
        int64_t length = ends[row] - begins[row];
        int32_t letters = 0, marks = 0; /* a text has fewer characters than fit */
        for (int64_t i = 0; i < length; i++)
            marks += (own[i] == '{') | (own[i] == '}') | (own[i] == ';');
        for (int64_t i = 2; i < length; i++)
            letters += (own[i] == own[i - 1]) & (own[i] == own[i - 2]) & ((own[i] | 0x20) - 'a' < 26);
        trebled[row] = letters;
        code[row] = marks;
    }
    return 0;
}
