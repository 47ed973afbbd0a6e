/* One pass over the markup of a page: its visible text, its references, and which stretches of the text stand in
   elements that may stand around the content. Numbers in comments are sections of the HTML standard of the WHATWG.

   Time and memory are linear in the page: no look-ahead is repeated, the stack of open elements is bounded, and nothing
   recurses. The state of a parser is its own; two parsers can work at the same time. */
#include "blank.h"
#include "around.h"
#include "../../native/utf8.h"

/* ---- opening and closing ---- */

/* Record the end of an element, and remove it from the counts. */
static void end_element(Parser *parser, Open *open) {
  Tree *tree = &parser->tree;
  uint32_t tag = open->tag;
  end_records(parser, open);
  if (tag) --*count_of(tree, tag);
  if (tag && tag < TAG_COUNT) {
    tree->hiding -= (TRAITS[tag] & HIDING) != 0;
    if (!open->foreign) tree->content -= (TRAITS[tag] & CONTENT) != 0;
  }
  open->tag = 0;
  open->foreign = open->integration = 0;
}

static void close_top(Parser *parser) {
  end_element(parser, top(&parser->tree));
  parser->tree.depth--;
}

/* Close an open element and all within it; 0 is none. */
static void close_to(Parser *parser, uint32_t at) {
  if (at)
    while (parser->tree.depth > at) close_top(parser);
}

/* 13.2.6.4.7, the adoption agency: special elements within a formatting element stay open. Others between them, and what
   is open within the innermost, do not; unless there are more special ones than the standard looks at. */
static void close_formatting(Parser *parser, uint32_t at) {
  Tree *tree = &parser->tree;
  uint32_t specials = 0, innermost = 0;
  if (!at) return;
  for (uint32_t above = at + 1; above < tree->depth; above++)
    if (traits_of(&tree->stack[above]) & SPECIAL) {
      specials++;
      innermost = above;
    }
  if (!specials) {
    close_to(parser, at);
    return;
  }
  if (specials < 8) close_to(parser, innermost + 1);
  for (uint32_t within = at; within < innermost; within++)
    if (within == at || !(traits_of(&tree->stack[within]) & (SPECIAL | FORMATTING)))
      end_element(parser, &tree->stack[within]);
}

/* 13.2.6.3 */
static void close_implied(Parser *parser, uint32_t but) {
  for (Open *last = top(&parser->tree); traits_of(last) & IMPLIED && last->tag != but; last = top(&parser->tree))
    close_top(parser);
}

static void close_form(Parser *parser, uint32_t at) {
  if (!at) return;
  close_implied(parser, 0);
  if (at + 1 == parser->tree.depth)
    close_top(parser);
  else
    end_element(parser, &parser->tree.stack[at]);
}

static void open_element(Parser *parser, const Token *token, int foreign, int integration) {
  Tree *tree = &parser->tree;
  uint32_t tag = token->tag;
  if (tree->depth >= parser->depth_limit) {
    parser->flattened = 1;
    tree->beyond++;
    return;
  }
  Open *open = &tree->stack[tree->depth];
  if (traits(tag) & CONTENT && !tree->hiding) mark_holders(parser, tag == TAG_MAIN ? GRAPHLANG_HOLDS_MAIN : GRAPHLANG_HOLDS_ARTICLE);
  uint32_t flags = tree->hiding ? 0 : flags_of(parser, token);
  open->tag = tag;
  open->begin = (uint32_t)parser->text.bytes.size;
  open->record = flags ? add_record(&parser->records, flags, open->begin) : NO_RECORD;
  open->link = NO_RECORD;
  open->foreign = (uint8_t)foreign;
  open->integration = (uint8_t)integration;
  const Open *below = &tree->stack[tree->depth - 1];
  open->run = foreign && below->foreign && !traits_of(below) ? below->run : tree->depth;
  tree->depth++;
  ++*count_of(tree, tag);
  if (tag < TAG_COUNT) {
    tree->hiding += (TRAITS[tag] & HIDING) != 0;
    if (!foreign) tree->content += (TRAITS[tag] & CONTENT) != 0;
  }
}

static void close_paragraph(Parser *parser) {
  Tree *tree = &parser->tree;
  if (!tree->open[TAG_P]) return;
  for (uint32_t at = tree->depth - 1; at > 0; at--) {
    const Open *open = &tree->stack[at];
    if (is_html(open, TAG_P)) {
      close_to(parser, at);
      return;
    }
    if (is_html(open, TAG_BUTTON) || traits_of(open) & SCOPE) return;
  }
}

