/* The parser of markup: any bytes are a page.

   Input: a byte each for the depth, the number of references kept, which allocations fail, how often the page is
   repeated, and which of its elements are cut out; then the page. */
#include "../failing.h"
#include KERNEL_HTML
#include "../working.h"

HARNESS_BEGIN

enum { LONGEST_PAGE = 1 << 17, BUFFERS = 6, MOST_WORK = 1 << 20 };

static const char *const OF_STRINGS = "TLXBNEC";

/* ---- what a page gave, apart from the reader's memory ---- */

typedef struct {
  uint8_t *data[BUFFERS];
  uint64_t size[BUFFERS];
  uint32_t skipped, flattened, anchors, references;
} Copied;

static Copied copied(const Parser *parser, const graphlang_html_page *page) {
  const void *data[BUFFERS] = {page->text,    page->anchors, page->references,
                               page->strings, page->records, page->links};
  uint64_t size[BUFFERS] = {page->text_size,    page->anchors_size, page->references_size,
                            page->strings_size, page->records_size, page->links_size};
  Copied own = {.skipped = page->skipped, .flattened = page->flattened,
                .anchors = parser->anchor_count, .references = parser->reference_count};
  for (int n = 0; n < BUFFERS; n++) {
    own.data[n] = copy(data[n], (int64_t)size[n], 1);
    own.size[n] = size[n];
  }
  return own;
}

static void check_equal(const Copied *one, const Copied *other) {
  CHECK(one->skipped == other->skipped && one->flattened == other->flattened);
  CHECK(one->anchors == other->anchors && one->references == other->references);
  for (int n = 0; n < BUFFERS; n++) {
    CHECK(one->size[n] == other->size[n]);
    CHECK(!memcmp(one->data[n], other->data[n], one->size[n]));
  }
}

/* ---- properties of what a page gave ---- */

/* Whether bytes are UTF-8, by the values of the characters (RFC 3629). */
static int sound_utf8(const uint8_t *at, uint64_t size) {
  static const uint32_t least[4] = {0, 0x80, 0x800, 0x10000};
  for (uint64_t n = 0; n < size;) {
    uint8_t first = at[n];
    uint64_t more = first < 0x80 ? 0 : first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : 4;
    if (more == 4 || size - n <= more) return 0;
    uint32_t code = more ? first & (0x3Fu >> more) : first;
    for (uint64_t i = 1; i <= more; i++) {
      if (at[n + i] >> 6 != 2) return 0;
      code = code << 6 | (at[n + i] & 0x3F);
    }
    if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return 0;
    n += more + 1;
  }
  return 1;
}

static uint64_t zeros(const uint8_t *at, uint64_t size) {
  uint64_t count = 0;
  for (uint64_t n = 0; n < size; n++) count += !at[n];
  CHECK(!size || !at[size - 1]);
  return count;
}

static void check_text(const graphlang_html_page *page, int sound) {
  for (uint64_t n = 0; n < page->text_size; n++) {
    uint8_t one = page->text[n];
    CHECK(one && !(one >= 9 && one <= 13 && one != '\n') && !(one >= 28 && one <= 31));
    if (sound && n + 1 < page->text_size) CHECK(!(one == 0xC2 && page->text[n + 1] == 0xAD));
  }
  if (sound) {
    CHECK(sound_utf8(page->text, page->text_size));
    CHECK(sound_utf8(page->anchors, page->anchors_size));
    CHECK(sound_utf8(page->references, page->references_size));
    CHECK(sound_utf8(page->strings, page->strings_size));
  }
}

static void check_place(const graphlang_html_page *page, uint32_t begin, uint32_t end, int sound) {
  CHECK(begin <= end && end <= page->text_size);
  if (!sound) return;
  CHECK(begin == page->text_size || page->text[begin] >> 6 != 2);
  CHECK(end == page->text_size || page->text[end] >> 6 != 2);
}

static int by_bytes(const void *one, const void *other) {
  return strcmp(*(const char *const *)one, *(const char *const *)other);
}

