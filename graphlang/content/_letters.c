/* Texts -> letters and single spaces; long texts -> pieces of whole words.
 *
 * Pure functions over arrays that the caller owns; no state, no allocation, so that threads may run them side by side.
 * What the steps mean stands in normalise.py, scripts.py and pieces.py, which check all sizes before they call; what
 * depends on the content of an array is checked here.
 */
#include <stdint.h>
#include <string.h>

#define WRONG (-1) /* sizes or contents that no sound caller has */

#define SPACE 0x20u
#define SYMBOL 0x1FFFFFu /* of an entry of the table of letters: what the letter becomes */
#define DROPPED 0x800000u
#define SCRIPT(entry) ((entry) >> 24)
#define CODE_POINTS 0x110000u
#define PAGE 8
#define FIRST_OTHER 0x370u /* no letter before this one is of a script other than Latin */
#define FIRST_MARK 0x300u
#define LATIN 1u
#define SCRIPTS 256
#define FEWEST 2

/* Which pages of the table of letters some text needs and has not got, and which rows hold marks that may be composed.
 *
 * known, needed: one byte for each page. marked: one byte for each row.
 * Returns bit 0: pages are needed; bit 1: there are marks; WRONG: no code points, or rows that end before they begin.
 */
int64_t lt_scan(const uint32_t *text, int64_t size, const int64_t *begins, const int64_t *ends, int64_t rows,
                const uint8_t *known, uint8_t *needed, uint8_t *marked)
{
    int64_t found = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[row], end = ends[row];
        uint32_t marks = 0;
        if (begin < 0 || end < begin || end > size)
            return WRONG;
        for (int64_t i = begin; i < end; i++) {
            uint32_t symbol = text[i];
            if (symbol >= CODE_POINTS)
                return WRONG;
            marks |= symbol - FIRST_MARK < FIRST_OTHER - FIRST_MARK;
            if (!known[symbol >> PAGE]) {
                needed[symbol >> PAGE] = 1;
                found |= 1;
            }
        }
        marked[row] = (uint8_t)marks;
        found |= (int64_t)marks << 1;
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

/* Letters in words, each followed by one space; after each row `margin` places that repeat its beginning.
 *
 * table: for each code point what it becomes, whether it is dropped, and the script that it belongs to.
 * weights: how often a letter of each script counts. chosen: in, the script that each row is to keep, 0 where it is to
 * be found; out, the script of each; NULL where letters of all scripts stay.
 * out: room for all characters and 1 + margin more for each row.
 * Returns how many places of `out` are used, or WRONG.
 */
int64_t lt_normalise(const uint32_t *text, int64_t size, const int64_t *begins, const int64_t *ends, int64_t rows,
                     const uint32_t *table, const uint8_t *weights, double share, int64_t margin, int64_t closed,
                     uint8_t *chosen, uint32_t *out, int64_t capacity, int64_t *starts, int64_t *lengths)
{
    uint32_t counts[SCRIPTS] = {0};
    int64_t used = 0;
    if (margin < 0)
        return WRONG;
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[row], end = ends[row], read = 0, written = 0, latin = 0, others = 0;
        uint32_t *own = out + used;
        if (begin < 0 || end < begin || end > size || capacity - used < end - begin + 1 + margin)
            return WRONG;
        for (int64_t i = begin; i < end; i++) {
            if (text[i] >= CODE_POINTS)
                return WRONG;
            own[read] = table[text[i]];
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

/* Windows of texts -> pieces that hold whole words, each of a text's once (pieces.py).
 *
 * begins, ends: in, the windows; out, the pieces. offsets: in, text t has the windows offsets[t] to offsets[t + 1] - 1;
 * out, the pieces. inside: bit 0: something stands before the window; bit 1: after it. width: of a full window.
 * longest: of a word that was cut, what is taken away at most. Returns how many pieces there are, or WRONG.
 */
int64_t lt_pieces(const uint32_t *symbols, int64_t size, int64_t *begins, int64_t *ends, int64_t *offsets, int64_t texts,
                  int64_t windows, const uint8_t *inside, int64_t width, int64_t longest)
{
    int64_t kept = 0, next = texts ? offsets[0] : 0;
    if (next < 0)
        return WRONG;
    for (int64_t text = 0; text < texts; text++) {
        int64_t first = next, own = kept;
        next = offsets[text + 1];
        if (next < first || next > windows)
            return WRONG;
        for (int64_t i = first; i < next; i++) {
            int64_t begin = begins[i], end = ends[i], same;
            if (begin < 0 || end < begin || end > size)
                return WRONG;
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
    if (texts)
        offsets[texts] = kept;
    return kept;
}
