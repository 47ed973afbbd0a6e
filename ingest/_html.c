/* One pass over the markup of a page: its visible text, its references, and which stretches of the text stand in
   elements that may stand around the content. Numbers in comments are sections of the HTML standard of the WHATWG.

   Time and memory are linear in the page: no look-ahead is repeated, the stack of open elements is bounded, and nothing
   recurses. The state of a reader is its own; two readers can work at the same time. */
#include "_page.h"
#include "_utf8.h"

/* ---- opening and closing ---- */

/* Write down where an element ends, and let it count no more. */
static void end_element(Reader *reader, Open *open) {
  Tree *tree = &reader->tree;
  uint32_t tag = open->tag;
  end_records(reader, open);
  if (tag && tag < TAG_COUNT) {
    tree->open[tag]--;
    tree->hiding -= (TRAITS[tag] & HIDING) != 0;
    if (!open->foreign) tree->content -= (TRAITS[tag] & CONTENT) != 0;
  }
  open->tag = 0;
  open->foreign = open->integration = 0;
}

static void close_top(Reader *reader) {
  end_element(reader, top(&reader->tree));
  reader->tree.depth--;
}

/* Close an open element and all within it; 0 stands for none. */
static void close_to(Reader *reader, uint32_t at) {
  if (at)
    while (reader->tree.depth > at) close_top(reader);
}

/* 13.2.6.4.7, the adoption agency: special elements within a formatting element stay open. Others between them, and what
   is open within the innermost, do not; unless there are more special ones than the standard looks at. */
static void close_formatting(Reader *reader, uint32_t at) {
  Tree *tree = &reader->tree;
  uint32_t specials = 0, innermost = 0;
  if (!at) return;
  for (uint32_t above = at + 1; above < tree->depth; above++)
    if (traits(tree->stack[above].tag) & SPECIAL) {
      specials++;
      innermost = above;
    }
  if (!specials) {
    close_to(reader, at);
    return;
  }
  if (specials < 8) close_to(reader, innermost + 1);
  for (uint32_t within = at; within < innermost; within++)
    if (within == at || !(traits(tree->stack[within].tag) & (SPECIAL | FORMATTING)))
      end_element(reader, &tree->stack[within]);
}

static void close_form(Reader *reader, uint32_t at) {
  if (!at) return;
  while (traits(top(&reader->tree)->tag) & IMPLIED) close_top(reader);
  if (at + 1 == reader->tree.depth)
    close_top(reader);
  else
    end_element(reader, &reader->tree.stack[at]);
}

static void open_element(Reader *reader, const Token *token, int foreign, int integration) {
  Tree *tree = &reader->tree;
  uint32_t tag = token->tag;
  if (tree->depth >= reader->depth_limit) {
    reader->flattened = 1;
    tree->beyond++;
    return;
  }
  Open *open = &tree->stack[tree->depth];
  if (traits(tag) & CONTENT && !tree->hiding) mark_holders(reader, tag == TAG_MAIN ? HOLDS_MAIN : HOLDS_ARTICLE);
  uint32_t flags = tree->hiding ? 0 : flags_of(reader, token);
  open->tag = tag;
  open->begin = (uint32_t)reader->text.bytes.size;
  open->record = flags ? add_record(&reader->records, flags, open->begin) : NO_RECORD;
  open->container = open->link = NO_RECORD;
  open->foreign = (uint8_t)foreign;
  open->integration = (uint8_t)integration;
  tree->depth++;
  if (tag < TAG_COUNT) {
    tree->open[tag]++;
    tree->hiding += (TRAITS[tag] & HIDING) != 0;
    if (!foreign) tree->content += (TRAITS[tag] & CONTENT) != 0;
  }
}

static void close_paragraph(Reader *reader) {
  Tree *tree = &reader->tree;
  if (!tree->open[TAG_P]) return;
  for (uint32_t at = tree->depth - 1; at > 0; at--) {
    uint32_t tag = tree->stack[at].tag;
    if (tag == TAG_P) {
      close_to(reader, at);
      return;
    }
    if (tag == TAG_BUTTON || traits(tag) & SCOPE) return;
  }
}