static void check_distinct(const uint8_t *strings, uint64_t size, uint32_t count) {
  const char **each = array(count, sizeof *each);
  uint32_t found = 0;
  for (uint64_t at = 0; at < size; at += strlen(each[found++]) + 1) each[found] = (const char *)strings + at;
  CHECK(found == count);
  qsort(each, count, sizeof *each, by_bytes);
  for (uint32_t n = 0; n + 1 < count; n++) CHECK(strcmp(each[n], each[n + 1]));
}

/* Each string has a letter; what a <meta> says stands together. */
static void check_strings(const graphlang_html_page *page) {
  char before = 0;
  zeros(page->strings, page->strings_size);
  for (uint64_t at = 0; at < page->strings_size; at += strlen((const char *)page->strings + at) + 1) {
    char own = (char)page->strings[at];
    CHECK(own && strchr(OF_STRINGS, own));
    CHECK((own == 'E') == (before == 'N') && (own == 'C') == (before == 'E'));
    before = own;
  }
  CHECK(before != 'N' && before != 'E');
}

static void check_page(const Parser *parser, const graphlang_html_page *page, uint64_t size, uint32_t most, int sound) {
  uint64_t records = page->records_size / sizeof(Record), links = page->links_size / sizeof(LinkRecord);
  CHECK(page->text_size <= 2 * size + 8);
  check_text(page, sound);
  check_strings(page);
  check_distinct(page->anchors, page->anchors_size, parser->anchor_count);
  CHECK(zeros(page->references, page->references_size) == 4ull * parser->reference_count);
  CHECK((uint64_t)parser->anchor_count + parser->reference_count <= most);
  CHECK(records <= MOST_RECORDS && links <= MOST_LINKS);
  for (uint64_t n = 0; n < records; n++) {
    const Record *one = (const Record *)(const void *)page->records + n;
    CHECK(one->flags && one->flags < 2 * GRAPHLANG_IS_UNCLOSED);
    check_place(page, one->begin, one->end, sound);
    CHECK(!n || one[-1].begin <= one->begin);
  }
  for (uint64_t n = 0; n < links; n++) {
    const LinkRecord *one = (const LinkRecord *)(const void *)page->links + n;
    check_place(page, one->begin, one->end, sound);
    CHECK(one->language < 1u << 24);
    CHECK(one->target >> 31 ? (one->target << 1) && (one->target & INT32_MAX) <= parser->reference_count
                            : one->target <= parser->anchor_count);
    CHECK(!n || one[-1].begin <= one->begin);
  }
}

/* ---- cutting ---- */

static int is_gap(uint8_t byte) {
  return byte == ' ' || byte == '\n';
}

/* Every character that is no blank comes out once: outside of all spans first, else in the last span that holds it. */
static void check_cut(const graphlang_html_page *page, const Span *spans, uint32_t count, const uint8_t *cut,
                      uint64_t size, uint64_t main_size) {
  uint32_t *owner = array((int64_t)page->text_size, sizeof *owner);
  memset(owner, 0, page->text_size * sizeof *owner);
  uint64_t work = 0, at = 0;
  for (uint32_t n = 0; n < count; n++) {
    work += spans[n].end - spans[n].begin;
    if (work > MOST_WORK) return;
    for (uint32_t i = spans[n].begin; i < spans[n].end; i++) owner[i] = n + 1;
  }
  for (uint32_t part = 0; part <= count; part++) {
    uint32_t begin = part ? spans[part - 1].begin : 0, end = part ? spans[part - 1].end : (uint32_t)page->text_size;
    for (uint32_t i = begin; i < end; i++) {
      if (owner[i] != part || is_gap(page->text[i])) continue;
      while (at < size && is_gap(cut[at])) at++;
      CHECK(at < size && cut[at] == page->text[i]);
      CHECK(part ? at >= main_size : at < main_size);
      at++;
    }
  }
  for (; at < size; at++) CHECK(is_gap(cut[at]));
}

