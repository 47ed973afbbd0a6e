/* What is left of a text of which some was set apart: `gone` has a byte for each of the text. */
#ifndef GRAPHLANG_LEFT_H
#define GRAPHLANG_LEFT_H

#include "blank.h"

#include <stddef.h>
#include <string.h>

enum { AT_ONCE = 1 << 12 }; /* bytes that are counted before a bound is looked at */

/* The first byte from `at` on that is gone, or that is not; `end` where there is none. */
static uint64_t next_gone(const uint8_t *gone, uint64_t at, uint64_t end, int is_gone) {
  const uint8_t *found = at < end ? memchr(gone + at, is_gone, end - at) : NULL;
  return found ? (uint64_t)(found - gone) : end;
}

static uint32_t count_letters(const uint8_t *text, uint64_t begin, uint64_t end) {
  uint32_t letters = 0;
  for (uint64_t at = begin; at < end; at++) letters += ((text[at] & 0xC0) != 0x80) & !is_blank(text[at]);
  return letters;
}

/* Words that begin behind a blank, from `begin` on, which is not the first byte of the text. */
static uint32_t count_words(const uint8_t *text, uint64_t begin, uint64_t end) {
  uint32_t words = 0;
  for (uint64_t at = begin; at < end; at++) words += (!is_blank(text[at])) & is_blank(text[at - 1]);
  return words;
}

/* Characters that are left of a span: letters, and a space between each two words. */
static uint64_t characters_left(const uint8_t *text, const uint8_t *gone, uint64_t begin, uint64_t end, uint64_t most) {
  uint64_t letters = 0, words = 0;
  for (uint64_t at = next_gone(gone, begin, end, 0); at < end && letters <= most;) {
    uint64_t stop = next_gone(gone, at, end, 1), counted = at + 1;
    words += !is_blank(text[at]);
    while (at < stop && letters <= most) {
      uint64_t until = stop - at > AT_ONCE ? at + AT_ONCE : stop;
      letters += count_letters(text, at, until);
      words += count_words(text, counted, until);
      at = counted = until;
    }
    at = next_gone(gone, at, end, 0);
  }
  return words ? letters + words - 1 : 0;
}

/* Letters that are left of all of it. */
static uint64_t letters_left(const uint8_t *text, const uint8_t *gone, uint64_t size) {
  uint64_t letters = 0;
  for (uint64_t at = next_gone(gone, 0, size, 0); at < size;) {
    uint64_t stop = next_gone(gone, at, size, 1);
    letters += count_letters(text, at, stop);
    at = next_gone(gone, stop, size, 0);
  }
  return letters;
}

#endif
