#include "fields.h"

#include <string.h>

static int is_blank(uint8_t byte) { /* white space of Python's among the ASCII characters */
  return byte == ' ' || (byte >= 9 && byte <= 13) || (byte >= 28 && byte <= 31);
}

/* Whether the caller is to read the block. */
static int needs_library(const uint8_t *at, const uint8_t *end) {
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
static uint8_t *write_field(uint8_t *out, const uint8_t *at, const uint8_t *end, const uint8_t *wanted,
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
  if (size >= GRAPHLANG_FIELDS_LEFT / 2 || needs_library(block, block + size)) return GRAPHLANG_FIELDS_LEFT;
  uint8_t *to = out;
  for (const uint8_t *at = block, *end = block + size; at < end;) {
    const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    to = write_field(to, at, stop, wanted, wanted + wanted_size);
    at = stop + 1;
    if (at < end && (*at == ' ' || *at == '\t')) return GRAPHLANG_FIELDS_LEFT;
  }
  return to - out;
}

/* ---- a record that holds an answer of HTTP ---- */

typedef struct {
  const uint8_t *at, *end; /* `at` is NULL where there is none */
} Value;

typedef struct {
  const char *name;
  Value value;
} Field;

/* The fields of a block among those that are looked for; 0 where the block is not for us, or one comes twice. */
static int find_fields(const uint8_t *at, const uint8_t *end, Field *fields, size_t count) {
  if (needs_library(at, end)) return 0;
  while (at < end) {
    const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) stop = end;
    const uint8_t *colon = memchr(at, ':', (size_t)(stop - at));
    if (colon == at && colon) return 0; /* a pseudo-header of HTTP/2 */
    if (colon) {
      const uint8_t *name_end = colon;
      while (name_end > at && (name_end[-1] == ' ' || name_end[-1] == '\t')) name_end--;
      for (size_t n = 0; n < count; n++) {
        size_t size = strlen(fields[n].name), place = 0;
        if ((size_t)(name_end - at) != size) continue;
        while (place < size && (at[place] >= 'A' && at[place] <= 'Z' ? at[place] | 32 : at[place]) == (uint8_t)fields[n].name[place]) place++;
        if (place < size) continue;
        if (fields[n].value.at) return 0;
        Value value = {colon + 1, stop};
        while (value.at < value.end && is_blank(*value.at)) value.at++;
        while (value.at < value.end && is_blank(value.end[-1])) value.end--;
        fields[n].value = value;
      }
    }
    at = stop < end ? stop + 1 : end;
    if (at < end && (*at == ' ' || *at == '\t')) return 0;
  }
  return 1;
}

static int is_word(Value value, const char *word) {
  size_t size = strlen(word);
  return value.at && (size_t)(value.end - value.at) == size && !memcmp(value.at, word, size);
}

/* The status of an answer whose first line says it; 0 where it does not, or where another answer follows. */
static int status_of(const uint8_t *at, const uint8_t *end) {
  if (end - at < 16 || memcmp(at, "HTTP/1.", 7) || at[7] < '0' || at[7] > '9' || (at[8] != ' ' && at[8] != '\t')) return 0;
  at += 9;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  if (end - at < 4) return 0;
  for (int n = 0; n < 3; n++)
    if (at[n] < '0' || at[n] > '9') return 0;
  if (*at == '1' || (at[3] >= '0' && at[3] <= '9')) return 0;
  return (at[0] - '0') * 100 + (at[1] - '0') * 10 + at[2] - '0';
}

/* Where the empty line that ends a header begins, behind the line end before it, and where it ends in `behind`; NULL where
   there is none, or markup before it. */
static const uint8_t *header_end(const uint8_t *at, const uint8_t *end, const uint8_t **behind) {
  while (at < end && (at = memchr(at, '\n', (size_t)(end - at)))) {
    const uint8_t *next = ++at;
    while (next < end && next - at < 2 && *next == '\r') next++;
    if (next < end && *next == '\n') {
      *behind = next + 1;
      return at;
    }
    if (at < end && *at == '<') return NULL;
  }
  return NULL;
}

