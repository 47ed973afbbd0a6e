/* Texts -> letters and single spaces; long texts -> windows of whole words. `graphlang.content.text` (`normalise`,
   `scripts`, `windows`) explains the steps.

   Pure functions over the caller's arrays: no state, no memory of their own, safe to call from several threads at once.
   A batch of texts is one array of code points: text t is symbols[begins[t]] to symbols[ends[t] - 1]. */
#ifndef GRAPHLANG_LETTERS_H
#define GRAPHLANG_LETTERS_H
#include "kernel.h"

enum {
  GRAPHLANG_LETTERS_CODE_POINTS = 1114112,
  GRAPHLANG_LETTERS_PAGES = 4352, /* of 256 code points */
  GRAPHLANG_LETTERS_SCRIPTS = 256,
  GRAPHLANG_LETTERS_DROPPED = 8388608, /* bit of a table entry: the character is removed */
  GRAPHLANG_LETTERS_PAGES_NEEDED = 1, /* flag: `needed` has pages to fill */
  GRAPHLANG_LETTERS_HAS_MARKS = 2,    /* flag: a text has marks that may compose */
  GRAPHLANG_LETTERS_PATH_WEIGHT = 3,  /* signs of code that a path after a colon counts for */
  GRAPHLANG_LETTERS_GARBLED = 3, /* a text is garbled if more than one character in this many was encoded twice */
  GRAPHLANG_LETTERS_WORD = 24    /* maximum characters of a word that may be repeated */
};

/* Find the pages of the letter table that texts need and that are not filled, and the texts with marks that may compose.

   filled, needed: of each page; marked: of each text. Returns the flags PAGES_NEEDED and HAS_MARKS. Refuses positions
   outside the symbols and values that are not code points. */
int64_t graphlang_letters_scan(int64_t size, int64_t rows, const uint32_t symbols[size], const int64_t begins[rows],
                               const int64_t ends[rows], const uint8_t filled[GRAPHLANG_LETTERS_PAGES],
                               uint8_t needed[GRAPHLANG_LETTERS_PAGES], uint8_t marked[rows], graphlang_fault *fault);

/* Normalise texts: letters in words, each word followed by one space. `margin` places after each row repeat its beginning.

   table: for each code point the normalised character, the bit DROPPED, and its script from bit 24 on.
   weights: of a letter of each script. share: minimum share of letters that a script other than Latin needs.
   closed: whether a space follows the last word.
   scripts: in, the script to keep in each row, or 0 to detect it; out, the script of each row. None keeps all letters.
   With a script to keep, a word that mixes Latin (script 1) and Cyrillic (script 2) look-alikes is first moved into one of
   the two.
   second_scripts: of a row detected as Latin, the commonest of its other scripts; of any other row Latin, if it has more
   Latin letters than others; else 0. May be None.
   out: needs room for all characters and 1 + margin more per row. starts, lengths: of each row in `out`.
   Returns how many places of `out` are used. */
int64_t graphlang_letters_normalise(int64_t size, int64_t rows, int64_t room, const uint32_t symbols[size],
                                    const int64_t begins[rows], const int64_t ends[rows],
                                    const uint32_t table[GRAPHLANG_LETTERS_CODE_POINTS],
                                    const uint8_t weights[GRAPHLANG_LETTERS_SCRIPTS], double share, int64_t margin,
                                    int64_t closed, OPTIONAL uint8_t scripts[rows],
                                    OPTIONAL uint8_t second_scripts[rows], uint32_t out[room], int64_t starts[rows],
                                    int64_t lengths[rows], graphlang_fault *fault);

/* Compute the length of each text after normalisation with the letters of all scripts, without its last space.

   table, filled, needed, marked: as in graphlang_letters_scan and graphlang_letters_normalise. Returns the flags of
   graphlang_letters_scan. With PAGES_NEEDED, fill the pages and call again; texts with marks must be composed first. */