/* <li>, <dd> and <dt> end the one before, unless a list or another special element was opened since. */
static void close_item(Reader *reader, uint32_t tag, uint32_t other) {
  Tree *tree = &reader->tree;
  for (uint32_t at = tree->depth - 1; at > 0; at--) {
    uint32_t known = tree->stack[at].tag;
    if (known == tag || known == other) {
      close_to(reader, at);
      break;
    }
    if (traits(known) & SPECIAL && known != TAG_ADDRESS && known != TAG_DIV && known != TAG_P) break;
  }
  close_paragraph(reader);
}

/* ---- tables: 13.2.6.4.9 to 13.2.6.4.15 ---- */

/* Bring the stack to where a part of a table may begin; returns whether there is a table. */
static int close_for_table_part(Reader *reader, uint32_t tag) {
  Tree *tree = &reader->tree;
  uint32_t table = find_open(tree, TAG_TABLE, 0), row = 0, section = 0;
  if (!table) return 0;
  for (uint32_t at = tree->depth - 1; at > table; at--) {
    uint32_t known = tree->stack[at].tag;
    if (known == TAG_TEMPLATE) return 0;
    if (known == TAG_TR && !row) row = at;
    if ((known == TAG_TBODY || known == TAG_THEAD || known == TAG_TFOOT) && !section) section = at;
  }
  uint32_t keep = table;
  if (tag == TAG_TR && section) keep = section;
  if (tag == TAG_TD || tag == TAG_TH) keep = row ? row : section ? section : table;
  close_to(reader, keep + 1 < tree->depth ? keep + 1 : 0);
  return 1;
}

/* ---- start tags ---- */

static void take_languages(Reader *reader, const Token *token) {
  if (has(token, LANG) && !(reader->languages & 1)) put_string(reader, 'L', token, LANG);
  if (has(token, XML_LANG) && !(reader->languages & 2)) put_string(reader, 'X', token, XML_LANG);
  reader->languages |= (has(token, LANG) ? 1 : 0) | (has(token, XML_LANG) ? 2 : 0);
}

static void take_meta(Reader *reader, const Token *token) {
  if (!has(token, HTTP_EQUIV) && !(has(token, NAME) && contains(token->value[NAME], token->length[NAME], "robots")))
    return;
  if (reader->metas++ >= MOST_METAS) return;
  put_string(reader, 'N', token, NAME);
  put_string(reader, 'E', token, HTTP_EQUIV);
  put_string(reader, 'C', token, CONTENT_);
}

static void take_link(Reader *reader, const Token *token) {
  if (!has(token, REL)) return;
  const uint8_t *rel = token->value[REL];
  size_t size = token->length[REL];
  int wanted = contains(rel, size, "canonical") || (has(token, HREFLANG) && contains(rel, size, "alternate"));
  if (wanted || memchr(rel, '&', size)) add_reference(reader, "link", token, HREF);
}

/* What a start tag says, whatever becomes of its element. */
static uint32_t take(Reader *reader, const Token *token) {
  if (reader->tree.open[TAG_TEMPLATE]) return 0;
  switch (token->tag) {
    case TAG_A: return add_anchor(reader, token);
    case TAG_AREA: add_reference(reader, "area", token, HREF); break;
    case TAG_FRAME: add_reference(reader, "frame", token, SRC); break;
    case TAG_IFRAME: add_reference(reader, "iframe", token, SRC); break;
    case TAG_LINK: take_link(reader, token); break;
    case TAG_META: take_meta(reader, token); break;
    case TAG_HTML: take_languages(reader, token); break;
    case TAG_BASE:
      if (!reader->based && has(token, HREF)) {
        reader->based = 1;
        put_string(reader, 'B', token, HREF);
      }
      break;
    default: break;
  }
  return 0;
}

/* What an anchor stands in: its parent, or where that is wrapped around it, the parent's. */
static uint32_t container_of(Reader *reader) {
  Tree *tree = &reader->tree;
  uint32_t at = tree->depth - 2;
  if (traits(tree->stack[at].tag) & WRAPPER && at > 0) at--;
  if (at == 0) return NO_RECORD;
  Open *open = &tree->stack[at];
  if (open->container == NO_RECORD) open->container = add_record(&reader->containers, 0, open->begin);
  return open->container;
}