/* Cut elements out of the page that was read last, as `native/around.h` does. */
static void cut_page(const graphlang_html_page *page, uint8_t chosen) {
  uint32_t records = (uint32_t)(page->records_size / sizeof(Record)), count = 0;
  const Record *every = (const Record *)(const void *)page->records;
  Span *spans = array(records, sizeof *spans);
  for (uint32_t n = 0; n < records; n++)
    if (chosen >> n % 8 & 1 && every[n].end > every[n].begin) spans[count++] = (Span){every[n].begin, every[n].end};
  qsort(spans, count, sizeof *spans, compare_spans);
  uint64_t room = page->text_size + 2 * (uint64_t)count + 2, main_size = 0;
  uint8_t *text = copy(page->text, (int64_t)page->text_size, 1), *out = array((int64_t)room, 1);
  uint32_t *begins = array(count, sizeof *begins), *ends = array(count, sizeof *ends);
  uint32_t *reach = array(count, sizeof *reach), *following = array(count, sizeof *following);
  for (uint32_t n = 0; n < count; n++) begins[n] = spans[n].begin, ends[n] = spans[n].end;
  graphlang_fault fault = {0};
  int64_t size =
    graphlang_html_cut(page->text_size, count, text, begins, ends, reach, following, out, &main_size, &fault);
  CHECK(size >= 0 && main_size <= (uint64_t)size && (uint64_t)size <= page->text_size + 2 * count + 1);
  CHECK(!size || out[size - 1] != ' ');
  check_cut(page, spans, count, out, (uint64_t)size, main_size);
  if (!count) return;
  ends[count - 1] = (uint32_t)page->text_size + 1;
  size = graphlang_html_cut(page->text_size, count, text, begins, ends, reach, following, out, &main_size, &fault);
  CHECK(size == GRAPHLANG_OUT_OF_RANGE && fault.index == count - 1);
}

/* Part the page that was read last: what is set apart are whole elements, lines and templates. */
static void check_parted(const Parser *parser, const graphlang_html_page *page, const graphlang_html_parted *parted) {
  CHECK(parted->main_size <= parted->text_size);
  if (!page->text_size) return;
  const Span *spans = (const Span *)(const void *)parser->spans.data;
  uint64_t count = parser->spans.size / sizeof *spans;
  for (uint64_t n = 0; n < count; n++) {
    CHECK(spans[n].begin < spans[n].end && spans[n].end <= page->text_size);
    CHECK(!n || spans[n - 1].begin <= spans[n].begin);
  }
  CHECK(parted->text_size <= page->text_size + 2 * count + 1);
  check_cut(page, spans, (uint32_t)count, parted->text, parted->text_size, parted->main_size);
}

/* ---- one input ---- */

/* The page so many times; a byte 1 in it is the number of the time, so that what is repeated differs. */
static uint8_t *repeated(const Input *in, uint32_t times, uint64_t *size) {
  uint64_t used = 0, room = (uint64_t)left(in) * times * (times > 1 ? 4 : 1);
  if (room > LONGEST_PAGE) room = LONGEST_PAGE;
  uint8_t *page = array((int64_t)room + 8, 1);
  for (uint32_t n = 0; n < times; n++)
    for (const uint8_t *at = in->at; at < in->end && used < room; at++)
      if (*at == 1 && times > 1)
        used += (uint64_t)snprintf((char *)page + used, 8, "%u", n);
      else
        page[used++] = *at;
  *size = used;
  return copy(page, (int64_t)used, 1);
}