int64_t graphlang_letters_lengths(int64_t size, int64_t rows, const uint32_t symbols[size], const int64_t begins[rows],
                                  const int64_t ends[rows], const uint32_t table[GRAPHLANG_LETTERS_CODE_POINTS],
                                  const uint8_t filled[GRAPHLANG_LETTERS_PAGES],
                                  uint8_t needed[GRAPHLANG_LETTERS_PAGES], uint8_t marked[rows], int64_t lengths[rows],
                                  graphlang_fault *fault);

/* Count the letters of each text.

   is_letter: of each code point; filled: of each page of it; needed: pages that a text needs and that are not filled.
   Returns PAGES_NEEDED if there are any (fill them and call again), or 0. */
int64_t graphlang_letters_count(int64_t size, int64_t rows, const uint32_t symbols[size], const int64_t begins[rows],
                                const int64_t ends[rows], const uint8_t is_letter[GRAPHLANG_LETTERS_CODE_POINTS],
                                const uint8_t filled[GRAPHLANG_LETTERS_PAGES], uint8_t needed[GRAPHLANG_LETTERS_PAGES],
                                int64_t counts[rows], graphlang_fault *fault);

/* Cut windows of texts back to whole words, and drop repeats of an earlier window of the same text.

   begins, ends: in, the windows; out, those that remain. offsets: text t has the windows offsets[t] to offsets[t + 1] - 1,
   in and out. inside: bit 0: text precedes the window; bit 1: text follows it. width: of a full window. longest: maximum
   characters to remove of a word that was cut. Returns how many windows remain. */
int64_t graphlang_letters_windows(int64_t size, int64_t windows, int64_t edges, const uint32_t symbols[size],
                                  int64_t begins[windows], int64_t ends[windows], int64_t offsets[edges],
                                  const uint8_t inside[windows], int64_t width, int64_t longest,
                                  graphlang_fault *fault);

/* Count the signs of rubbish in each text (`nfc.rubbish`).

   drawn: letters equal to the two before them, or at the end of the third of three equal pairs ("goool", "hahaha").
   code: braces and semicolons; ": /", as in the lines of a robots.txt, counts PATH_WEIGHT.
   garbled: characters that are bytes of UTF-8, in a text that was encoded twice; may be 0 if they are fewer than one in
   GRAPHLANG_LETTERS_GARBLED. All characters, if almost all Latin letters are accented or turned, as in text of another
   charset ("Â÷åðà âå÷åðîì") and upside-down text.
   letters: a letter of a script without capitals counts three times. plain: those in words of two letters or more without
   digits and signs of code. digits: ASCII digits. mixed: places where a Greek or Armenian letter is next to a letter of
   another of the scripts Latin, Greek, Cyrillic and Armenian. */
int graphlang_letters_rubbish(int64_t size, int64_t rows, const uint32_t symbols[size], const int64_t begins[rows],
                              const int64_t ends[rows], int64_t drawn[rows], int64_t code[rows], int64_t garbled[rows],
                              int64_t letters[rows], int64_t plain[rows], int64_t digits[rows], int64_t mixed[rows],
                              graphlang_fault *fault);

/* Find texts that may repeat a few words (`short_texts.drop_repetitions`): the first word is one of the next two, and there
   are at least `times` as many words as distinct ASCII words.

   Text t has the windows `offsets[t]` up to `offsets[t + 1]`; its first words are those of the first window. White space and
   ASCII punctuation separate words; letters whose codes differ by 32 are equal. A text with a word longer than
   GRAPHLANG_LETTERS_WORD among its first words is never repetitive. repetitive: of each text. */
int graphlang_letters_repeats(int64_t size, int64_t rows, int64_t windows, const uint32_t symbols[size],
                              const int64_t begins[windows], const int64_t ends[windows],
                              const int64_t offsets[rows + 1], int64_t times, uint8_t repetitive[rows],
                              graphlang_fault *fault);

#endif
