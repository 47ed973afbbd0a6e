#include "ordinary_page.h"
#include "../html/native/html.h"
#include "../links/native/join.h"
#include "buffer.h"

typedef struct graphlang_ordinary_page {
  graphlang_html *html;
  graphlang_join *join;
  graphlang_html_page page; /* all zeros without a page */
  Buffer strings;
} Reader;

graphlang_ordinary_page *graphlang_ordinary_page_new(uint32_t seed) {
  Reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->html = graphlang_html_new(seed);
  reader->join = graphlang_join_new(seed);
  if (reader->html && reader->join) return reader;
  graphlang_ordinary_page_free(reader);
  return NULL;
}

void graphlang_ordinary_page_free(graphlang_ordinary_page *reader) {
  if (!reader) return;
  graphlang_html_free(reader->html);
  graphlang_join_free(reader->join);
  release(&reader->strings);
  free(reader);
}

/* Separate the title, which differs on each page, from the other strings, which are the same on many. */
static int write_strings(Reader *reader, graphlang_ordinary_page_result *result) {
  empty(&reader->strings);
  if (!reader->page.strings_size) return 1;
  const uint8_t *at = reader->page.strings, *end = at + reader->page.strings_size;
  while (at < end) {
    const uint8_t *stop = memchr(at, 0, (size_t)(end - at));
    if (!stop) stop = end;
    if (*at == 'T' && !result->title) {
      result->title = at + 1;
      result->title_size = (uint64_t)(stop - at - 1);
    } else {
      put(&reader->strings, at, (size_t)(stop - at));
      put_byte(&reader->strings, 0);
    }
    at = stop < end ? stop + 1 : end;
  }
  result->strings = reader->strings.data;
  result->strings_size = reader->strings.size;
  return !reader->strings.failed;
}

/* True if a page begins like markup; other files do not. */
static int begins_as_markup(uint8_t first) {
  return first == '<' || first == ' ' || first == '\t' || first == '\n' || first == '\r';
}

static int holds_c3(const uint8_t *at, uint64_t size) {
  return size && memchr(at, 0xC3, size);
}

/* True if the text of a page may have been encoded twice; a quick test excludes most texts. */
static int may_be_encoded_twice(const graphlang_html_page *page, uint64_t size, const uint8_t *markup) {
  return (holds_c3(page->text, page->text_size) || holds_c3(page->strings, page->strings_size)) &&
         graphlang_html_looks_encoded_twice(size, markup);
}

int graphlang_ordinary_page_read(graphlang_ordinary_page *reader, uint64_t size, const uint8_t *block, uint64_t body,
                                 uint32_t most, uint32_t depth, int32_t undeclared, graphlang_ordinary_page_result *result) {
  graphlang_html_page page = {0};
  graphlang_html_parted parted;
  memset(result, 0, sizeof *result);
  reader->page = page;
  result->left = 1;
  if (body > size) return GRAPHLANG_WRONG_SIZE;
  if (body == size) return 0;
  const uint8_t *markup = block + body;
  size -= body;
  if (!begins_as_markup(*markup) || !graphlang_html_is_utf8(size, markup)) return 0;
  if (undeclared && (memchr(markup, 0, size) || graphlang_html_holds_escapes(size, markup))) return 0;
  int failed = graphlang_html_read(reader->html, size, markup, most, depth, &page);
  if (failed) return failed;
  if (page.flattened || page.skipped || may_be_encoded_twice(&page, size, markup)) return 0;
  failed = graphlang_html_part(reader->html, &parted);
  if (failed) return failed;
  reader->page = page;
  result->left = 0;
  result->text = parted.text;
  result->text_size = parted.text_size;
  result->main_length = parted.main_length;
  result->references = page.references;
  result->references_size = page.references_size;
  result->anchors = page.anchors;
  result->anchors_size = page.anchors_size;
  return write_strings(reader, result) ? 0 : GRAPHLANG_NO_MEMORY;
}

int graphlang_ordinary_page_gather(graphlang_ordinary_page *reader, uint64_t base_size, uint64_t url_size,
                                   const uint8_t *base, const uint8_t *url, int32_t nofollow, uint64_t longest,
                                   uint64_t most, graphlang_ordinary_page_links *links) {
  static const uint8_t none[1]; /* a page without references has no memory for them */
  graphlang_join_links found;
  const graphlang_html_page *page = &reader->page;
  const uint8_t *references = page->references_size ? page->references : none;
  const uint8_t *anchors = page->anchors_size ? page->anchors : none;
  memset(links, 0, sizeof *links);
  int failed = graphlang_join_gather(reader->join, page->references_size, page->anchors_size, base_size, url_size,
                                     references, anchors, base, url, nofollow, longest, most, &found);
  if (failed) return failed;
  links->left = found.left || found.too_long || found.skipped;
  if (links->left) return 0;
  links->urls = found.urls;
  links->kinds = found.kinds;
  links->places = found.places;
  links->hreflangs = found.hreflangs;
  links->urls_size = found.urls_size;
  links->kinds_size = found.kinds_size;
  links->places_size = found.places_size;
  links->hreflangs_size = found.hreflangs_size;
  return 0;
}
