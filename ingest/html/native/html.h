/* Markup of a page in, its visible text and references out; see `graphlang.ingest.html.tokenizer`. */
#ifndef GRAPHLANG_HTML_H
#define GRAPHLANG_HTML_H
#include "kernel.h"

/* Flags of the record of an element that may surround the content. */
enum {
  GRAPHLANG_IN_CONTENT = 1,    /* within an article or main */
  GRAPHLANG_HAS_ROLE = 2,      /* its ARIA role is navigation, banner or contentinfo */
  GRAPHLANG_IS_NAVIGATION = 4, /* ... the first of them */
  GRAPHLANG_ASKS_CONSENT = 8,  /* its id or class is that of a cookie banner */
  GRAPHLANG_IS_OUTER = 16,     /* header, footer or aside */
  GRAPHLANG_IS_NAV = 32,
  GRAPHLANG_IS_NAMED = 64,     /* its id or class names an element without content: "sidebar", "comments" */
  GRAPHLANG_IS_CONTENT = 128,  /* article or main itself */
  GRAPHLANG_HOLDS_MAIN = 256,  /* it contains a <main> */
  GRAPHLANG_HOLDS_ARTICLE = 512,
  GRAPHLANG_IS_HIDDEN = 1024,  /* until a script shows it: `hidden`, `style`, `aria-hidden`, or a dialog that is not open */
  GRAPHLANG_IS_SURE = 2048,    /* a footer or comments, by its tag or its name: not content, of any length */
  GRAPHLANG_IS_TITLE = 4096,   /* h1 */
  GRAPHLANG_NAMES_LINKS = 8192, /* its id or class names an element without content if it is links: "menu" */
  GRAPHLANG_IS_MAIN = 16384,   /* main */
  GRAPHLANG_IS_UNCLOSED = 32768 /* it ends with the page, without an end tag */
};

enum {
  GRAPHLANG_RECORD_WIDTH = 3, /* flags, begin, end */
  GRAPHLANG_LINK_WIDTH = 4    /* begin, end, language, target */
};

/* The result of a page, in the parser's memory, valid until the next page. Each string ends with a zero. */
typedef struct {
  const uint8_t *text;       /* visible, white space folded: a line feed where a line ends, else a space */
  const uint8_t *anchors;    /* distinct targets of plain anchors */
  const uint8_t *references; /* four strings each: tag, target, rel, and hreflang behind a plus sign */
  const uint8_t *strings;    /* each behind a letter: T title, L lang, X xml:lang, B base, N E C name, http-equiv and
                                content of a meta, D srcdoc of an iframe */
  const uint32_t *records;    /* RECORD_WIDTH numbers each: elements that separate content from the rest */
  const uint32_t *links;      /* LINK_WIDTH numbers each: visible anchors */
  uint64_t text_size, anchors_size, references_size, strings_size, records_size, links_size; /* bytes */
  uint32_t skipped;   /* references beyond the limit */
  uint32_t flattened; /* 1 if elements were nested too deep */
  uint64_t looked_at; /* how often an open element was compared with a tag: most of the work of nesting */
} graphlang_html_page;

/* Bounds of elements around the content. */
enum {
  GRAPHLANG_CONTENT_LEFT = 200, /* letters: if fewer are left, doubtful elements are content */
  GRAPHLANG_OUTER_SIZE = 5000  /* ... of an element that is found by its attributes: whole pages are named after banners */
};

/* The text of a page: the content first, then the text around it. The parser's memory, as above. */
typedef struct {
  const uint8_t *text;
  uint64_t text_size, main_size; /* bytes, in all and of the content */
  uint64_t main_length;          /* characters of the content */
} graphlang_html_parted;

typedef struct graphlang_html graphlang_html;

/* `seed` is the key of the hash of references. */
graphlang_html *graphlang_html_new(uint32_t seed);
void graphlang_html_free(graphlang_html *parser);

/* Read a page of UTF-8, and at most `most` references; elements deeper than `depth` (2 to 512) are flattened. */
int graphlang_html_read(graphlang_html *parser, uint64_t size, const uint8_t markup[size], uint32_t most, uint32_t depth,
                        graphlang_html_page *page);

/* Part the text of the last page. */
int graphlang_html_part(graphlang_html *parser, graphlang_html_parted *parted);

/* True if bytes are valid UTF-8. */
int graphlang_html_is_utf8(uint64_t size, const uint8_t data[size]);

/* True if there is a start of text in ISO 2022 or HZ: an escape, or "~{". */
int graphlang_html_holds_escapes(uint64_t size, const uint8_t data[size]);

/* True if bytes are ASCII without zeros and escapes: they cannot be text in another charset. */
int graphlang_html_is_plain(uint64_t size, const uint8_t data[size]);

/* Whether text in UTF-8 may have been encoded twice: three characters at least that begin as such a run does, and no more
   others of C3. Where many of these come before, no further one is looked at. See `graphlang.ingest.payload.encoded_twice`. */
int graphlang_html_looks_encoded_twice(uint64_t size, const uint8_t data[size]);

/* Part a text: what is in no span first, then the spans in their order. What several spans hold stands with the last of
   them. Spans are not empty, and sorted by where they begin. `reach` and `following` are for the kernel to work with.
   Returns the bytes written to `out`; `main_size[0]` of them are in no span. */
int64_t graphlang_html_cut(uint64_t size, uint64_t count, const uint8_t text[size], const uint32_t begins[count],
                           const uint32_t ends[count], uint32_t reach[count], uint32_t following[count],
                           uint8_t out[size + 2 * count + 2], uint64_t main_size[1], graphlang_fault *fault);

#endif