static void open_anchor(Reader *reader, const Token *token, uint32_t target) {
  uint32_t before = reader->tree.depth;
  open_element(reader, token, 0, 0);
  uint32_t number = (uint32_t)(reader->links.size / sizeof(LinkRecord));
  if (reader->tree.depth == before || reader->tree.hiding || number >= MOST_LINKS) return;
  LinkRecord link = {(uint32_t)reader->text.bytes.size, 0, container_of(reader), target};
  put(&reader->links, &link, sizeof link);
  if (!reader->links.failed) top(&reader->tree)->link = number;
}

/* A start tag within HTML; its content may be raw text, which `read_page` sees to. */
static void start_in_html(Reader *reader, const Token *token, uint32_t target) {
  Tree *tree = &reader->tree;
  uint32_t tag = token->tag, kind = traits(tag);
  switch (tag) {
    case TAG_HTML:
    case TAG_HEAD:
    case TAG_BODY:
    case TAG_FRAMESET: return;
    case TAG_LI: close_item(reader, TAG_LI, TAG_LI); break;
    case TAG_DD:
    case TAG_DT: close_item(reader, TAG_DD, TAG_DT); break;
    case TAG_P:
    case TAG_FORM:
    case TAG_TABLE:
    case TAG_HR:
    case TAG_XMP:
    case TAG_PLAINTEXT: close_paragraph(reader); break;
    case TAG_BUTTON: close_to(reader, find_open(tree, TAG_BUTTON, SCOPE)); break;
    case TAG_OPTION:
    case TAG_OPTGROUP:
      if (top(tree)->tag == TAG_OPTION) close_top(reader);
      if (tag == TAG_OPTGROUP && top(tree)->tag == TAG_OPTGROUP) close_top(reader);
      break;
    case TAG_SELECT: {
      uint32_t at = find_open(tree, TAG_SELECT, 0);
      if (at) {
        close_to(reader, at);
        return;
      }
      break;
    }
    case TAG_RB:
    case TAG_RP:
    case TAG_RT:
    case TAG_RTC:
      if (tree->open[TAG_RUBY])
        while (traits(top(tree)->tag) & IMPLIED && tree->depth > 1) close_top(reader);
      break;
    case TAG_A:
      close_formatting(reader, find_open(tree, TAG_A, MARKER));
      open_anchor(reader, token, target);
      return;
    case TAG_SVG:
    case TAG_MATH:
      if (!token->self_closing) open_element(reader, token, tag == TAG_SVG ? DRAWING : FORMULA, 0);
      return;
    default:
      if (kind & TABLE_PART) {
        if (!close_for_table_part(reader, tag)) return;
      } else if (kind & (BLOCK | HEADING)) {
        close_paragraph(reader);
        if (kind & HEADING && traits(top(tree)->tag) & HEADING) close_top(reader);
      }
  }
  if (!(kind & VOID)) open_element(reader, token, 0, 0);
}

/* 13.2.6.5: a start tag within a drawing or formula. Returns whether it is one of these and no HTML. */
static int start_in_foreign(Reader *reader, const Token *token) {
  Tree *tree = &reader->tree;
  if (traits(token->tag) & BREAKOUT || (token->tag == TAG_FONT && has(token, FONT))) {
    while (in_foreign(tree)) close_top(reader);
    return 0;
  }
  uint32_t tag = token->tag;
  int kind = top(tree)->foreign, of_drawings = tag == TAG_TITLE || tag == TAG_DESC || tag == TAG_FOREIGN_OBJECT;
  int integration = traits(tag) & INTEGRATION && of_drawings == (kind == DRAWING);
  if (tag == TAG_ANNOTATION_XML && has(token, ENCODING))
    integration = contains(token->value[ENCODING], token->length[ENCODING], "html");
  if (!token->self_closing) open_element(reader, token, kind, integration);
  return 1;
}

/* ---- end tags: 13.2.6.4.7 and 13.2.6.5 ---- */

