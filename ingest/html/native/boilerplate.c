#include "boilerplate.h"

#include "blank.h"

#include <string.h>

enum { AT_ONCE = 1 << 12 }; /* bytes that are counted before a bound is looked at */

/* The first byte from `at` on that is gone, or that is not; `end` where there is none. */
static uint64_t next(const uint8_t *gone, uint64_t at, uint64_t end, int is_gone) {
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
  for (uint64_t at = begin; at < end; at++) words += !is_blank(text[at]) & is_blank(text[at - 1]);
  return words;
}

/* Characters that are left of a span: letters, and a space between each two words. */
static uint64_t characters_left(const uint8_t *text, const uint8_t *gone, uint64_t begin, uint64_t end, uint64_t most) {
  uint64_t letters = 0, words = 0;
  for (uint64_t at = next(gone, begin, end, 0); at < end && letters <= most;) {
    uint64_t stop = next(gone, at, end, 1), counted = at + 1;
    words += !is_blank(text[at]);
    while (at < stop && letters <= most) {
      uint64_t until = stop - at > AT_ONCE ? at + AT_ONCE : stop;
      letters += count_letters(text, at, until);
      words += count_words(text, counted, until);
      at = counted = until;
    }
    at = next(gone, at, end, 0);
  }
  return words ? letters + words - 1 : 0;
}

static int check_chosen(uint64_t size, uint64_t count, uint64_t chosen_count, const uint32_t *elements,
                        const uint32_t *chosen, graphlang_fault *fault) {
  for (uint64_t n = 0; n < chosen_count; n++) {
    if (chosen[n] >= count) return GRAPHLANG_REFUSE(fault, "chosen", n, chosen[n], 0, (int64_t)count - 1);
    uint64_t at = 3 * (uint64_t)chosen[n];
    if (elements[at + 2] > size) return GRAPHLANG_REFUSE(fault, "elements", at + 2, elements[at + 2], 0, size);
    if (elements[at + 1] > elements[at + 2])
      return GRAPHLANG_REFUSE(fault, "elements", at + 1, elements[at + 1], 0, elements[at + 2]);
  }
  return 0;
}

static void take(const uint32_t *elements, uint32_t chosen, uint8_t *gone, uint8_t *taken) {
  const uint32_t *element = elements + 3 * (uint64_t)chosen;
  memset(gone + element[1], 1, element[2] - element[1]);
  taken[chosen] = 1;
}

uint64_t graphlang_boilerplate_letters(uint64_t size, const uint8_t *text, const uint8_t *gone) {
  uint64_t letters = 0;
  for (uint64_t at = next(gone, 0, size, 0); at < size;) {
    uint64_t stop = next(gone, at, size, 1);
    letters += count_letters(text, at, stop);
    at = next(gone, stop, size, 0);
  }
  return letters;
}

int64_t graphlang_boilerplate_left(uint64_t size, const uint8_t *text, const uint8_t *gone, uint64_t begin, uint64_t end,
                                   uint64_t most, graphlang_fault *fault) {
  if (end > size) return GRAPHLANG_REFUSE(fault, "end", 0, end, 0, size);
  return (int64_t)characters_left(text, gone, begin, end, most);
}

int graphlang_boilerplate_take(uint64_t size, uint64_t count, uint64_t chosen_count, const uint32_t *elements,
                               const uint32_t *chosen, uint8_t *gone, uint8_t *taken, graphlang_fault *fault) {
  int wrong = check_chosen(size, count, chosen_count, elements, chosen, fault);
  if (wrong) return wrong;
  for (uint64_t n = 0; n < chosen_count; n++) take(elements, chosen[n], gone, taken);
  return 0;
}

int graphlang_boilerplate_take_each(uint64_t size, uint64_t count, uint64_t chosen_count, const uint8_t *text,
                                    const uint32_t *elements, const uint32_t *chosen, uint32_t refused, uint64_t most,
                                    uint64_t longest, uint8_t *gone, uint8_t *taken, graphlang_fault *fault) {
  int wrong = check_chosen(size, count, chosen_count, elements, chosen, fault);
  if (wrong) return wrong;
  uint64_t number = 0;
  for (uint64_t n = 0; n < chosen_count; n++) {
    const uint32_t *element = elements + 3 * (uint64_t)chosen[n];
    uint64_t characters = characters_left(text, gone, element[1], element[2], longest);
    if (!characters) continue;
    if (element[0] & refused || number == most || characters > longest) break;
    take(elements, chosen[n], gone, taken);
    number++;
  }
  return 0;
}
