/* The visible text: white space folded as it comes, and counted where something is to be known of a stretch. */
#ifndef GRAPHLANG_TEXT_H
#define GRAPHLANG_TEXT_H

#include "_buffer.h"

enum { PLAIN, SPACE, DROPPED, LEADING }; /* what a byte of text is */

typedef struct {
  Buffer bytes;
  int spaced;      /* the last byte is a space, and nothing begins or ends behind it */
  size_t counted;  /* bytes that `letters` and `words` are about */
  uint32_t letters; /* characters but spaces */
  uint32_t words;
} Text;

static void lay_classes(uint8_t classes[256]) {
  memset(classes, PLAIN, 256);
  for (int byte = 9; byte <= 13; byte++) classes[byte] = SPACE;
  for (int byte = 28; byte <= 32; byte++) classes[byte] = SPACE;
  classes[0] = DROPPED;
  classes[0xC2] = classes[0xE1] = classes[0xE2] = classes[0xE3] = LEADING;
}

/* What the character of several bytes is that begins here, and how long it is: white space as in Python's str.split,
   and the soft hyphen, which is dropped. */
static int wide(const uint8_t *at, const uint8_t *end, size_t *size) {
  *size = 1;
  if (*at == 0xC2) {
    if (end - at < 2) return PLAIN;
    *size = 2;
    return at[1] == 0x85 || at[1] == 0xA0 ? SPACE : at[1] == 0xAD ? DROPPED : PLAIN;
  }
  if (end - at < 3) return PLAIN;
  uint8_t second = at[1], third = at[2];
  int space = 0;
  if (*at == 0xE1) space = second == 0x9A && third == 0x80;
  if (*at == 0xE2)
    space = (second == 0x80 && ((third >= 0x80 && third <= 0x8A) || third == 0xA8 || third == 0xA9 || third == 0xAF)) ||
            (second == 0x81 && third == 0x9F);
  if (*at == 0xE3) space = second == 0x80 && third == 0x80;
  if (space) *size = 3;
  return space ? SPACE : PLAIN;
}

static void put_text(Text *text, const uint8_t classes[256], const uint8_t *at, const uint8_t *end) {
  if (at == end || !more(&text->bytes, (size_t)(end - at))) return;
  uint8_t *out = text->bytes.data + text->bytes.size;
  int spaced = text->spaced;
  while (at < end) {
    size_t size = 1;
    int class = classes[*at];
    if (class == LEADING) class = wide(at, end, &size);
    if (class == PLAIN) {
      do
        *out++ = *at++;
      while (at < end && classes[*at] == PLAIN);
      spaced = 0;
      continue;
    }
    at += size;
    if (class == SPACE && !spaced) {
      *out++ = ' ';
      spaced = 1;
    }
  }
  text->spaced = spaced;
  text->bytes.size = (size_t)(out - text->bytes.data);
}

static void put_space(Text *text) {
  if (text->spaced) return;
  put_byte(&text->bytes, ' ');
  text->spaced = 1;
}

/* Something begins or ends here: white space before it is not the white space behind it. */
static uint32_t place(Text *text) {
  text->spaced = 0;
  return (uint32_t)text->bytes.size;
}

/* Bring the counts up to here. */
static void count(Text *text) {
  const uint8_t *bytes = text->bytes.data;
  uint32_t letters = 0, words = 0;
  size_t at = text->counted;
  if (at < text->bytes.size && at == 0) {
    letters += bytes[0] != ' ';
    words += bytes[0] != ' ';
    at = 1;
  }
  for (; at < text->bytes.size; at++) {
    letters += (bytes[at] & 0xC0) != 0x80 && bytes[at] != ' ';
    words += bytes[at] != ' ' && bytes[at - 1] == ' ';
  }
  text->letters += letters;
  text->words += words;
  text->counted = text->bytes.size;
}

/* Characters of a stretch once it is folded. */
static uint32_t folded_length(const Text *text, size_t begin, size_t end) {
  const uint8_t *bytes = text->bytes.data;
  while (begin < end && bytes[begin] == ' ') begin++;
  while (begin < end && bytes[end - 1] == ' ') end--;
  uint32_t length = 0;
  for (size_t at = begin; at < end; at++)
    length += (bytes[at] & 0xC0) != 0x80 && !(bytes[at] == ' ' && bytes[at - 1] == ' ');
  return length;
}

#endif
