#include "letters.h"

#include <string.h>

#include "common.h"

#define SYMBOL 0x1FFFFFu /* bits of an entry of the letter table with the normalised letter */
#define DROPPED ((uint32_t)GRAPHLANG_LETTERS_DROPPED)
#define SCRIPT(entry) ((entry) >> 24)
#define CODE_POINTS ((uint32_t)GRAPHLANG_LETTERS_CODE_POINTS)
#define PAGE 8
#define FIRST_OTHER 0x370u /* first letter of a script other than Latin */
#define FIRST_MARK 0x300u
#define LATIN 1u
#define CYRILLIC 2u
#define SCRIPTS GRAPHLANG_LETTERS_SCRIPTS
#define MIN_LETTERS 2
#define FIRST_CASELESS 0x590u /* letters below it have case, and words have several letters */
#define CASELESS_WEIGHT 3
#define MAX_CONSONANTS 3 /* maximum letters of an abbreviation: XXL, PMS */
#define MIN_MISREAD 6    /* letters; a shorter text is not judged by its accents */
#define MAX_ACCENTED 7   /* tenths of the letters: more than any Latin orthography has */
#define RUN 32           /* symbols counted in one step */

/* Return 0, or an error if a row begins or ends outside the symbols. */
static int check_range(int64_t row, int64_t begin, int64_t end, int64_t size, graphlang_fault *fault)
{
    if (begin < 0 || begin > size)
        return GRAPHLANG_REFUSE(fault, "begins", row, begin, 0, size);
    return end < begin || end > size ? GRAPHLANG_REFUSE(fault, "ends", row, end, begin, size) : 0;
}

/* Combine symbols by bitwise or: at least their maximum, and less than the next power of two. */
INLINE uint32_t or_symbols(const uint32_t *symbols, int64_t number)
{
    uint32_t all = 0;
    for (int64_t i = 0; i < number; i++)
        all |= symbols[i];
    return all;
}

/* True if a character may compose with the one before it (Unicode normalisation form C): Latin, Greek and
   Cyrillic marks, Arabic hamza and madda, vowels and finals of Hangul, and marks of kana. */
INLINE uint32_t composes(uint32_t symbol)
{
    return (symbol - FIRST_MARK < FIRST_OTHER - FIRST_MARK) | (symbol - 0x653u < 3) | (symbol - 0x1161u < 0x15) |
           (symbol - 0x11A8u < 0x1B) | (symbol - 0x3099u < 2);
}