/* <li>, <dd> and <dt> end the one before, unless a list or another special element was opened since. */
static void close_item(Parser *parser, uint32_t tag, uint32_t other) {
  Tree *tree = &parser->tree;
  for (uint32_t at = tree->depth - 1; at > 0; at--) {
    const Open *open = &tree->stack[at];
    uint32_t known = open->tag;
    if (is_html(open, tag) || is_html(open, other)) {
      close_to(parser, at);
      break;
    }
    if (traits_of(open) & SPECIAL && known != TAG_ADDRESS && known != TAG_DIV && known != TAG_P) break;
  }
  close_paragraph(parser);
}

/* ---- tables: 13.2.6.4.9 to 13.2.6.4.15 ---- */

/* Clear the stack back to a context for a part of a table; returns false without a table. */
static int close_for_table_part(Parser *parser, uint32_t tag) {
  Tree *tree = &parser->tree;
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
  close_to(parser, keep + 1 < tree->depth ? keep + 1 : 0);
  return 1;
}

/* ---- start tags ---- */

static void take_languages(Parser *parser, const Token *token) {
  if (has(token, LANG) && !(parser->languages & 1)) put_string(parser, 'L', token, LANG);
  if (has(token, XML_LANG) && !(parser->languages & 2)) put_string(parser, 'X', token, XML_LANG);
  parser->languages |= (has(token, LANG) ? 1 : 0) | (has(token, XML_LANG) ? 2 : 0);
}

/* Whether a meta stands for a header field that nobody asks for: nearly every page repeats its Content-Type. What is
   written with references or beyond ASCII may become anything. */
static int says_nothing(const Token *token) {
  const uint8_t *value = token->value[HTTP_EQUIV];
  size_t size = token->length[HTTP_EQUIV];
  if (has(token, NAME) && memchr(token->value[NAME], '&', token->length[NAME])) return 0;
  for (size_t n = 0; n < size; n++)
    if (value[n] == '&' || value[n] & 0x80) return 0;
  return !contains(value, size, "refresh") && !contains(value, size, "content-language");
}

static void take_meta(Parser *parser, const Token *token) {
  int names_robots = has(token, NAME) && contains(token->value[NAME], token->length[NAME], "robots");
  if (!has(token, HTTP_EQUIV) && !names_robots) return;
  if (parser->metas++ >= MOST_METAS) return;
  if (!names_robots && says_nothing(token)) return;
  put_string(parser, 'N', token, NAME);
  put_string(parser, 'E', token, HTTP_EQUIV);
  put_string(parser, 'C', token, CONTENT_);
}

static void take_link(Parser *parser, const Token *token) {
  if (!has(token, REL)) return;
  const uint8_t *rel = token->value[REL];
  size_t size = token->length[REL];
  int wanted = contains(rel, size, "canonical") || (has(token, HREFLANG) && contains(rel, size, "alternate"));
  if (wanted || memchr(rel, '&', size)) add_reference(parser, "link", token, HREF);
}

/* Read the attributes of a start tag, even if its element is dropped. */
static uint32_t take(Parser *parser, Token *token) {
  if (parser->tree.open[TAG_TEMPLATE]) return 0;
  switch (token->tag) {
    case TAG_A:
      if (in_foreign(&parser->tree) && has(token, XLINK_HREF) && !has(token, HREF)) {
        token->have |= 1u << HREF;
        token->value[HREF] = token->value[XLINK_HREF];
        token->length[HREF] = token->length[XLINK_HREF];
      }
      return add_anchor(parser, token);
    case TAG_AREA: add_reference(parser, "area", token, HREF); break;
    case TAG_FRAME: add_reference(parser, "frame", token, SRC); break;
    case TAG_IFRAME:
      if (has(token, SRCDOC)) /* it overrides src */
        put_string(parser, 'D', token, SRCDOC);
      else
        add_reference(parser, "iframe", token, SRC);
      break;
    case TAG_LINK: take_link(parser, token); break;
    case TAG_META: take_meta(parser, token); break;
    case TAG_HTML: take_languages(parser, token); break;
    case TAG_BASE:
      if (!parser->based && has(token, HREF)) {
        parser->based = 1;
        put_string(parser, 'B', token, HREF);
      }
      break;
    default: break;
  }
  return 0;
}