void fuzz_html(Input *in) {
  static const uint32_t depths[] = {500, 512, 2, 3, 4, 8, 32, 600}, mosts[] = {20000, 200, 0, 1, 2, 3, 9, 50};
  static Parser *kept; /* has read all pages before */
  uint32_t depth = depths[byte(in) % 8], most = mosts[byte(in) % 8];
  uint8_t plan = byte(in), repeats = byte(in), chosen = byte(in);
  uint64_t size;
  uint8_t *data = repeated(in, repeats < 248 ? 1 : 2u << (repeats - 248), &size);
  int sound = graphlang_html_is_utf8(size, data);
  CHECK(sound == sound_utf8(data, size));
  uint64_t capitals = 0;
  for (uint64_t n = 0; n < size; n++) capitals += data[n] == 0xC3;
  CHECK(!graphlang_html_looks_encoded_twice(size, data) || capitals >= 3);

  graphlang_html_page page;
  Parser *fresh = graphlang_html_new(plan);
  CHECK(fresh && !graphlang_html_read(fresh, size, data, most, depth, &page));
  check_page(fresh, &page, size, most, sound);
  cut_page(&page, 0);
  cut_page(&page, chosen);
  Copied expected = copied(fresh, &page);
  graphlang_html_parted parted;
  CHECK(!graphlang_html_part(fresh, &parted));
  check_parted(fresh, &page, &parted);
  uint8_t *text = copy(parted.text, (int64_t)parted.text_size, 1);
  uint64_t text_size = parted.text_size;

  if (plan) { /* out of memory the parser says so, or what it gives is right; and then it goes on */
    fail_allocations(plan >> 1 & 63, plan & 1);
    Parser *poor = graphlang_html_new(7);
    if (poor && !graphlang_html_read(poor, size, data, most, depth, &page)) {
      Copied got = copied(poor, &page);
      check_equal(&expected, &got);
      cut_page(&page, chosen);
      CHECK(!graphlang_html_part(poor, &parted) || failed_allocations());
    } else
      CHECK(failed_allocations());
    allow_allocations();
    if (poor) {
      CHECK(!graphlang_html_read(poor, size, data, most, depth, &page));
      Copied got = copied(poor, &page);
      check_equal(&expected, &got);
    }
    graphlang_html_free(poor);
  }
  graphlang_html_free(fresh);

  if (!kept) CHECK(kept = graphlang_html_new(2008));
  for (int n = 0; n < 2; n++) {
    CHECK(!graphlang_html_read(kept, size, data, most, depth, &page));
    Copied got = copied(kept, &page);
    check_equal(&expected, &got);
    CHECK(!graphlang_html_part(kept, &parted));
    CHECK(parted.text_size == text_size && (!text_size || !memcmp(parted.text, text, text_size)));
  }
}

/* Any spans of any text: those that are out of order or beyond it are refused. */
void fuzz_cut(Input *in) {
  int64_t size = below(in, 200), count = below(in, 20);
  uint8_t how = byte(in), *text = array(size, 1);
  uint32_t *begins = array(count, 4), *ends = array(count, 4), *reach = array(count, 4), *following = array(count, 4);
  Span *spans = array(count, sizeof *spans);
  int sound = 1;
  for (int64_t n = 0; n < size; n++) text[n] = " abc"[byte(in) % 4];
  for (int64_t n = 0; n < count; n++) {
    spans[n].begin = (uint32_t)(how & 1 ? damaged(in, size) : below(in, size));
    spans[n].end = (uint32_t)(how & 1 ? damaged(in, size + 1) : spans[n].begin + 1 + below(in, size - spans[n].begin));
  }
  if (!(how & 2)) qsort(spans, (size_t)count, sizeof *spans, compare_spans);
  for (int64_t n = 0; n < count; n++) {
    begins[n] = spans[n].begin;
    ends[n] = spans[n].end;
    sound &= begins[n] < ends[n] && ends[n] <= size && (!n || begins[n - 1] <= begins[n]);
  }
  uint8_t *out = array(size + 2 * count + 2, 1);
  uint64_t main_size;
  graphlang_fault fault = {0};
  int64_t made = graphlang_html_cut((uint64_t)size, (uint64_t)count, text, begins, ends, reach, following, out, &main_size, &fault);
  CHECK(sound ? made >= 0 : made == GRAPHLANG_OUT_OF_RANGE);
  if (!sound) {
    CHECK(fault.index >= 0 && fault.index < count && (fault.value < fault.least || fault.value > fault.most));
    return;
  }
  graphlang_html_page page = {.text = text, .text_size = (uint64_t)size};
  check_cut(&page, spans, (uint32_t)count, out, (uint64_t)made, main_size);
}

HARNESS_END
