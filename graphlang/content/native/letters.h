/* Texts -> letters and single spaces; long texts -> windows of whole words. What the steps mean stands in
   `graphlang.content.text`: `normalise`, `scripts`, `windows`.

   Pure functions over arrays of the caller, without state or memory of their own, so that threads run them side by side.
   A batch of texts is one array of code points: text t is symbols[begins[t]] to symbols[ends[t] - 1]. */
#ifndef GRAPHLANG_LETTERS_H
#define GRAPHLANG_LETTERS_H
#include "kernel.h"

enum {
  GRAPHLANG_LETTERS_CODE_POINTS = 1114112,
  GRAPHLANG_LETTERS_PAGES = 4352, /* of 256 code points */
  GRAPHLANG_LETTERS_SCRIPTS = 256,
  GRAPHLANG_LETTERS_DROPPED = 8388608, /* of an entry of the table: the character vanishes */
  GRAPHLANG_LETTERS_PAGES_NEEDED = 1,
  GRAPHLANG_LETTERS_MARKS_FOUND = 2,
  GRAPHLANG_LETTERS_OF_PATH = 3, /* signs of code that a path after a colon counts for */
  GRAPHLANG_LETTERS_GARBLED = 3, /* more than one in so many characters: a part of the text was encoded twice */
  GRAPHLANG_LETTERS_WORD = 24     /* characters of a word, at most, that may be said again and again */
};

/* Which pages of the table of letters some text needs and has not got, and which texts hold marks that may be composed.

   Returns PAGES_NEEDED + MARKS_FOUND, what there is of it. Refuses places outside the symbols, and no code points. */
int64_t graphlang_letters_scan(int64_t size, int64_t rows, const uint32_t symbols[size], const int64_t begins[rows],
                               const int64_t ends[rows], const uint8_t known[GRAPHLANG_LETTERS_PAGES],
                               uint8_t needed[GRAPHLANG_LETTERS_PAGES], uint8_t marked[rows], graphlang_fault *fault);

/* Letters in words, each followed by one space; after each row `margin` places that repeat its beginning.

   table: for each code point what it becomes, whether it is dropped, and from bit 24 on the script that it belongs to.
   weights: how often a letter of each script counts; share: that a script other than Latin needs. closed: whether the
   last word is followed by a space. chosen: in, the script that each row is to keep, 0 where it is to be found; out, the
   script of each; None where letters of all scripts stay. Where one is kept, words that mix Latin (script 1) and Cyrillic
   letters (script 2) which look alike are put into one of the two first. beside: of each row that was found to be Latin the
   script of most of its other letters; of any other row Latin, where it has more Latin letters than others; else 0. None where
   it is not needed. out: room for all characters and 1 +
   margin more for each row. starts, lengths: of each row in `out`. Returns how many places of `out` are used. */
int64_t graphlang_letters_normalise(int64_t size, int64_t rows, int64_t room, const uint32_t symbols[size],
                                    const int64_t begins[rows], const int64_t ends[rows],
                                    const uint32_t table[GRAPHLANG_LETTERS_CODE_POINTS],
                                    const uint8_t weights[GRAPHLANG_LETTERS_SCRIPTS], double share, int64_t margin,
                                    int64_t closed, OPTIONAL uint8_t chosen[rows], OPTIONAL uint8_t beside[rows],
                                    uint32_t out[room], int64_t starts[rows], int64_t lengths[rows],
                                    graphlang_fault *fault);

/* How long each text is once it is normalised with the letters of all scripts, its last space left out.

   table, known, needed, marked: as graphlang_letters_scan and graphlang_letters_normalise have them. Returns what
   graphlang_letters_scan does: where PAGES_NEEDED is in it, what it counted is to be counted again, and texts with marks
   are to be composed first. */
int64_t graphlang_letters_lengths(int64_t size, int64_t rows, const uint32_t symbols[size], const int64_t begins[rows],
                                  const int64_t ends[rows], const uint32_t table[GRAPHLANG_LETTERS_CODE_POINTS],
                                  const uint8_t known[GRAPHLANG_LETTERS_PAGES], uint8_t needed[GRAPHLANG_LETTERS_PAGES],
                                  uint8_t marked[rows], int64_t lengths[rows], graphlang_fault *fault);

/* How many letters each text has.

   is_letter: of each code point; known: the pages of it that are filled in; needed: those that some text needs and has
   not got. Returns PAGES_NEEDED if there are any, and what it counted is to be counted again, or 0. */
int64_t graphlang_letters_count(int64_t size, int64_t rows, const uint32_t symbols[size], const int64_t begins[rows],
                                const int64_t ends[rows], const uint8_t is_letter[GRAPHLANG_LETTERS_CODE_POINTS],
                                const uint8_t known[GRAPHLANG_LETTERS_PAGES], uint8_t needed[GRAPHLANG_LETTERS_PAGES],
                                int64_t counts[rows], graphlang_fault *fault);

/* Windows of texts, cut back to whole words; of a text's equal windows the first stays.

   begins, ends: in, the windows; out, those that stay. offsets: one more than texts; text t has the windows offsets[t] to
   offsets[t + 1] - 1, in and out. inside: bit 0: something stands before the window; bit 1: after it. width: of a full
   window. longest: of a word that was cut, what is taken away at most. Returns how many windows stay. */
int64_t graphlang_letters_windows(int64_t size, int64_t windows, int64_t edges, const uint32_t symbols[size],
                                  int64_t begins[windows], int64_t ends[windows], int64_t offsets[edges],
                                  const uint8_t inside[windows], int64_t width, int64_t longest, graphlang_fault *fault);

/* Signs of rubbish (`nfc.rubbish`). drawn: how many letters of each text are like the two before them, or end two letters
   that occur three times in a row ("goool", "hahaha"). code: how many characters are braces or semicolons; ": /", as the lines of a robots.txt have it, counts for some of these. And how
   many stand for bytes of UTF-8, as in text that was encoded twice; where these are fewer than one in
   GRAPHLANG_LETTERS_GARBLED, 0 will do; all, if almost all Latin letters have accents or are turned, as in text of another
   charset ("Â÷åðà âå÷åðîì") and upside-down text. letters: how many there are, each of a script without capitals three times; plain:
   those in words of two letters or more without digits and signs of code; digits: those of ASCII; mixed: places
   where a Greek or Armenian letter is beside one of the other, a Latin or a Cyrillic one. */
int graphlang_letters_rubbish(int64_t size, int64_t rows, const uint32_t symbols[size], const int64_t begins[rows],
                              const int64_t ends[rows], int64_t drawn[rows], int64_t code[rows], int64_t garbled[rows],
                              int64_t letters[rows], int64_t plain[rows], int64_t digits[rows],
                              int64_t mixed[rows], graphlang_fault *fault);

/* Which texts may be a few words said again and again (`text.repeats`): the first word is one of the next two, and there
   are `times` as many words as there are different ones of ASCII letters and signs alone. Text t has the windows
   `offsets[t]` up to `offsets[t + 1]`; its first words are those of the first one. Letters whose codes differ by 32 alone
   count as equal. Words are what stands between white space and punctuation of ASCII; of a longer one among the first
   than GRAPHLANG_LETTERS_WORD nothing is said. */
int graphlang_letters_repeats(int64_t size, int64_t rows, int64_t windows, const uint32_t symbols[size],
                              const int64_t begins[windows], const int64_t ends[windows],
                              const int64_t offsets[rows + 1], int64_t times, uint8_t again[rows],
                              graphlang_fault *fault);

#endif