/* The letters of the first subtag of an anchor's hreflang, as a number. */
static uint32_t language_of(const Token *token) {
  uint32_t language = 0;
  if (has(token, HREFLANG))
    for (uint32_t n = 0; n < 3 && n < token->length[HREFLANG] && is_letter(token->value[HREFLANG][n]); n++)
      language = language << 8 | lower(token->value[HREFLANG][n]);
  return language;
}

static void open_anchor(Parser *parser, const Token *token, uint32_t target) {
  uint32_t before = parser->tree.depth;
  open_element(parser, token, 0, 0);
  uint32_t number = (uint32_t)(parser->links.size / sizeof(LinkRecord));
  if (parser->tree.depth == before || parser->tree.hiding || number >= MOST_LINKS) return;
  LinkRecord link = {(uint32_t)parser->text.bytes.size, 0, language_of(token), target};
  put(&parser->links, &link, sizeof link);
  if (!parser->links.failed) top(&parser->tree)->link = number;
}

/* A start tag within HTML; its content may be raw text, which `read_page` sees to. */
static void start_in_html(Parser *parser, const Token *token, uint32_t target) {
  Tree *tree = &parser->tree;
  uint32_t tag = token->tag, kind = traits(tag);
  switch (tag) {
    case TAG_HTML:
    case TAG_HEAD:
    case TAG_BODY:
    case TAG_FRAMESET: return;
    case TAG_LI: close_item(parser, TAG_LI, TAG_LI); break;
    case TAG_DD:
    case TAG_DT: close_item(parser, TAG_DD, TAG_DT); break;
    case TAG_P:
    case TAG_FORM:
    case TAG_TABLE:
    case TAG_XMP:
    case TAG_PLAINTEXT: close_paragraph(parser); break;
    case TAG_HR:
      close_paragraph(parser);
      if (find_open(tree, TAG_SELECT, SCOPE)) close_implied(parser, 0);
      break;
    case TAG_INPUT: close_to(parser, find_open(tree, TAG_SELECT, SCOPE)); break; /* it closes a list of options */
    case TAG_BUTTON: close_to(parser, find_open(tree, TAG_BUTTON, SCOPE)); break;
    case TAG_OPTION:
    case TAG_OPTGROUP:
      if (find_open(tree, TAG_SELECT, SCOPE))
        close_implied(parser, tag == TAG_OPTION ? TAG_OPTGROUP : 0);
      else if (is_html(top(tree), TAG_OPTION))
        close_top(parser);
      break;
    case TAG_SELECT: {
      uint32_t at = find_open(tree, TAG_SELECT, SCOPE);
      if (at) {
        close_to(parser, at);
        return;
      }
      break;
    }
    case TAG_RB:
    case TAG_RP:
    case TAG_RT:
    case TAG_RTC:
      if (tree->open[TAG_RUBY]) close_implied(parser, 0);
      break;
    case TAG_A:
      close_formatting(parser, find_open(tree, TAG_A, MARKER));
      open_anchor(parser, token, target);
      return;
    case TAG_SVG:
    case TAG_MATH:
      if (!token->self_closing) open_element(parser, token, tag == TAG_SVG ? DRAWING : FORMULA, 0);
      return;
    default:
      if (kind & TABLE_PART) {
        if (!close_for_table_part(parser, tag)) return;
      } else if (kind & (BLOCK | HEADING)) {
        close_paragraph(parser);
        if (kind & HEADING && traits_of(top(tree)) & HEADING) close_top(parser);
      }
  }
  if (!(kind & VOID)) open_element(parser, token, 0, 0);
}

/* 13.2.6.5: a start tag within a drawing or formula. Returns false if it is HTML. */
static int start_in_foreign(Parser *parser, const Token *token) {
  Tree *tree = &parser->tree;
  if (traits(token->tag) & BREAKOUT || (token->tag == TAG_FONT && has(token, FONT))) {
    while (in_foreign(tree)) close_top(parser);
    return 0;
  }
  uint32_t tag = token->tag;
  int kind = top(tree)->foreign, of_drawings = tag == TAG_TITLE || tag == TAG_DESC || tag == TAG_FOREIGN_OBJECT;
  int integration = traits(tag) & INTEGRATION && of_drawings == (kind == DRAWING);
  if (tag == TAG_ANNOTATION_XML && has(token, ENCODING))
    integration = contains(token->value[ENCODING], token->length[ENCODING], "html");
  if (!token->self_closing) open_element(parser, token, kind, integration);
  return 1;
}

