/* Character references, as in WHATWG HTML 13.2.5.72 to 13.2.5.80. */
#ifndef GRAPHLANG_REFERENCES_H
#define GRAPHLANG_REFERENCES_H

#include "../../native/buffer.h"
#include "entities.h"

enum { BARE_LONGEST = 6, BARE_SHORTEST = 2, DECODED_LONGEST = 8 };

static int is_letter(uint8_t byte) {
  return (uint8_t)((byte | 32) - 'a') < 26;
}

static int is_digit(uint8_t byte) {
  return (uint8_t)(byte - '0') < 10;
}

static uint8_t lower(uint8_t byte) {
  return (uint8_t)(byte - 'A') < 26 ? byte | 32 : byte;
}

/* Find a name; returns what follows it in the table ('!' or '.', then the characters), or NULL. */
static const char *entity(const uint8_t *name, size_t size) {
  size_t low = 0, high = ENTITIES;
  while (low < high) {
    size_t middle = (low + high) / 2;
    const char *known = ENTITY + ENTITY_AT[middle];
    size_t length = strlen(known);
    int order = memcmp(name, known, size < length ? size : length);
    if (!order && size == length) return known + length + 1;
    if (order < 0 || (!order && size < length))
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static size_t utf8(uint32_t code, uint8_t *out) {
  if (code < 0x80) {
    out[0] = (uint8_t)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (uint8_t)(0xC0 | code >> 6);
    out[1] = (uint8_t)(0x80 | (code & 63));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (uint8_t)(0xE0 | code >> 12);
    out[1] = (uint8_t)(0x80 | (code >> 6 & 63));
    out[2] = (uint8_t)(0x80 | (code & 63));
    return 3;
  }
  out[0] = (uint8_t)(0xF0 | code >> 18);
  out[1] = (uint8_t)(0x80 | (code >> 12 & 63));
  out[2] = (uint8_t)(0x80 | (code >> 6 & 63));
  out[3] = (uint8_t)(0x80 | (code & 63));
  return 4;
}

/* What the number of a reference means: 13.2.5.80, with windows-1252 for 0x80 to 0x9F. */
static uint32_t numbered(uint32_t code) {
  static const uint16_t windows[32] = {
    0x20AC, 0x81,   0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160,
    0x2039, 0x0152, 0x8D,   0x017D, 0x8F,   0x90,   0x2018, 0x2019, 0x201C, 0x201D, 0x2022,
    0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0x9D,   0x017E, 0x0178,
  };
  if (code - 0x80 < 32) return windows[code - 0x80];
  if (!code || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0xFFFD;
  return code;
}

/* Decode the reference that begins with the "&" at `at`. Returns the bytes that it takes, 0 where it is none; its
   characters, DECODED_LONGEST bytes at most, are in `out`, their count in `size`. */
static size_t reference(const uint8_t *at, const uint8_t *end, int in_attribute, uint8_t *out, size_t *size) {
  const uint8_t *next = at + 1;
  if (next < end && *next == '#') {
    int hexadecimal = ++next < end && (*next | 32) == 'x';
    if (hexadecimal) next++;
    const uint8_t *digits = next;
    uint32_t code = 0;
    for (; next < end; next++) {
      uint32_t digit;
      if (is_digit(*next))
        digit = *next - '0';
      else if (hexadecimal && (uint8_t)((*next | 32) - 'a') < 6)
        digit = (*next | 32) - 'a' + 10;
      else
        break;
      if (code <= 0x10FFFF) code = code * (hexadecimal ? 16 : 10) + digit;
    }
    if (next == digits) return 0;
    if (next < end && *next == ';') next++;
    *size = utf8(numbered(code), out);
    return (size_t)(next - at);
  }
  const uint8_t *name = next;
  while (next < end && next - name <= ENTITY_LONGEST && (is_letter(*next) || is_digit(*next))) next++;
  size_t length = (size_t)(next - name);
  const char *found = NULL;
  if (next < end && *next == ';') {
    found = entity(name, length);
    if (found) next++;
  }
  if (!found) { /* the longest of those that need no semicolon: no other is the beginning of a longer name */
    size_t tried = length < BARE_LONGEST ? length : BARE_LONGEST;
    for (; tried >= BARE_SHORTEST; tried--) {
      found = entity(name, tried);
      if (found && *found == '!') break;
      found = NULL;
    }
    if (!found) return 0;
    next = name + tried;
    if (in_attribute && next < end && (*next == '=' || is_letter(*next) || is_digit(*next))) return 0;
  }
  *size = strlen(found + 1);
  memcpy(out, found + 1, *size);
  return (size_t)(next - at);
}

/* Add characters of an attribute or a title: references decoded, line ends made one, zeros replaced. */
static void put_decoded(Buffer *buffer, const uint8_t *at, const uint8_t *end, int in_attribute) {
  size_t length = (size_t)(end - at);
  if (!memchr(at, '&', length) && !memchr(at, '\r', length) && !memchr(at, 0, length)) {
    put(buffer, at, length);
    return;
  }
  if (!more(buffer, length * 3 + DECODED_LONGEST)) return;
  uint8_t *out = buffer->data + buffer->size;
  while (at < end) {
    uint8_t byte = *at;
    if (byte == '&') {
      size_t size = 0, taken = reference(at, end, in_attribute, out, &size);
      if (taken) {
        at += taken;
        out += size;
        continue;
      }
    } else if (byte == 0) {
      memcpy(out, "\xEF\xBF\xBD", 3);
      out += 3;
      at++;
      continue;
    } else if (byte == '\r') {
      byte = '\n';
      if (at + 1 < end && at[1] == '\n') at++;
    }
    *out++ = byte;
    at++;
  }
  buffer->size = (size_t)(out - buffer->data);
}

#endif
