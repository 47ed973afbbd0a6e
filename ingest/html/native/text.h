/* The visible text: white space folded as it comes, to a line feed where a line ends, else to a space. */
#ifndef GRAPHLANG_TEXT_H
#define GRAPHLANG_TEXT_H

#include "../../native/buffer.h"
#include "blank.h"

enum { PLAIN, SPACE, DROPPED, LEADING }; /* kinds of bytes of text */

typedef struct {
  Buffer bytes;
  int spaced; /* the last byte is a space or line feed */
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

/* How many of eight bytes, from the first on, are no white space and no part of any, or some fewer. */
static size_t plain_bytes(const uint8_t *at) {
#if defined(__GNUC__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  const uint64_t each = 0x0101010101010101u, high = 0x80 * each;
  uint64_t word;
  memcpy(&word, at, 8);
  uint64_t c2 = word ^ 0xC2 * each, e0 = (word & 0xFC * each) ^ 0xE0 * each;
  uint64_t low = ~(((word & ~high) + 0x5F * each) | word);             /* up to a space */
  uint64_t others = ((c2 - each) & ~c2) | ((e0 - each) & ~e0);         /* C2, or E0 to E3; the lowest is right */
  uint64_t stops = (low | others) & high;
  return stops ? (size_t)__builtin_ctzll(stops) / 8 : 8;
#else
  return 0;
#endif
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
      *out++ = *at++;
      while (end - at >= 8) { /* the buffer has room for the remaining text, and so for eight bytes */
        size_t plain = plain_bytes(at);
        memcpy(out, at, 8);
        out += plain;
        at += plain;
        if (plain < 8) break;
      }
      while (at < end && classes[*at] == PLAIN) *out++ = *at++;
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

/* Append a blank unless there is one; a line feed replaces a space. */
static void put_blank(Text *text, uint8_t blank) {
  if (!text->spaced)
    put_byte(&text->bytes, blank);
  else if (blank == '\n' && text->bytes.size)
    text->bytes.data[text->bytes.size - 1] = blank;
  text->spaced = 1;
}

/* Preformatted text: an empty line separates paragraphs. */
static void put_preformatted(Text *text, const uint8_t classes[256], const uint8_t *at, const uint8_t *end) {
  for (const uint8_t *line = at; line < end;) {
    line = memchr(line, '\n', (size_t)(end - line));
    if (!line) break;
    const uint8_t *next = line + 1;
    while (next < end && (*next == ' ' || *next == '\t' || *next == '\r')) next++;
    if (next < end && *next == '\n') {
      put_text(text, classes, at, line);
      put_blank(text, '\n');
      at = next;
    }
    line = next;
  }
  put_text(text, classes, at, end);
}

#endif
