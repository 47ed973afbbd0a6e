/* The remaining text after parts were removed: `removed` has a byte for each of the text. */
#ifndef GRAPHLANG_LEFT_H
#define GRAPHLANG_LEFT_H

#include "blank.h"

#include <stddef.h>
#include <string.h>

/* The first byte from `at` on that is removed, or that is not; `end` if there is none. */
static uint64_t next_removed(const uint8_t *removed, uint64_t at, uint64_t end, int is_removed) {
  const uint8_t *match = at < end ? memchr(removed + at, is_removed, end - at) : NULL;
  return match ? (uint64_t)(match - removed) : end;
}

/* Letters: characters but blanks. */
static uint32_t count_letters(const uint8_t *text, uint64_t begin, uint64_t end) {
  uint32_t letters = 0;
  for (uint64_t at = begin; at < end; at++) letters += ((text[at] & 0xC0) != 0x80) & !is_blank(text[at]);
  return letters;
}

/* Remaining letters of a span. */
static uint64_t count_remaining(const uint8_t *text, const uint8_t *removed, uint64_t begin, uint64_t end) {
  uint64_t letters = 0;
  for (uint64_t at = next_removed(removed, begin, end, 0); at < end;) {
    uint64_t stop = next_removed(removed, at, end, 1);
    letters += count_letters(text, at, stop);
    at = next_removed(removed, stop, end, 0);
  }
  return letters;
}

#endif
