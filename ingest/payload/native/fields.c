#include "fields.h"

#include <string.h>

static int is_blank(uint8_t byte) { /* white space of Python's among the ASCII characters */
  return byte == ' ' || (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 31);
}

/* Whether the caller is to read the block. */
static int is_left(const uint8_t *at, const uint8_t *end) {
  uint8_t beyond = 0;
  for (const uint8_t *byte = at; byte < end; byte++) beyond |= (uint8_t)(*byte - 1) & 0x80; /* of 0 as well */
  beyond |= memchr(at, 0x80, (size_t)(end - at)) != NULL;
  return beyond != 0;
}

/* Whether a name is one of those that are wanted. */
static int is_wanted(const uint8_t *name, size_t size, const uint8_t *at, const uint8_t *end) {
  while (at < end) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    if ((size_t)(stop - at) == size && !memcmp(at, name, size)) return 1;
    at = stop + 1;
  }
  return 0;
}

/* Write the field that a line is, if it is one; returns the end of what was written. There is room for twice the line
   and one byte more. */
static uint8_t *put_field(uint8_t *out, const uint8_t *at, const uint8_t *end, const uint8_t *wanted,
                          const uint8_t *wanted_end) {
  uint8_t *begin = out;
  const uint8_t *colon = at < end ? memchr(at, ':', (size_t)(end - at)) : NULL;
  if (colon == at && colon) colon = memchr(at + 1, ':', (size_t)(end - at - 1)); /* a pseudo-header of HTTP/2 */
  if (!colon) return out;
  const uint8_t *name_end = colon, *value = colon + 1;
  while (name_end > at + (*at == ':') && (name_end[-1] == ' ' || name_end[-1] == '\t')) name_end--;
  if (name_end == at || memchr(at, ' ', (size_t)(name_end - at))) return out;
  for (; at < name_end; at++) *out++ = *at >= 'A' && *at <= 'Z' ? *at | 32 : *at;
  if (wanted < wanted_end && !is_wanted(begin, (size_t)(out - begin), wanted, wanted_end)) return begin;
  *out++ = 0;
  while (value < end && is_blank(*value)) value++;
  while (value < end && is_blank(end[-1])) end--;
  memcpy(out, value, (size_t)(end - value));
  out += end - value;
  *out++ = 0;
  return out;
}

int64_t graphlang_fields_read(uint64_t size, uint64_t wanted_size, const uint8_t *block, const uint8_t *wanted,
                              uint8_t *out) {
  if (!size) return 0;
  if (size >= GRAPHLANG_FIELDS_LEFT / 2 || is_left(block, block + size)) return GRAPHLANG_FIELDS_LEFT;
  uint8_t *to = out;
  for (const uint8_t *at = block, *end = block + size; at < end;) {
    const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    to = put_field(to, at, stop, wanted, wanted + wanted_size);
    at = stop + 1;
    if (at < end && (*at == ' ' || *at == '\t')) return GRAPHLANG_FIELDS_LEFT;
  }
  return to - out;
}