/* ---- end tags: 13.2.6.4.7 and 13.2.6.5 ---- */

static void end_in_html(Parser *parser, uint32_t tag) {
  Tree *tree = &parser->tree;
  uint32_t kind = traits(tag);
  switch (tag) {
    case TAG_HTML:
    case TAG_HEAD:
    case TAG_BODY:
    case TAG_FRAMESET: return;
    case TAG_P: close_paragraph(parser); return;
    case TAG_LI:
      for (uint32_t at = tree->open[TAG_LI] ? tree->depth - 1 : 0; at > 0; at--) {
        const Open *open = &tree->stack[at];
        tree->looked_at++;
        if (is_html(open, TAG_LI)) {
          close_to(parser, at);
          return;
        }
        if (traits_of(open) & SCOPE || is_html(open, TAG_UL) || is_html(open, TAG_OL)) return;
      }
      return;
    case TAG_TABLE: close_to(parser, find_open(tree, tag, 0)); return;
    case TAG_TEMPLATE: {
      uint32_t hidden = find_open(tree, TAG_TEMPLATE, 0), shown = find_open(tree, TAG_SHADOW_ROOT, 0);
      close_to(parser, hidden > shown ? hidden : shown);
      return;
    }
    case TAG_FORM: close_form(parser, find_open(tree, tag, SCOPE)); return;
    case TAG_DD:
    case TAG_DT:
    case TAG_APPLET:
    case TAG_MARQUEE:
    case TAG_OBJECT:
    case TAG_SELECT: close_to(parser, find_open(tree, tag, SCOPE)); return;
    default: break;
  }
  if (kind & TABLE_PART)
    close_to(parser, find_in_table(tree, tag));
  else if (kind & HEADING) {
    for (uint32_t at = has_heading(tree) ? tree->depth - 1 : 0; at > 0; at--) {
      tree->looked_at++;
      if (traits_of(&tree->stack[at]) & HEADING) {
        close_to(parser, at);
        return;
      }
      if (traits_of(&tree->stack[at]) & SCOPE) return;
    }
  } else if (kind & FORMATTING)
    close_formatting(parser, find_open(tree, tag, MARKER | SCOPE));
  else
    close_to(parser, find_open(tree, tag, kind & BLOCK ? SCOPE : SPECIAL));
}

static void end_tag(Parser *parser, uint32_t tag) {
  Tree *tree = &parser->tree;
  if (parser->framed) {
    if (tag == TAG_FRAMESET && parser->framesets) parser->framesets--;
    return;
  }
  if (tag == TAG_BR) parser->frames_possible = 0; /* is a <br> */
  if (tree->beyond && !(traits(tag) & (VOID | TABLE_PART))) {
    tree->beyond--;
    return;
  }
  if (tag == TAG_P || tag == TAG_BR) {
    while (in_foreign(tree)) close_top(parser);
  } else {
    uint32_t at = find_in_foreign(tree, tag);
    if (at) {
      close_to(parser, at);
      return;
    }
  }
  end_in_html(parser, tag);
}

/* ---- framesets: 13.2.6.4.20 to 13.2.6.4.21 ---- */

/* A frameset replaces the body unless the body has content already. */
static int begin_frames(Parser *parser) {
  if (!parser->frames_possible || parser->tree.open[TAG_TEMPLATE]) return 0;
  close_to(parser, 1 < parser->tree.depth ? 1 : 0);
  parser->tree.beyond = 0;
  parser->framed = 1;
  parser->framesets = 1;
  return 1;
}

/* True if the next token is visible, so that no frameset may follow. */
static int forbids_frames(const Token *token) {
  if (token->tag == TAG_INPUT && has(token, TYPE)) return !is_value(token, TYPE, "hidden");
  return token->tag == TAG_BODY || traits(token->tag) & NO_FRAMES;
}

/* ---- text ---- */

static void see_text(Parser *parser, const uint8_t *at, const uint8_t *end, int decoded) {
  for (const uint8_t *one = at; parser->frames_possible && one < end; one++)
    if (*one && !is_space(*one)) parser->frames_possible = 0;
  if (parser->tree.hiding || parser->framed) return;
  int preformatted = parser->tree.open[TAG_PRE] || parser->tree.open[TAG_LISTING];
  void (*put)(Text *, const uint8_t *, const uint8_t *, const uint8_t *) = preformatted ? put_preformatted : put_text;
  while (at < end) {
    const uint8_t *stop = decoded ? find(at, end, '&') : end;
    put(&parser->text, parser->classes, at, stop);
    if (stop == end) return;
    uint8_t out[DECODED_LONGEST];
    size_t size = 0, taken = reference(stop, end, 0, out, &size);
    if (taken)
      put_text(&parser->text, parser->classes, out, out + size);
    else
      put_text(&parser->text, parser->classes, stop, stop + (taken = 1));
    at = stop + taken;
  }
}