static void end_in_html(Reader *reader, uint32_t tag) {
  Tree *tree = &reader->tree;
  uint32_t kind = traits(tag);
  switch (tag) {
    case TAG_HTML:
    case TAG_HEAD:
    case TAG_BODY:
    case TAG_FRAMESET: return;
    case TAG_P: close_paragraph(reader); return;
    case TAG_LI:
      for (uint32_t at = tree->depth - 1; at > 0; at--) {
        uint32_t known = tree->stack[at].tag;
        if (known == TAG_LI) {
          close_to(reader, at);
          return;
        }
        if (traits(known) & SCOPE || known == TAG_UL || known == TAG_OL) return;
      }
      return;
    case TAG_TABLE:
    case TAG_TEMPLATE:
    case TAG_SELECT: close_to(reader, find_open(tree, tag, 0)); return;
    case TAG_FORM: close_form(reader, find_open(tree, tag, SCOPE)); return;
    case TAG_DD:
    case TAG_DT:
    case TAG_APPLET:
    case TAG_MARQUEE:
    case TAG_OBJECT: close_to(reader, find_open(tree, tag, SCOPE)); return;
    default: break;
  }
  if (kind & TABLE_PART)
    close_to(reader, find_in_table(tree, tag));
  else if (kind & HEADING) {
    for (uint32_t at = tree->depth - 1; at > 0; at--) {
      if (traits(tree->stack[at].tag) & HEADING) {
        close_to(reader, at);
        return;
      }
      if (traits(tree->stack[at].tag) & SCOPE) return;
    }
  } else if (kind & FORMATTING)
    close_formatting(reader, find_open(tree, tag, MARKER | SCOPE));
  else
    close_to(reader, find_open(tree, tag, kind & BLOCK ? SCOPE : SPECIAL));
}

static void end_tag(Reader *reader, uint32_t tag) {
  Tree *tree = &reader->tree;
  if (tree->beyond && !(traits(tag) & (VOID | TABLE_PART))) {
    tree->beyond--;
    return;
  }
  if (top(tree)->foreign) {
    for (uint32_t at = tree->depth - 1; at > 0 && tree->stack[at].foreign; at--) {
      if (tree->stack[at].tag == tag) {
        close_to(reader, at);
        return;
      }
      if (tree->stack[at].integration) break;
    }
    if (in_foreign(tree)) {
      if (tag != TAG_P && tag != TAG_BR) { /* what it may end is outside of the drawing */
        uint32_t at = tree->depth - 1;
        while (at > 0 && tree->stack[at].foreign && !tree->stack[at].integration) at--;
        if (find_open(tree, tag, 0) > at) return;
      } else
        while (in_foreign(tree)) close_top(reader);
    }
  }
  end_in_html(reader, tag);
}

/* ---- text ---- */

static void see_text(Reader *reader, const uint8_t *at, const uint8_t *end, int decoded) {
  if (reader->tree.hiding) return;
  while (at < end) {
    const uint8_t *stop = decoded ? find(at, end, '&') : end;
    put_text(&reader->text, reader->classes, at, stop);
    if (stop == end) return;
    uint8_t out[DECODED_LONGEST];
    size_t size = 0, taken = reference(stop, end, 0, out, &size);
    if (taken)
      put_text(&reader->text, reader->classes, out, out + size);
    else
      put_text(&reader->text, reader->classes, stop, stop + (taken = 1));
    at = stop + taken;
  }
}

/* Pass over the content of an element that is no markup; returns where its end tag begins. */
static const uint8_t *pass_raw(Reader *reader, const Token *token, const uint8_t *at, const uint8_t *end) {
  const uint8_t *stop =
    token->tag == TAG_SCRIPT ? script_end(at, end) : raw_end(at, end, TAG_NAME[token->tag]);
  if (token->tag == TAG_TITLE && !reader->titled && !reader->tree.open[TAG_TEMPLATE]) {
    reader->titled = 1;
    put_byte(&reader->strings, 'T');
    put_decoded(&reader->strings, at, stop, 0);
    put_byte(&reader->strings, 0);
  } else if (token->tag == TAG_XMP)
    see_text(reader, at, stop, 0);
  return stop;
}