WIDE
int64_t graphlang_letters_scan(int64_t size, int64_t rows, const uint32_t *symbols, const int64_t *begins,
                               const int64_t *ends, const uint8_t *filled, uint8_t *needed, uint8_t *marked,
                               graphlang_fault *fault)
{
    int64_t flags = 0;
    int plain = filled[0] && filled[1] && filled[2]; /* the pages of all letters before the marks are filled */
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[row], end = ends[row];
        uint32_t marks = 0;
        if (check_range(row, begin, end, size, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        if (plain && or_symbols(symbols + begin, end - begin) < FIRST_MARK) {
            marked[row] = 0;
            continue;
        }
        for (int64_t i = begin; i < end; i++) {
            uint32_t symbol = symbols[i];
            if (symbol >= CODE_POINTS)
                return GRAPHLANG_REFUSE(fault, "symbols", i, symbol, 0, CODE_POINTS - 1);
            marks |= composes(symbol);
            if (!filled[symbol >> PAGE]) {
                needed[symbol >> PAGE] = 1;
                flags |= GRAPHLANG_LETTERS_PAGES_NEEDED;
            }
        }
        marked[row] = (uint8_t)marks;
        flags |= marks ? GRAPHLANG_LETTERS_HAS_MARKS : 0;
    }
    return flags;
}

/* Choose the main script of a row by its number of letters in each (scripts.py). second: for Latin, the commonest other
   script; for another script, Latin if it has the most letters; else 0. */
static uint32_t choose_script(const uint32_t *counts, const uint8_t *weights, int64_t latin, double share,
                              uint32_t *second)
{
    uint32_t best = *second = 0;
    int64_t greatest = 0, weight = 0;
    for (uint32_t script = LATIN + 1; script < SCRIPTS; script++) {
        int64_t weighted = (int64_t)counts[script] * weights[script];
        weight += weighted;
        if (weighted > greatest) {
            greatest = weighted;
            best = script;
        }
    }
    if (!greatest)
        return LATIN;
    if (latin && (counts[best] < MIN_LETTERS || (double)weight < share * (double)(weight + latin))) {
        *second = best;
        return LATIN;
    }
    *second = latin > weight ? LATIN : 0;
    return best;
}

/* Latin letters that look like Cyrillic ones, by case: a capital may look like one and its small letter not. */
#define LOOK_ALIKE(PAIR)                                                                                               \
    PAIR('A', 0x410) PAIR('B', 0x412) PAIR('C', 0x421) PAIR('E', 0x415) PAIR('H', 0x41D) PAIR('I', 0x406)              \
    PAIR('J', 0x408) PAIR('K', 0x41A) PAIR('M', 0x41C) PAIR('O', 0x41E) PAIR('P', 0x420) PAIR('S', 0x405)              \
    PAIR('T', 0x422) PAIR('X', 0x425) PAIR('Y', 0x423) PAIR('a', 0x430) PAIR('c', 0x441) PAIR('e', 0x435)              \
    PAIR('h', 0x4BB) PAIR('i', 0x456) PAIR('j', 0x458) PAIR('k', 0x43A) PAIR('o', 0x43E) PAIR('p', 0x440)              \
    PAIR('s', 0x455) PAIR('x', 0x445) PAIR('y', 0x443) PAIR(0xC4, 0x4D2) PAIR(0xC6, 0x4D4) PAIR(0xC7, 0x4AA)           \
    PAIR(0xCB, 0x401) PAIR(0xCF, 0x407) PAIR(0xD6, 0x4E6) PAIR(0xE4, 0x4D3) PAIR(0xE6, 0x4D5) PAIR(0xE7, 0x4AB)        \
    PAIR(0xEB, 0x451) PAIR(0xEF, 0x457) PAIR(0xF6, 0x4E7) PAIR(0xFF, 0x4F1) PAIR(0x102, 0x4D0) PAIR(0x103, 0x4D1)      \
    PAIR(0x114, 0x4D6) PAIR(0x115, 0x4D7) PAIR(0x178, 0x4F0) PAIR(0x18F, 0x4D8) PAIR(0x19F, 0x4E8)                     \
    PAIR(0x259, 0x4D9) PAIR(0x275, 0x4E9)
#define TO_CYRILLIC(latin, cyrillic)                                                                                   \
    case latin:                                                                                                        \
        return cyrillic;
#define TO_LATIN(latin, cyrillic)                                                                                      \
    case cyrillic:                                                                                                     \
        return latin;

/* Return the look-alike of a letter in the other of the two scripts, or 0. */
static uint32_t look_alike(uint32_t letter)
{
    switch (letter) {
        LOOK_ALIKE(TO_CYRILLIC)
        LOOK_ALIKE(TO_LATIN)
    default:
        return 0;
    }
}

/* Return the table's entry for the look-alike of a letter in a script, or 0. */
static uint32_t map_to_script(uint32_t letter, uint32_t script, const uint32_t *table)
{
    uint32_t entry = table[look_alike(letter)];
    return SCRIPT(entry) == script && !(entry & DROPPED) && (entry & SYMBOL) != SPACE ? entry : 0;
}

/* Move a word of Latin and Cyrillic letters into one of the two scripts if all its letters of the other have a look-alike
   there; if both are possible, into that of more letters. Return its number of Latin letters. */
static int64_t unmix_word(const uint32_t *text, int64_t size, const uint32_t *table, int64_t latin, int64_t cyrillic,
                          uint32_t *out)
{
    int64_t convertible[CYRILLIC + 1] = {0}, place = 0;
    for (int64_t i = 0; i < size; i++) {
        uint32_t entry = table[text[i]], script = SCRIPT(entry);
        if (!(entry & DROPPED) && (script == LATIN || script == CYRILLIC))
            convertible[script] += map_to_script(text[i], LATIN + CYRILLIC - script, table) != 0;
    }
    int can_leave_latin = convertible[LATIN] == latin, can_leave_cyrillic = convertible[CYRILLIC] == cyrillic;
    if (can_leave_latin && can_leave_cyrillic) {
        can_leave_latin = latin < cyrillic;
        can_leave_cyrillic = cyrillic < latin;
    }
    uint32_t from = can_leave_latin ? LATIN : can_leave_cyrillic ? CYRILLIC : 0;
    if (!from)
        return latin;
    for (int64_t i = 0; i < size; i++) {
        uint32_t entry = table[text[i]];
        if (entry & DROPPED)
            continue;
        if (SCRIPT(entry) == from)
            out[place] = map_to_script(text[i], LATIN + CYRILLIC - from, table);
        place++;
    }
    return can_leave_latin ? 0 : latin + cyrillic;
}

/* Apply unmix_word to each word of a text that mixes the two scripts. Return how many more letters are Cyrillic. */
static int64_t unmix(const uint32_t *text, int64_t size, const uint32_t *table, uint32_t *out)
{
    int64_t word = 0, first = 0, place = 0, latin = 0, cyrillic = 0, more = 0;
    for (int64_t i = 0; i <= size; i++) {
        uint32_t entry = i < size ? table[text[i]] : SPACE;
        if (entry & DROPPED)
            continue;
        if ((entry & SYMBOL) != SPACE) {
            latin += SCRIPT(entry) == LATIN;
            cyrillic += SCRIPT(entry) == CYRILLIC;
        } else {
            if (latin && cyrillic)
                more += latin - unmix_word(text + word, i - word, table, latin, cyrillic, out + first);
            word = i + 1;
            first = place + 1;
            latin = cyrillic = 0;
        }
        place++;
    }
    return more;
}

/* True if a letter may be of a script other than Latin. */
INLINE int has_other(const uint32_t *entries, int64_t number)
{
    uint32_t others = 0;
    for (int64_t i = 0; i < number; i++)
        others |= (entries[i] & SYMBOL) >= FIRST_OTHER;
    return others != 0;
}

WIDE
int64_t graphlang_letters_normalise(int64_t size, int64_t rows, int64_t room, const uint32_t *symbols,
                                    const int64_t *begins, const int64_t *ends, const uint32_t *table,
                                    const uint8_t *weights, double share, int64_t margin, int64_t closed,
                                    uint8_t *scripts, uint8_t *second_scripts, uint32_t *out, int64_t *starts,
                                    int64_t *lengths, graphlang_fault *fault)
{
    uint32_t counts[SCRIPTS] = {0}, second;
    int64_t used = 0;
    if (margin < 0 || margin > room)
        return rows ? GRAPHLANG_WRONG_SIZE : 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[row], end = ends[row], read = 0, written = 0, latin = 0, others = 0;
        uint32_t *row_out = out + used;
        second = 0;
        if (check_range(row, begin, end, size, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        if (room - used < end - begin + 1 + margin)
            return GRAPHLANG_WRONG_SIZE;
        for (int64_t i = begin; i < end; i++) {
            if (symbols[i] >= CODE_POINTS)
                return GRAPHLANG_REFUSE(fault, "symbols", i, symbols[i], 0, CODE_POINTS - 1);
            row_out[read] = table[symbols[i]];
            read += !(row_out[read] & DROPPED);
        }
        if (scripts && !has_other(row_out, read)) {
            scripts[row] = scripts[row] ? scripts[row] : LATIN;
        } else if (scripts) {
            for (int64_t i = 0; i < read; i++) {
                uint32_t symbol = row_out[i] & SYMBOL;
                if (symbol < FIRST_OTHER) {
                    latin += symbol != SPACE;
                } else {
                    counts[SCRIPT(row_out[i])]++;
                    others++;
                }
            }
            latin += counts[LATIN];
            if (counts[CYRILLIC] && latin) {
                int64_t more = unmix(symbols + begin, end - begin, table, row_out);
                latin -= more;
                counts[CYRILLIC] += (uint32_t)more;
                others += more;
            }
            if (!scripts[row])
                scripts[row] = (uint8_t)(others ? choose_script(counts, weights, latin, share, &second) : LATIN);
            if (others)
                memset(counts, 0, sizeof counts);
        }
        if (second_scripts)
            second_scripts[row] = (uint8_t)second;
        uint32_t previous = SPACE, main_script = scripts ? scripts[row] : 0;
        for (int64_t i = 0; i < read; i++) {
            uint32_t symbol = row_out[i] & SYMBOL, script = SCRIPT(row_out[i]);
            if (main_script && script && script != main_script)
                symbol = SPACE;
            row_out[written] = symbol;
            written += symbol != SPACE || previous != SPACE;
            previous = symbol;
        }
        if (previous != SPACE)
            row_out[written++] = SPACE;
        if (!closed && written)
            written--;
        for (int64_t place = 0; place < margin; place++)
            row_out[written + place] = written ? row_out[place] : SPACE; /* also repeats symbols of the margin itself */
        starts[row] = used;
        lengths[row] = written;
        used += written + margin;
    }
    return used;
}

/* Count RUN symbols below FIRST_MARK, whose pages are filled, as graphlang_letters_lengths does. Return -1 if one of them is
   dropped. */
INLINE int64_t count_plain(const uint32_t *symbols, const uint32_t *table, uint32_t *after_letter)
{
    uint8_t letter[RUN + 1];
    uint32_t all = 0, count = 0;
    letter[0] = (uint8_t)*after_letter;
    for (int64_t i = 0; i < RUN; i++) {
        uint32_t entry = table[symbols[i]];
        all |= entry;
        letter[i + 1] = (entry & SYMBOL) != SPACE;
    }
    if (all & DROPPED)
        return -1;
    for (int64_t i = 0; i < RUN; i++)
        count += letter[i] | letter[i + 1];
    *after_letter = letter[RUN];
    return count;
}

WIDE
int64_t graphlang_letters_lengths(int64_t size, int64_t rows, const uint32_t *symbols, const int64_t *begins,
                                  const int64_t *ends, const uint32_t *table, const uint8_t *filled, uint8_t *needed,
                                  uint8_t *marked, int64_t *lengths, graphlang_fault *fault)
{
    int64_t flags = 0;
    int plain = filled[0] && filled[1] && filled[2]; /* the pages of all letters before the marks are filled */
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[row], end = ends[row], length = 0;
        uint32_t marks = 0, after_letter = 0;
        if (check_range(row, begin, end, size, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        for (int64_t i = begin, stop; i < end; i = stop) {
            stop = end - i < RUN ? end : i + RUN;
            if (plain && stop - i == RUN && or_symbols(symbols + i, RUN) < FIRST_MARK) {
                int64_t more = count_plain(symbols + i, table, &after_letter);
                if (more >= 0) {
                    length += more;
                    continue;
                }
            }
            for (int64_t at = i; at < stop; at++) {
                uint32_t symbol = symbols[at];
                if (symbol >= CODE_POINTS)
                    return GRAPHLANG_REFUSE(fault, "symbols", at, symbol, 0, CODE_POINTS - 1);
                uint32_t entry = table[symbol], is_letter = (entry & SYMBOL) != SPACE, is_kept = !(entry & DROPPED);
                marks |= composes(symbol);
                if (!filled[symbol >> PAGE]) {
                    needed[symbol >> PAGE] = 1;
                    flags |= GRAPHLANG_LETTERS_PAGES_NEEDED;
                }
                length += is_kept & (is_letter | after_letter);
                after_letter = is_kept ? is_letter : after_letter;
            }
        }
        marked[row] = (uint8_t)marks;
        flags |= marks ? GRAPHLANG_LETTERS_HAS_MARKS : 0;
        lengths[row] = length - (length && !after_letter);
    }
    return flags;
}

WIDE
int64_t graphlang_letters_count(int64_t size, int64_t rows, const uint32_t *symbols, const int64_t *begins,
                                const int64_t *ends, const uint8_t *is_letter, const uint8_t *filled, uint8_t *needed,
                                int64_t *counts, graphlang_fault *fault)
{
    int64_t flags = 0;
    for (int64_t row = 0; row < rows; row++) {
        int64_t begin = begins[row], end = ends[row], count = 0;
        if (check_range(row, begin, end, size, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        if (filled[0] && or_symbols(symbols + begin, end - begin) < 1u << PAGE) {
            for (int64_t i = begin; i < end; i++)
                count += is_letter[symbols[i]];
            counts[row] = count;
            continue;
        }
        for (int64_t i = begin; i < end; i++) {
            uint32_t symbol = symbols[i];
            if (symbol >= CODE_POINTS)
                return GRAPHLANG_REFUSE(fault, "symbols", i, symbol, 0, CODE_POINTS - 1);
            count += is_letter[symbol];
            if (!filled[symbol >> PAGE]) {
                needed[symbol >> PAGE] = 1;
                flags = GRAPHLANG_LETTERS_PAGES_NEEDED;
            }
        }
        counts[row] = count;
    }
    return flags;
}

int64_t graphlang_letters_windows(int64_t size, int64_t windows, int64_t edges, const uint32_t *symbols,
                                  int64_t *begins, int64_t *ends, int64_t *offsets, const uint8_t *inside,
                                  int64_t width, int64_t longest, graphlang_fault *fault)
{
    if (edges < 1 || width < 0 || longest < 0 || longest > INT32_MAX || width > INT32_MAX)
        return GRAPHLANG_WRONG_SIZE;
    int64_t unique = 0, next = offsets[0];
    if (next < 0 || next > windows)
        return GRAPHLANG_REFUSE(fault, "offsets", 0, next, 0, windows);
    for (int64_t text = 0; text < edges - 1; text++) {
        int64_t first = next, first_unique = unique;
        next = offsets[text + 1];
        if (next < first || next > windows)
            return GRAPHLANG_REFUSE(fault, "offsets", text + 1, next, first, windows);
        for (int64_t i = first; i < next; i++) {
            int64_t begin = begins[i], end = ends[i], same;
            if (check_range(i, begin, end, size, fault))
                return GRAPHLANG_OUT_OF_RANGE;
            if (inside[i] & 1)
                for (int64_t j = begin; j < end && j < begin + longest; j++)
                    if (symbols[j] == SPACE) {
                        begin = j + 1;
                        break;
                    }
            if (inside[i] & 2) {
                int64_t low = width - longest; /* a negative index counts from the end, as in Python */
                low = begin + (low >= 0 ? low : low + end - begin > 0 ? low + end - begin : 0);
                for (int64_t j = end - 1; j >= low && j > begin; j--)
                    if (symbols[j] == SPACE) {
                        end = j;
                        break;
                    }
            }
            for (same = first_unique; same < unique; same++)
                if (ends[same] - begins[same] == end - begin &&
                    !memcmp(symbols + begins[same], symbols + begin, (size_t)(end - begin) * sizeof *symbols))
                    break;
            if (same == unique) {
                begins[unique] = begin;
                ends[unique++] = end;
            }
        }
        offsets[text] = first_unique;
    }
    offsets[edges - 1] = unique;
    return unique;
}

/* True if a character is a byte from 80 to BF in ISO-8859-1 or windows-1252. */
static int is_high_byte(uint32_t symbol)
{
    static const uint16_t named[] = {0x152,  0x153,  0x160,  0x161,  0x178,  0x17D,  0x17E,  0x192,  0x2C6,
                                     0x2DC,  0x2013, 0x2014, 0x2018, 0x2019, 0x201A, 0x201C, 0x201D, 0x201E,
                                     0x2020, 0x2021, 0x2022, 0x2026, 0x2030, 0x2039, 0x203A, 0x20AC, 0x2122};
    if (symbol < 0x152)
        return symbol - 0x80 < 0x40;
    for (size_t n = 0; n < sizeof named / sizeof *named; n++)
        if (symbol == named[n])
            return 1;
    return 0;
}

/* Count the characters of a text that are UTF-8 bytes of another character: the text was encoded twice. */
static int64_t count_garbled(const uint32_t *text, int64_t length)
{
    int64_t garbled = 0;
    for (int64_t i = 0; i < length; i++) {
        uint32_t first = text[i];
        int64_t continuations = first - 0xC2 > 0xF4 - 0xC2 ? 0 : first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3, matched = 0;
        while (matched < continuations && i + matched + 1 < length && is_high_byte(text[i + matched + 1]))
            matched++;
        if (matched && matched == continuations) {
            garbled += 1 + matched;
            i += matched;
        }
    }
    return garbled;
}

/* True if more Latin letters are accented, turned or phonetic than in any orthography; turned ones count twice. */
static int is_misread(const uint32_t *text, int64_t length)
{
    const uint64_t turned[] = {0x60800a018030d105u, 0x4000u}; /* of U+0250 to U+02AF: used in phonetics only */
    int32_t plain = 0, accented = 0, phonetic = 0, rare = 0; /* cannot overflow: texts are shorter */
    for (int64_t i = 0; i < length; i++) {
        plain += ((text[i] | 0x20) - 'a' < 26) | (text[i] - 0x1E00 < 0x100);
        accented += (text[i] - 0xC0 < 0x250 - 0xC0) | (text[i] == 0xAA) | (text[i] == 0xB5) | (text[i] == 0xBA);
        phonetic += (text[i] - 0x250 < 0x60) | (text[i] - 0x1D00 < 0x80);
    }
    for (int64_t i = 0; phonetic && i < length; i++) {
        uint32_t place = text[i] - 0x250;
        rare += (place < 0x60 && turned[place >> 6] >> (place & 63) & 1) || text[i] == 0x1D08 || text[i] == 0x1D09;
    }
    int64_t letters = plain + accented + phonetic;
    return letters >= MIN_MISREAD && 10 * (accented + 2 * rare) > MAX_ACCENTED * letters;
}

/* Number the script of a letter: Latin and Cyrillic odd, Greek and Armenian even; 0 for all other characters. */
INLINE uint32_t script_with_capitals(uint32_t symbol)
{
    uint32_t latin = ((symbol | 0x20) - 'a' < 26) | (symbol - 0xC0 < 0x2B0 - 0xC0 && symbol != 0xD7 && symbol != 0xF7);
    return latin + 2 * (symbol - 0x370 < 0x90) + 3 * (symbol - 0x400 < 0x130) + 4 * (symbol - 0x530 < 0x60);
}

/* Count neighbours of two of these scripts, but for Latin next to Cyrillic (see unmix). 0 if the text has at most two
   distinct Greek and Armenian letters: Ewe and Ga are typed with a Greek epsilon. */
static int64_t count_mixed(const uint32_t *text, int64_t length)
{
    int32_t mixed = 0; /* cannot overflow: texts are shorter */
    for (int64_t i = 1; i < length; i++) {
        uint32_t first = script_with_capitals(text[i - 1]), second = script_with_capitals(text[i]);
        mixed += (first != second) & (first != 0) & (second != 0) & !(first & second & 1);
    }
    uint64_t letters = 0; /* Greek and Armenian ones, by their last six bits */
    for (int64_t i = 0; mixed && i < length; i++)
        letters |= (uint64_t)(script_with_capitals(text[i]) % 2 == 0 && text[i] - 0x370 < 0x590 - 0x370) << (text[i] & 63);
    letters &= letters - 1;
    return letters & (letters - 1) ? mixed : 0;
}

/* True if a character is probably a letter or a mark, without a table. */
INLINE int is_like_letter(uint32_t symbol)
{
    if (symbol < 0x80)
        return (symbol | 0x20) - 'a' < 26;
    return symbol >= 0xC0 && symbol != 0xD7 && symbol != 0xF7 && symbol - 0x2000u >= 0xE00 && symbol - 0x3000u >= 5 &&
           symbol - 0xFE30u >= 0x40 && symbol - 0xFF01u >= 0x20 && symbol < 0x1F000;
}

INLINE int is_digit(uint32_t symbol)
{
    return symbol - '0' < 10;
}

/* True for signs within a word that occur only in file names, variables, formulas and addresses. */
INLINE int joins_code(uint32_t symbol, uint32_t next)
{
    return symbol == '_' || symbol == '@' || symbol == '\\' || symbol == '|' || symbol == '^' || symbol == '(' ||
           symbol == '[' || (symbol == '=' && next != '"' && next != '\'');
}

INLINE int is_capital_consonant(uint32_t symbol)
{
    const uint32_t vowels = 1u << 0 | 1u << 4 | 1u << 8 | 1u << 14 | 1u << 20 | 1u << 24; /* A E I O U Y */
    return symbol - 'A' < 26 && !(vowels >> (symbol - 'A') & 1);
}

struct letter_counts {
    int64_t letters, plain, digits;
};

/* Count letters of a text, those in plain words, and digits. A letter of a script without case counts three times. */
static struct letter_counts count_plain_letters(const uint32_t *text, int64_t length)
{
    struct letter_counts counts = {0, 0, 0};
    for (int64_t place = 0; place < length;) {
        int64_t letters = 0, dense = 0, consonants = 0, run = 0, longest = 0, digits = 0, code = 0;
        for (; place < length && text[place] > SPACE && text[place] != 0xA0 && text[place] != 0x3000; place++) {
            uint32_t symbol = text[place];
            if (is_like_letter(symbol)) {
                letters += symbol < FIRST_CASELESS;
                dense += symbol >= FIRST_CASELESS;
                consonants += is_capital_consonant(symbol);
                longest = ++run > longest ? run : longest;
            } else if (symbol != 0xAD && symbol - 0x200Bu >= 5 && symbol != 0xFEFF) { /* neither soft hyphen nor zero width */
                digits += is_digit(symbol);
                code |= (run || digits) && joins_code(symbol, place + 1 < length ? text[place + 1] : 0);
                run = 0;
            }
        }
        int plain = longest >= MIN_LETTERS && !digits && !code && !(consonants == letters && letters <= MAX_CONSONANTS);
        counts.letters += letters + CASELESS_WEIGHT * dense;
        counts.plain += CASELESS_WEIGHT * dense + (plain ? letters : 0);
        counts.digits += digits;
        while (place < length && !(text[place] > SPACE && text[place] != 0xA0 && text[place] != 0x3000))
            place++;
    }
    return counts;
}

WIDE
int graphlang_letters_rubbish(int64_t size, int64_t rows, const uint32_t *symbols, const int64_t *begins,
                              const int64_t *ends, int64_t *drawn, int64_t *code, int64_t *garbled, int64_t *letters,
                              int64_t *plain, int64_t *digits, int64_t *mixed, graphlang_fault *fault)
{
    for (int64_t row = 0; row < rows; row++) {
        if (check_range(row, begins[row], ends[row], size, fault))
            return GRAPHLANG_OUT_OF_RANGE;
        const uint32_t *text = symbols + begins[row];
        int64_t length = ends[row] - begins[row];
        int32_t repeats = 0, marks = 0, paths = 0; /* cannot overflow: texts are shorter */
        for (int64_t i = 0; i < length; i++)
            marks += (text[i] == '{') | (text[i] == '}') | (text[i] == ';');
        for (int64_t i = 2; i < length; i++)
            paths += (text[i] == '/') & (text[i - 1] == ' ') & (text[i - 2] == ':');
        for (int64_t i = 2; i < length; i++)
            repeats += (text[i] == text[i - 1]) & (text[i] == text[i - 2]) &
                       (((text[i] | 0x20) - 'a' < 26) | (text[i] >= 0xC0));
        for (int64_t i = 5; i < length; i++)
            repeats += (text[i] == text[i - 2]) & (text[i] == text[i - 4]) & (text[i - 1] == text[i - 3]) &
                       (text[i - 1] == text[i - 5]) & (text[i] != text[i - 1]) &
                       (((text[i] | 0x20) - 'a' < 26) | (text[i] >= 0xC0)) &
                       (((text[i - 1] | 0x20) - 'a' < 26) | (text[i - 1] >= 0xC0));
        garbled[row] = mixed[row] = 0;
        if (length && or_symbols(text, length) >= 0x80) {
            int32_t firsts = 0; /* of runs of up to four characters */
            for (int64_t i = 1; i < length; i++)
                firsts += (text[i - 1] - 0xC2 <= 0xF4 - 0xC2) & (text[i] >= 0x80) & (text[i] - 0xC0 >= 0x40);
            if (4 * GRAPHLANG_LETTERS_GARBLED * (int64_t)firsts > length)
                garbled[row] = count_garbled(text, length);
            if (is_misread(text, length))
                garbled[row] = length;
            mixed[row] = count_mixed(text, length);
        }
        drawn[row] = repeats;
        code[row] = marks + GRAPHLANG_LETTERS_PATH_WEIGHT * (int64_t)paths;
        struct letter_counts counts = count_plain_letters(text, length);
        letters[row] = counts.letters;
        plain[row] = counts.plain;
        digits[row] = counts.digits;
    }
    return 0;
}

/* True if a character separates words: ASCII white space and punctuation, or a no-break space. */
INLINE int is_gap(uint32_t symbol)
{
    return symbol < '0' || symbol - ':' < 'A' - ':' || symbol == 0xA0;
}

/* True if the first word of a text is one of the next two. */
static int repeats_first_word(const uint32_t *text, int64_t length)
{
    int64_t place = 0, first = 0, size = 0;
    for (int turn = 0; turn <= 2; turn++) {
        while (place < length && is_gap(text[place]))
            place++;
        if (place == length || (turn == 2 && (text[place] ^ text[first]) & ~0x20u))
            return 0;
        int64_t begin = place, end = length - begin > GRAPHLANG_LETTERS_WORD ? begin + GRAPHLANG_LETTERS_WORD : length;
        while (place < end && !is_gap(text[place]))
            place++;
        if (place < length && !is_gap(text[place]))
            return 0;
        if (!turn) {
            first = begin;
            size = place - begin;
        } else if (place - begin == size) {
            int64_t same = 0;
            while (same < size && !((text[first + same] ^ text[begin + same]) & ~0x20u))
                same++;
            if (same == size)
                return 1;
        }
    }
    return 0;
}

enum { WORD_SLOTS = 256 }; /* slots of the hash table, at most half of them used */

/* Distinct words of a text. Words with equal hashes count as one: the caller checks the candidates again. */
struct words {
    uint64_t slots[WORD_SLOTS];
    int64_t total, distinct;
};

static void count_words(const uint32_t *text, int64_t length, struct words *words)
{
    for (int64_t place = 0; place < length;) {
        if (is_gap(text[place])) {
            place++;
            continue;
        }
        uint64_t hash = 0xCBF29CE484222325u;
        uint32_t bits = 0;
        for (; place < length && !is_gap(text[place]); place++) {
            uint32_t symbol = text[place];
            bits |= symbol;
            hash = (hash ^ (symbol - 'A' < 26 ? symbol | 0x20 : symbol)) * 0x100000001B3u;
        }
        words->total++;
        if (bits >= 0x80 || 2 * words->distinct >= WORD_SLOTS) /* words beyond ASCII may be equal in lower case */
            continue;
        uint64_t slot = (hash ^ hash >> 32) % WORD_SLOTS;
        hash |= 1; /* 0 marks a free slot */
        while (words->slots[slot] && words->slots[slot] != hash)
            slot = (slot + 1) % WORD_SLOTS;
        words->distinct += !words->slots[slot];
        words->slots[slot] = hash;
    }
}

int graphlang_letters_repeats(int64_t size, int64_t rows, int64_t windows, const uint32_t *symbols,
                              const int64_t *begins, const int64_t *ends, const int64_t *offsets, int64_t times,
                              uint8_t *repetitive, graphlang_fault *fault)
{
    if (times < 0 || times > WORD_SLOTS)
        return GRAPHLANG_REFUSE(fault, "times", 0, times, 0, WORD_SLOTS);
    for (int64_t row = 0; row < rows; row++) {
        int64_t first = offsets[row], last = offsets[row + 1];
        if (first < 0 || first > windows)
            return GRAPHLANG_REFUSE(fault, "offsets", row, first, 0, windows);
        if (last < first || last > windows)
            return GRAPHLANG_REFUSE(fault, "offsets", row + 1, last, first, windows);
        for (int64_t window = first; window < last; window++)
            if (check_range(window, begins[window], ends[window], size, fault))
                return GRAPHLANG_OUT_OF_RANGE;
        repetitive[row] = first < last && repeats_first_word(symbols + begins[first], ends[first] - begins[first]);
        if (!repetitive[row])
            continue;
        struct words words = {.total = 0};
        for (int64_t window = first; window < last; window++)
            count_words(symbols + begins[window], ends[window] - begins[window], &words);
        repetitive[row] = words.total >= times * words.distinct;
    }
    return 0;
}