/* Skip the raw text of an element; returns where its end tag begins. */
static const uint8_t *pass_raw(Parser *parser, const Token *token, const uint8_t *at, const uint8_t *end) {
  const uint8_t *stop =
    token->tag == TAG_SCRIPT ? script_end(at, end) : raw_end(at, end, TAG_NAME[token->tag]);
  if (token->tag == TAG_TITLE && !parser->titled && !parser->tree.open[TAG_TEMPLATE]) {
    parser->titled = 1;
    put_byte(&parser->strings, 'T');
    put_decoded(&parser->strings, at, stop, 0);
    put_byte(&parser->strings, 0);
  } else if (token->tag == TAG_XMP)
    see_text(parser, at, stop, 0);
  return stop;
}

/* ---- the page ---- */

/* A start tag in a frameset: only tags of frames count. */
static const uint8_t *start_in_frames(Parser *parser, Token *token, const uint8_t *behind, const uint8_t *end) {
  if (token->tag == TAG_NOFRAMES) return pass_raw(parser, token, behind, end);
  if (token->tag == TAG_HTML || (token->tag == TAG_FRAME && parser->framesets)) take(parser, token);
  if (token->tag == TAG_FRAMESET && parser->framesets) parser->framesets++;
  return behind;
}

static const uint8_t *start_tag(Parser *parser, Token *token, const uint8_t *behind, const uint8_t *end) {
  if (parser->framed) return start_in_frames(parser, token, behind, end);
  if (token->tag == TAG_TEMPLATE && has(token, SHADOW) && !parser->tree.open[TAG_TEMPLATE]) token->tag = TAG_SHADOW_ROOT;
  uint32_t target = take(parser, token);
  if (in_foreign(&parser->tree) && start_in_foreign(parser, token)) return behind;
  if (token->tag == TAG_FRAMESET && begin_frames(parser)) return behind;
  if (forbids_frames(token)) parser->frames_possible = 0;
  uint32_t kind = traits(token->tag);
  if (kind & (RAW | DECODED)) {
    if (token->tag == TAG_XMP) close_paragraph(parser);
    return pass_raw(parser, token, behind, end);
  }
  start_in_html(parser, token, target);
  if (token->tag == TAG_PLAINTEXT) {
    see_text(parser, behind, end, 0);
    return end;
  }
  return behind;
}

/* Skip a comment, declaration or processing instruction: "<!", "<?", or "</" without a name. */
static const uint8_t *pass_declaration(Parser *parser, const uint8_t *at, const uint8_t *end) {
  if (*at == '!' && end - at >= 3 && at[1] == '-' && at[2] == '-') return comment_end(at + 3, end);
  if (*at == '!' && end - at >= 8 && !memcmp(at + 1, "[CDATA[", 7) && top(&parser->tree)->foreign) {
    const uint8_t *text_end, *behind = cdata_end(at + 8, end, &text_end);
    see_text(parser, at + 8, text_end, 0);
    return behind;
  }
  at = find(at, end, '>');
  return at < end ? at + 1 : end;
}

static void read_page(Parser *parser, const uint8_t *at, const uint8_t *end) {
  Token token;
  while (at < end) {
    const uint8_t *tag = find(at, end, '<');
    if (tag > at) see_text(parser, at, tag, 1);
    if (end - tag < 2 || (end - tag == 2 && tag[1] == '/')) {
      see_text(parser, tag, end, 0);
      break;
    }
    const uint8_t *name = tag + 1;
    int closes = *name == '/' && end - name > 1 && is_letter(name[1]);
    if (closes || is_letter(*name)) {
      const uint8_t *behind = read_tag(parser->tags, name + closes, end, &token);
      if (!behind) break; /* a tag cut by the end of the page is ignored */
      if (!parser->tree.hiding && sets_apart(token.first)) put_blank(&parser->text, ends_line(token.first) ? '\n' : ' ');
      if (closes)
        end_tag(parser, token.tag);
      else
        behind = start_tag(parser, &token, behind, end);
      at = behind;
    } else if (*name == '!' || *name == '?' || *name == '/') {
      at = pass_declaration(parser, name, end);
    } else {
      see_text(parser, tag, name, 0);
      at = name;
    }
  }
  parser->is_at_end = 1;
  while (parser->tree.depth > 1) close_top(parser);
}