/* ---- the page ---- */

static const uint8_t *start_tag(Reader *reader, const Token *token, const uint8_t *behind, const uint8_t *end) {
  uint32_t target = take(reader, token);
  if (in_foreign(&reader->tree) && start_in_foreign(reader, token)) return behind;
  uint32_t kind = traits(token->tag);
  if (kind & (RAW | DECODED)) {
    if (token->tag == TAG_XMP) close_paragraph(reader);
    return pass_raw(reader, token, behind, end);
  }
  start_in_html(reader, token, target);
  if (token->tag == TAG_PLAINTEXT) {
    see_text(reader, behind, end, 0);
    return end;
  }
  return behind;
}

/* What begins with "<!", "<?" or "</" and is no end tag. */
static const uint8_t *pass_declaration(Reader *reader, const uint8_t *at, const uint8_t *end) {
  if (*at == '!' && end - at >= 3 && at[1] == '-' && at[2] == '-') return comment_end(at + 3, end);
  if (*at == '!' && end - at >= 8 && !memcmp(at + 1, "[CDATA[", 7) && in_foreign(&reader->tree)) {
    const uint8_t *text_end, *behind = cdata_end(at + 8, end, &text_end);
    see_text(reader, at + 8, text_end, 0);
    return behind;
  }
  at = find(at, end, '>');
  return at < end ? at + 1 : end;
}

static void read_page(Reader *reader, const uint8_t *at, const uint8_t *end) {
  Token token;
  while (at < end) {
    const uint8_t *tag = find(at, end, '<');
    if (tag > at) see_text(reader, at, tag, 1);
    if (end - tag < 2) {
      see_text(reader, tag, end, 0);
      break;
    }
    const uint8_t *name = tag + 1;
    int closes = *name == '/' && end - name > 1 && is_letter(name[1]);
    if (closes || is_letter(*name)) {
      const uint8_t *behind = read_tag(reader->tags, name + closes, end, &token);
      if (!behind) break; /* a tag that the end of the page cuts off is none */
      if (!reader->tree.hiding && sets_apart(token.first)) put_space(&reader->text);
      if (closes)
        end_tag(reader, token.tag);
      else
        behind = start_tag(reader, &token, behind, end);
      at = behind;
    } else if (*name == '!' || *name == '?' || *name == '/') {
      at = pass_declaration(reader, name, end);
    } else {
      see_text(reader, tag, name, 0);
      at = name;
    }
  }
  while (reader->tree.depth > 1) close_top(reader);
}

/* ---- what Python calls ---- */

typedef struct {
  const uint8_t *text, *anchors, *references, *strings, *records, *containers, *links;
  uint64_t text_size, anchors_size, references_size, strings_size, records_size, containers_size, links_size;
  uint32_t signs, skipped, flattened;
} Page;

Reader *graphlang_html_new(uint32_t seed) {
  Reader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  lay_tags(reader->tags);
  lay_classes(reader->classes);
  reader->seed = seed;
  return reader;
}

void graphlang_html_free(Reader *reader) {
  if (!reader) return;
  release(&reader->text.bytes);
  release(&reader->anchors);
  release(&reader->references);
  release(&reader->strings);
  release(&reader->records);
  release(&reader->containers);
  release(&reader->links);
  release(&reader->slots);
  release(&reader->scratch);
  release(&reader->cut);
  free(reader);
}

/* Read a page of UTF-8; what is found stays the reader's, until the next page. Returns 0 where memory gave out, or the
   page has four gigabytes. */
