/* UTF-8 as the Unicode standard defines it (table 3-7). */
#ifndef GRAPHLANG_UTF8_H
#define GRAPHLANG_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* Length of the character beyond ASCII that begins here; 0 if the bytes are invalid. */
static size_t character(const uint8_t *at, const uint8_t *end) {
  size_t left = (size_t)(end - at);
  uint8_t first = at[0], least = 0x80, greatest = 0xBF;
  size_t size = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (!size || left < size) return 0;
  if (first == 0xE0) least = 0xA0;
  if (first == 0xED) greatest = 0x9F;
  if (first == 0xF0) least = 0x90;
  if (first == 0xF4) greatest = 0x8F;
  if (at[1] < least || at[1] > greatest) return 0;
  for (size_t n = 2; n < size; n++)
    if ((at[n] & 0xC0) != 0x80) return 0;
  return size;
}

#endif