/* ---- functions for Python ---- */

graphlang_html *graphlang_html_new(uint32_t seed) {
  Parser *parser = calloc(1, sizeof *parser);
  if (!parser) return NULL;
  lay_tags(parser->tags);
  lay_classes(parser->classes);
  lay_words(parser->words);
  lay_names(&parser->languages_known);
  parser->seed = seed;
  return parser;
}

void graphlang_html_free(graphlang_html *parser) {
  if (!parser) return;
  release(&parser->text.bytes);
  release(&parser->anchors);
  release(&parser->references);
  release(&parser->strings);
  release(&parser->records);
  release(&parser->links);
  release(&parser->slots);
  release(&parser->scratch);
  release(&parser->removed);
  release(&parser->verdicts);
  release(&parser->spans);
  release(&parser->runs);
  release(&parser->parted);
  free(parser);
}

static void clear(Parser *parser) {
  empty(&parser->text.bytes);
  parser->text.spaced = 0;
  empty(&parser->anchors);
  empty(&parser->references);
  empty(&parser->strings);
  empty(&parser->records);
  empty(&parser->links);
  empty(&parser->scratch);
  if (parser->slot_count > 4096) {
    release(&parser->slots);
    memset(&parser->slots, 0, sizeof parser->slots);
    parser->slot_count = 0;
  } else if (parser->slot_count) {
    /* As much of the table as the page before had use for: to empty all that a page with many links left takes as long
       as to read a short page. */
    while (parser->slot_count > 256 && parser->slot_count > 4 * parser->anchor_count) parser->slot_count /= 2;
    memset(parser->slots.data, 0, parser->slot_count * sizeof(Slot));
  }
  parser->anchor_count = parser->reference_count = parser->metas = parser->skipped = 0;
  parser->titled = parser->based = parser->languages = parser->flattened = parser->framed = parser->is_at_end = 0;
  parser->frames_possible = 1;
  parser->framesets = 0;
  memset(parser->classes_known, 0, sizeof parser->classes_known);
  begin_tree(&parser->tree);
}

int graphlang_html_read(graphlang_html *parser, uint64_t size, const uint8_t *markup, uint32_t most, uint32_t depth,
                        graphlang_html_page *page) {
  if (size > UINT32_MAX / 4) return GRAPHLANG_NO_MEMORY; /* offsets have 32 bits */
  clear(parser);
  parser->most = most;
  parser->depth_limit = depth < 2 ? 2 : depth < DEEPEST ? depth : DEEPEST;
  if (size) read_page(parser, markup, markup + size);
  page->text = parser->text.bytes.data;
  page->text_size = parser->text.bytes.size;
  page->anchors = parser->anchors.data;
  page->anchors_size = parser->anchors.size;
  page->references = parser->references.data;
  page->references_size = parser->references.size;
  page->strings = parser->strings.data;
  page->strings_size = parser->strings.size;
  page->records = (const uint32_t *)(const void *)parser->records.data;
  page->records_size = parser->records.size;
  page->links = (const uint32_t *)(const void *)parser->links.data;
  page->links_size = parser->links.size;
  page->skipped = parser->skipped;
  page->flattened = (uint32_t)parser->flattened;
  page->looked_at = parser->tree.looked_at;
  int failed = parser->text.bytes.failed | parser->anchors.failed | parser->references.failed | parser->strings.failed |
               parser->records.failed | parser->links.failed | parser->scratch.failed;
  return failed ? GRAPHLANG_NO_MEMORY : 0;
}