int graphlang_html_read(Reader *reader, const uint8_t *page, uint64_t size, uint32_t most, uint32_t depth, Page *out) {
  if (size > UINT32_MAX / 4) return 0;
  empty(&reader->text.bytes);
  reader->text.spaced = 0;
  empty(&reader->anchors);
  empty(&reader->references);
  empty(&reader->strings);
  empty(&reader->records);
  empty(&reader->containers);
  empty(&reader->links);
  empty(&reader->scratch);
  if (reader->slot_count > 4096) {
    release(&reader->slots);
    memset(&reader->slots, 0, sizeof reader->slots);
    reader->slot_count = 0;
  } else if (reader->slot_count)
    memset(reader->slots.data, 0, reader->slot_count * sizeof(Slot));
  reader->anchor_count = reader->reference_count = reader->metas = reader->skipped = reader->signs = 0;
  reader->titled = reader->based = reader->languages = reader->flattened = 0;
  reader->most = most;
  reader->depth_limit = depth < 2 ? 2 : depth < DEEPEST ? depth : DEEPEST;
  begin_tree(&reader->tree);
  if (size) read_page(reader, page, page + size);
  *out = (Page){
    reader->text.bytes.data, reader->anchors.data,    reader->references.data,       reader->strings.data,
    reader->records.data,    reader->containers.data, reader->links.data,            reader->text.bytes.size,
    reader->anchors.size,    reader->references.size, reader->strings.size,          reader->records.size,
    reader->containers.size, reader->links.size,      reader->signs,                 reader->skipped,
    (uint32_t)reader->flattened,
  };
  return !(reader->text.bytes.failed | reader->anchors.failed | reader->references.failed | reader->strings.failed |
           reader->records.failed | reader->containers.failed | reader->links.failed | reader->scratch.failed);
}

/* Whether bytes are UTF-8 without a fault. */
int graphlang_html_is_utf8(const uint8_t *at, uint64_t size) {
  const uint8_t *end = at + size;
  while (at < end) {
    while (end - at >= 32) {
      uint8_t any = 0;
      for (int n = 0; n < 32; n++) any |= at[n];
      if (any & 0x80) break;
      at += 32;
    }
    while (at < end && *at < 0x80) at++;
    while (at < end && *at >= 0x80) {
      size_t length = character(at, end);
      if (!length) return 0;
      at += length;
    }
  }
  return 1;
}

static void put_folded(Buffer *out, const uint8_t *text, size_t begin, size_t end) {
  while (begin < end && text[begin] == ' ' && (!out->size || out->data[out->size - 1] == ' ')) begin++;
  put(out, text + begin, end > begin ? end - begin : 0);
}

/* The stretches of the text between `begin` and `end` that are in none of the spans, apart from each other. */
static void put_rest(Buffer *out, const uint8_t *text, uint32_t begin, uint32_t end, const uint32_t *spans, size_t count) {
  for (size_t n = 0; n < count && spans[2 * n] < end; n++) {
    if (spans[2 * n + 1] <= begin) continue;
    if (spans[2 * n] > begin) put_folded(out, text, begin, spans[2 * n]);
    put_folded(out, (const uint8_t *)" ", 0, 1);
    begin = spans[2 * n + 1];
  }
  if (begin < end) put_folded(out, text, begin, end);
}

static size_t trim(Buffer *out) {
  while (out->size && out->data[out->size - 1] == ' ') out->size--;
  return out->size;
}

/* Part the text of the last page: what is in no span first, then the spans in their order, each without those in it.
   Spans are pairs (begin, end) by begin, the longer first where two begin together, and one lies within another or
   apart from it. Returns the size of all, in bytes; `main_size` is that of the first part. */
int64_t graphlang_html_cut(Reader *reader, const uint32_t *spans, uint64_t count, const uint8_t **out, uint64_t *main_size) {
  const uint8_t *text = reader->text.bytes.data;
  size_t size = reader->text.bytes.size;
  empty(&reader->cut);
  for (uint64_t n = 0; n < count; n++)
    if (spans[2 * n] > spans[2 * n + 1] || spans[2 * n + 1] > size) return -1;
  put_rest(&reader->cut, text, 0, (uint32_t)size, spans, count);
  *main_size = trim(&reader->cut);
  for (uint64_t n = 0; n < count; n++) {
    put_folded(&reader->cut, (const uint8_t *)" ", 0, 1);
    put_rest(&reader->cut, text, spans[2 * n], spans[2 * n + 1], spans + 2 * (n + 1), count - n - 1);
  }
  trim(&reader->cut);
  *out = reader->cut.data;
  return reader->cut.failed ? -1 : (int64_t)reader->cut.size;
}