int64_t graphlang_fields_answer(uint64_t head_size, uint64_t size, uint64_t room, const uint8_t *head, const uint8_t *block,
                                uint64_t longest, uint8_t *parts, int64_t *places) {
  Field of_record[] = {{"warc-type", {0}}, {"warc-target-uri", {0}}, {"warc-date", {0}}, {"warc-payload-digest", {0}},
                       {"warc-segment-number", {0}}, {"x-graphlang-mirrored", {0}}};
  Field of_answer[] = {{"content-type", {0}}, {"content-language", {0}}, {"x-robots-tag", {0}}, {"location", {0}}, {"refresh", {0}},
                       {"link", {0}}, {"content-encoding", {0}}, {"transfer-encoding", {0}}};
  const uint8_t *end = block + size, *body = NULL;
  uint64_t needed = GRAPHLANG_FIELDS_PARTS, bound = size < longest ? size : longest;
  if (head_size < 5 || !size || memcmp(head, "WARC/", 5)) return GRAPHLANG_FIELDS_LEFT;
  if (!find_fields(head, head + head_size, of_record, sizeof of_record / sizeof *of_record)) return GRAPHLANG_FIELDS_LEFT;
  if (!is_word(of_record[0].value, "response") || of_record[4].value.at || of_record[5].value.at) return GRAPHLANG_FIELDS_LEFT;
  for (const uint8_t *at = of_record[0].value.at; at[-1] != ':'; at--)
    if (at[-1] != ' ' && at[-1] != '\t') return GRAPHLANG_FIELDS_LEFT; /* white space of other kinds is not passed over */
  int status = status_of(block, end);
  const uint8_t *last = header_end(block, block + bound, &body);
  if (!status || !last) return GRAPHLANG_FIELDS_LEFT;
  const uint8_t *first = (const uint8_t *)memchr(block, '\n', (size_t)(last - block)) + 1;
  if (!find_fields(first, last, of_answer, sizeof of_answer / sizeof *of_answer)) return GRAPHLANG_FIELDS_LEFT;
  Value found[GRAPHLANG_FIELDS_PARTS];
  for (int n = 0; n < GRAPHLANG_FIELDS_PARTS; n++) {
    found[n] = n < 3 ? of_record[n + 1].value : of_answer[n - 3].value;
    needed += (uint64_t)(found[n].end - found[n].at);
  }
  if (needed > room) return GRAPHLANG_FIELDS_LEFT;
  uint8_t *to = parts;
  for (int n = 0; n < GRAPHLANG_FIELDS_PARTS; n++) {
    size_t length = (size_t)(found[n].end - found[n].at);
    if (length) memcpy(to, found[n].at, length);
    to += length;
    *to++ = 0;
  }
  places[0] = status;
  places[1] = body - block;
  return to - parts;
}

/* ---- a gzip member that holds one record ---- */

/* The number that a line of a header states as the length of the block: -1 where it states none, -2 where it is not written
   as nearly all are. */
static int64_t length_of(const uint8_t *at, const uint8_t *end) {
  static const char name[] = "content-length";
  if ((size_t)(end - at) < sizeof name) return -1;
  for (size_t n = 0; n + 1 < sizeof name; n++)
    if ((at[n] >= 'A' && at[n] <= 'Z' ? at[n] | 32 : at[n]) != (uint8_t)name[n]) return -1;
  at += sizeof name - 1;
  if (*at++ != ':') return -2;
  while (at < end && (*at == ' ' || *at == '\t')) at++;
  int64_t length = 0;
  const uint8_t *digits = at;
  for (; at < end && *at >= '0' && *at <= '9'; at++) {
    if (at - digits == 18) return -2;
    length = 10 * length + (*at - '0');
  }
  if (at == digits) return -2;
  while (at < end && (*at == ' ' || *at == '\t' || *at == '\r')) at++;
  return at == end ? length : -2;
}

int64_t graphlang_fields_member(uint64_t size, uint64_t room, const uint8_t *member, uint64_t longest, uint64_t largest,
                                uint8_t *parts, int64_t *places) {
  const uint8_t *end = member + size, *head_end = NULL;
  if (size < 5 || memcmp(member, "WARC/", 5)) return GRAPHLANG_FIELDS_LEFT;
  int64_t length = -1;
  for (const uint8_t *at = member; !head_end;) {
    const uint8_t *stop = memchr(at, '\n', (size_t)(end - at));
    if (!stop) return GRAPHLANG_FIELDS_LEFT;
    if (at > member && length < 0) length = length_of(at, stop); /* of several fields the first counts */
    if (length == -2) return GRAPHLANG_FIELDS_LEFT;
    const uint8_t *next = at = stop + 1;
    while (next < end && next - at < 2 && *next == '\r') next++;
    if (next < end && *next == '\n') head_end = next + 1;
  }
  uint64_t head_size = (uint64_t)(head_end - member);
  if (length < 0 || head_size > longest || (uint64_t)length > largest || (uint64_t)length > size - head_size)
    return GRAPHLANG_FIELDS_LEFT;
  for (const uint8_t *at = head_end + length; at < end; at++)
    if (*at != '\r' && *at != '\n') return GRAPHLANG_FIELDS_LEFT;
  int64_t of_answer[2] = {0, 0};
  int64_t written = graphlang_fields_answer(head_size, (uint64_t)length, room, member, head_end, longest, parts, of_answer);
  places[0] = (int64_t)head_size;
  places[1] = (int64_t)head_size + length;
  places[2] = of_answer[0];
  places[3] = of_answer[1];
  return written == GRAPHLANG_FIELDS_LEFT ? 0 : written;
}