int graphlang_html_is_utf8(uint64_t size, const uint8_t *at) {
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

/* Length of a character that is a byte from 80 to BF in ISO-8859-1 or windows-1252; 0 for others. */
static size_t for_byte(const uint8_t *at, const uint8_t *end) {
  size_t size = *at == 0xE2 ? 3 : *at == 0xC2 || *at == 0xC5 || *at == 0xC6 || *at == 0xCB ? 2 : 0;
  return size <= (size_t)(end - at) ? size : 0;
}

/* True if the character after a byte C3 is the first of a run that is one character encoded twice. */
static int begins_run(const uint8_t *at, const uint8_t *end) {
  if (at == end || *at < 0x82 || *at > 0xB4) return 0;
  int others = *at < 0xA0 ? 1 : *at < 0xB0 ? 2 : 3;
  for (at++; others && at < end; others--) {
    size_t size = for_byte(at, end);
    if (!size) return 0;
    at += size;
  }
  return !others;
}

int graphlang_html_looks_encoded_twice(uint64_t size, const uint8_t *at) {
  enum { FEWEST = 3, OTHERS = 24 };
  const uint8_t *end = at + size;
  uint64_t runs = 0, others = 0;
  while (at < end && (at = memchr(at, 0xC3, (size_t)(end - at))) && others <= runs + OTHERS) {
    at++;
    if (begins_run(at, end))
      runs++;
    else
      others++;
  }
  return runs >= FEWEST && others <= runs;
}

int graphlang_html_holds_escapes(uint64_t size, const uint8_t *at) {
  const uint8_t *end = at + size;
  if (size && memchr(at, 0x1B, size)) return 1;
  while (end - at > 1 && (at = memchr(at, '~', (size_t)(end - at - 1))))
    if (*++at == '{') return 1;
  return 0;
}

int graphlang_html_is_plain(uint64_t size, const uint8_t *at) {
  enum { STEP = 64 };
  for (uint64_t done = 0; done < size;) {
    uint64_t stop = size - done < STEP ? size : done + STEP;
    uint8_t other = 0;
    for (; done < stop; done++) other |= (uint8_t)((at[done] & 0x80) | !at[done]);
    if (other) return 0;
  }
  return !graphlang_html_holds_escapes(size, at);
}

static uint64_t characters(const uint8_t *at, uint64_t size) {
  uint64_t count = 0;
  for (uint64_t n = 0; n < size; n++) count += (at[n] & 0xC0) != 0x80;
  return count;
}

/* ---- parting a text ---- */

typedef struct {
  const uint8_t *text;
  const uint32_t *begins, *ends;
  const uint32_t *reach, *following; /* how far a span and those that begin in it reach; the first one behind */
  uint64_t count;
  uint8_t *out;
  uint64_t size;
} Cut;

static int is_blank_before(const Cut *cut) {
  return !cut->size || is_blank(cut->out[cut->size - 1]);
}

/* A removed span ends a line. */
static void end_line(Cut *cut) {
  if (is_blank_before(cut) && cut->size) cut->size--;
  if (cut->size) cut->out[cut->size++] = '\n';
}

/* Copy a part of the text, without leading blanks after a blank. */
static void put_stretch(Cut *cut, uint64_t begin, uint64_t end) {
  while (begin < end && is_blank(cut->text[begin]) && is_blank_before(cut)) {
    if (cut->text[begin] == '\n' && cut->size) cut->out[cut->size - 1] = '\n';
    begin++;
  }
  if (begin >= end) return;
  memcpy(cut->out + cut->size, cut->text + begin, end - begin);
  cut->size += end - begin;
}

/* Copy the text between two offsets outside the spans from number `n` on. */
static void put_rest(Cut *cut, uint64_t begin, uint64_t end, uint64_t n) {
  for (; n < cut->count && cut->begins[n] < end; n = cut->following[n]) {
    put_stretch(cut, begin, cut->begins[n]);
    end_line(cut);
    if (cut->reach[n] > begin) begin = cut->reach[n];
  }
  put_stretch(cut, begin, end);
}

static uint64_t trim(Cut *cut) {
  while (is_blank_before(cut) && cut->size) cut->size--;
  return cut->size;
}

static int64_t check_spans(uint64_t size, uint64_t count, const uint32_t *begins, const uint32_t *ends,
                           graphlang_fault *fault) {
  if (size > UINT32_MAX / 4 || count > UINT32_MAX / 4) return GRAPHLANG_NO_MEMORY;
  for (uint64_t n = 0; n < count; n++) {
    if (ends[n] > size) return GRAPHLANG_REFUSE(fault, "ends", n, ends[n], 0, size);
    if (begins[n] >= ends[n]) return GRAPHLANG_REFUSE(fault, "begins", n, begins[n], 0, (int64_t)ends[n] - 1);
    if (n && begins[n] < begins[n - 1]) return GRAPHLANG_REFUSE(fault, "begins", n, begins[n], begins[n - 1], size);
  }
  return 0;
}

static uint64_t part(uint64_t size, uint64_t count, const uint8_t *text, const uint32_t *begins, const uint32_t *ends,
                     uint32_t *reach, uint32_t *following, uint8_t *out, uint64_t *main_size) {
  for (uint64_t n = count; n-- > 0;) { /* linear: each span is visited once */
    uint64_t behind = n + 1;
    reach[n] = ends[n];
    for (; behind < count && begins[behind] < reach[n]; behind = following[behind])
      if (reach[behind] > reach[n]) reach[n] = reach[behind];
    following[n] = (uint32_t)behind;
  }
  Cut cut = {text, begins, ends, reach, following, count, out, 0};
  put_rest(&cut, 0, size, 0);
  *main_size = trim(&cut);
  for (uint64_t n = 0; n < count; n++) {
    end_line(&cut);
    put_rest(&cut, begins[n], ends[n], n + 1);
  }
  return trim(&cut);
}

int64_t graphlang_html_cut(uint64_t size, uint64_t count, const uint8_t *text, const uint32_t *begins,
                           const uint32_t *ends, uint32_t *reach, uint32_t *following, uint8_t *out,
                           uint64_t *main_size, graphlang_fault *fault) {
  int64_t wrong = check_spans(size, count, begins, ends, fault);
  if (wrong) return wrong;
  return (int64_t)part(size, count, text, begins, ends, reach, following, out, main_size);
}

/* Allocate buffers to part the page's text; 0 without memory. */
static int make_room(Parser *parser, size_t size, size_t count) {
  Buffer *each[] = {&parser->removed, &parser->verdicts, &parser->parted};
  size_t needed[] = {size + 1, count + 1, 0};
  for (int n = 0; n < 3; n++) {
    empty(each[n]);
    if (!more(each[n], needed[n])) return 0;
  }
  empty(&parser->spans);
  memset(parser->removed.data, 0, size);
  memset(parser->verdicts.data, 0, count);
  return 1;
}

static int compare_spans(const void *one, const void *other) {
  const Span *a = one, *b = other;
  if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
  return a->end == b->end ? 0 : a->end > b->end ? -1 : 1;
}

int graphlang_html_part(graphlang_html *parser, graphlang_html_parted *parted) {
  memset(parted, 0, sizeof *parted);
  uint64_t size = parser->text.bytes.size;
  uint32_t count = (uint32_t)(parser->records.size / sizeof(Record));
  if (!size) return 0;
  if (!make_room(parser, size, count)) return GRAPHLANG_NO_MEMORY;
  Boilerplate state = {parser->text.bytes.data, size, (const Record *)(const void *)parser->records.data, count,
                 (const LinkRecord *)(const void *)parser->links.data, (uint32_t)(parser->links.size / sizeof(LinkRecord)),
                 &parser->languages_known, parser->removed.data, parser->verdicts.data, &parser->spans, &parser->runs,
                 0, 0, 0, 0, 0, 0, 0, {0}, 0};
  remove_boilerplate(&state);
  size_t lines = parser->spans.size / sizeof(Span); /* these spans are not elements */
  for (uint32_t n = 0; n < count; n++)
    if (state.verdicts[n] == 1) add_span(&parser->spans, state.records[n].begin, state.records[n].end);
  uint64_t chosen = parser->spans.size / sizeof(Span);
  Buffer *out = &parser->parted, *columns = &parser->verdicts; /* reuses the buffer of `verdicts`, which is not needed any more */
  if (parser->spans.failed || parser->runs.failed || !more(out, size + 2 * chosen + 2)) return GRAPHLANG_NO_MEMORY;
  empty(columns);
  if (!more(columns, 4 * chosen * sizeof(uint32_t) + 1)) return GRAPHLANG_NO_MEMORY;
  Span *spans = (Span *)(void *)parser->spans.data;
  if (lines) qsort(spans, chosen, sizeof *spans, compare_spans);
  uint32_t *begins = (uint32_t *)(void *)columns->data, *ends = begins + chosen;
  for (uint64_t n = 0; n < chosen; n++) {
    begins[n] = spans[n].begin;
    ends[n] = spans[n].end;
  }
  parted->text = out->data;
  parted->text_size = part(size, chosen, state.text, begins, ends, ends + chosen, ends + 2 * chosen, out->data,
                           &parted->main_size);
  parted->main_length = characters(parted->text, parted->main_size);
  return 0;
}
