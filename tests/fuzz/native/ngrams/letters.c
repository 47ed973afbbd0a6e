/* Texts to letters, and to windows. */
#include "stages.h"
#include KERNEL_LETTERS

HARNESS_BEGIN

enum { MOST_ROWS = 70, MOST_LETTERS = 600 };

/* A table of letters with everything that the real one has, though not where that has it. */
static const uint32_t *letter_table(void) {
  static uint32_t *table;
  if (table) return table;
  table = malloc(CODE_POINTS * sizeof *table);
  CHECK(table);
  for (uint32_t code = 0; code < CODE_POINTS; code++) {
    uint32_t low = code | 32, letter = low >= 'a' && low <= 'z', script = code < 0x250 ? LATIN : CYRILLIC + ((code >> 8) + 246) % 250;
    table[code] = letter ? low | LATIN << 24 : code < 0x80 ? SPACE : code < FIRST_OTHER ? code | LATIN << 24 : code | script << 24;
    if (code >= FIRST_MARK && code < FIRST_OTHER) table[code] = code;
    if (code >= 0x80 && code % 61 == 0) table[code] = SPACE;
    if (code >= 0x80 && code % 67 == 0) table[code] |= DROPPED;
  }
  return table;
}

static uint32_t symbol_of(Input *text) {
  static const uint32_t odd[16] = {CODE_POINTS, CODE_POINTS - 1, 0xD800, 0xAD, 0x301, 0x36F, 0x370, 0x7FF,
                                   0xFFFF,      0x10000,         0x3042, 0xFB01, 0, 0x200D, 0x41E, 0x5D0};
  uint8_t first = byte(text);
  int more = first >> 5 == 6 ? 1 : first >> 4 == 14 ? 2 : first >> 3 == 30 ? 3 : 0;
  if (first < 0x80) return first;
  if (!more || left(text) < more) return odd[first % 16];
  uint32_t code = first & (0x3Fu >> more);
  while (more--) code = code << 6 | (byte(text) & 0x3F);
  return code < CODE_POINTS ? code : odd[first % 16];
}

/* The script that a word goes to which holds the letter at a place, if it mixes Latin and Cyrillic ones, or 0. */
static uint32_t one_script(const uint32_t *text, int64_t size, int64_t place) {
  const uint32_t *table = letter_table();
  int64_t begin = place, end = place, all[3] = {0}, alike[3] = {0};
  while (begin && ((table[text[begin - 1]] & DROPPED) || (table[text[begin - 1]] & SYMBOL) != SPACE)) begin--;
  while (end < size && ((table[text[end]] & DROPPED) || (table[text[end]] & SYMBOL) != SPACE)) end++;
  for (int64_t n = begin; n < end; n++) {
    uint32_t entry = table[text[n]], script = SCRIPT(entry), other = table[look_alike(text[n])];
    if ((entry & DROPPED) || script < LATIN || script > CYRILLIC) continue;
    all[script]++;
    alike[script] += SCRIPT(other) == 3 - script && !(other & DROPPED) && (other & SYMBOL) != SPACE;
  }
  int latin = all[1] && alike[1] == all[1], cyrillic = all[2] && alike[2] == all[2];
  if (!all[1] || !all[2] || !(latin || cyrillic) || (latin && cyrillic && all[1] == all[2])) return 0;
  if (latin && cyrillic) return all[1] < all[2] ? CYRILLIC : LATIN;
  return latin ? CYRILLIC : LATIN;
}

/* What graphlang_letters_normalise makes of a row, for the script that it chose; a space at a time. */
static int64_t normalised(const uint32_t *text, int64_t size, uint8_t kept, int closed, int64_t margin, uint32_t *out) {
  const uint32_t *table = letter_table();
  int64_t used = 0;
  for (int64_t n = 0; n < size; n++) {
    uint32_t entry = table[text[n]], script = SCRIPT(entry);
    if (entry & DROPPED) continue;
    if (kept && (script == LATIN || script == CYRILLIC) && one_script(text, size, n) == 3 - script)
      entry = table[look_alike(text[n])];
    uint32_t symbol = entry & SYMBOL;
    if (kept && SCRIPT(entry) && SCRIPT(entry) != kept) symbol = SPACE;
    if (symbol != SPACE || (used && out[used - 1] != SPACE)) out[used++] = symbol;
  }
  while (used && out[used - 1] == SPACE) used--;
  if (used) out[used++] = SPACE;
  int64_t length = closed || !used ? used : used - 1;
  for (int64_t n = 0; n < margin; n++) out[length + n] = length ? out[n] : SPACE;
  return length;
}

/* How many letters each row has, where every other code point is one; what was found before says whether all is sound. */
static void check_count(int64_t size, int64_t rows, const uint32_t *symbols, const int64_t *begins, const int64_t *ends,
                        const uint8_t *known, uint8_t *needed, int64_t found) {
  int64_t *counts = array(rows, 8);
  static uint8_t is_letter[CODE_POINTS];
  graphlang_fault fault = {0};
  for (int64_t n = CODE_POINTS - 1; n > 0 && !is_letter[1]; n -= 2) is_letter[n] = 1;
  int64_t done = graphlang_letters_count(size, rows, symbols, begins, ends, is_letter, known, needed, counts, &fault);
  CHECK((done < 0) == (found < 0));
  if (done < 0) check_fault(&fault);
  for (int64_t n = 0; n < rows && done >= 0; n++) {
    int64_t expected = 0;
    for (int64_t i = begins[n]; i < ends[n]; i++) expected += symbols[i] & 1;
    CHECK(counts[n] == expected);
  }
}

Letters letters_of(Input *in, Input *text, int64_t margin) {
  uint8_t how = byte(in), weights[SCRIPTS];
  int64_t rows = 1, size = 0, room = 0, found = 0, at = 0;
  uint32_t *read = array(left(text), 4);
  int64_t begins[MOST_ROWS] = {0}, ends[MOST_ROWS];
  while (left(text) && size < MOST_LETTERS) {
    uint32_t symbol = symbol_of(text);
    if (symbol == '\n' && rows < MOST_ROWS) {
      ends[rows - 1] = size;
      begins[rows++] = size;
    } else
      read[size++] = symbol;
  }
  ends[rows - 1] = size;
  Letters made = {.rows = rows, .margin = margin};
  const uint32_t *symbols = copy(read, size, 4);
  int64_t *first = copy(begins, rows, 8), *last = copy(ends, rows, 8);
  uint8_t *known = array(CODE_POINTS >> PAGE, 1), *needed = array(CODE_POINTS >> PAGE, 1), *marked = array(rows, 1);
  uint8_t *chosen = array(rows, 1);
  graphlang_fault fault = {0};
  memset(known, 1, CODE_POINTS >> PAGE);
  memset(known + 3, !(how & 8), 1);
  memset(needed, 0, CODE_POINTS >> PAGE);
  for (int64_t n = 0; n < size; n++) {
    if (symbols[n] >= CODE_POINTS) found = GRAPHLANG_OUT_OF_RANGE;
    if (found < 0) break;
    found |= (!known[symbols[n] >> 8]) | (symbols[n] >= 0x300 && symbols[n] < 0x370) << 1;
  }
  CHECK(graphlang_letters_scan(size, rows, symbols, first, last, known, needed, marked, &fault) == found);
  if (found < 0) check_fault(&fault);
  check_count(size, rows, symbols, first, last, known, needed, found);
  for (int n = 0; n < SCRIPTS; n++) weights[n] = (uint8_t)(1 + n % 3);
  for (int64_t n = 0; n < rows; n++) {
    chosen[n] = how & 16 ? byte(in) : 0;
    room += ends[n] - begins[n] + 1 + margin;
  }
  uint8_t *kept = how & 2 ? chosen : NULL;
  uint8_t *beside = how & 32 ? array(rows, 1) : NULL;
  uint32_t *out = array(room, 4), *expected = array(MOST_LETTERS + 1 + margin, 4);
  made.starts = array(rows, 8);
  made.lengths = array(rows, 8);
  made.size = graphlang_letters_normalise(size, rows, room, symbols, first, last, letter_table(), weights,
                                          (double)byte(in) / 255, margin, how & 1, kept, beside, out, made.starts,
                                          made.lengths, &fault);
  CHECK((made.size < 0) == (found < 0));
  if (found < 0) return (Letters){.margin = margin};
  CHECK(made.size <= room);
  for (int64_t n = 0; n < rows; n++) {
    CHECK(!kept || kept[n]);
    CHECK(!beside || !beside[n] || (kept && (kept[n] == LATIN) != (beside[n] == LATIN)));
    CHECK(made.starts[n] == at);
    CHECK(made.lengths[n] == normalised(symbols + first[n], last[n] - first[n], kept ? kept[n] : 0, how & 1, margin, expected));
    CHECK(!memcmp(out + at, expected, (size_t)(made.lengths[n] + margin) * 4));
    at += made.lengths[n] + margin;
  }
  CHECK(at == made.size);
  made.symbols = copy(out, made.size, 4);
  return made;
}

/* Windows of texts lie within them, in their order, and no two of a text are alike. */
static void check_windows(const uint32_t *symbols, const int64_t *begins, const int64_t *ends, const int64_t *offsets,
                          int64_t texts, int64_t kept, int64_t size) {
  CHECK(!texts || (offsets[0] == 0 && offsets[texts] == kept));
  for (int64_t t = 0; t < texts; t++)
    for (int64_t n = offsets[t]; n < offsets[t + 1]; n++) {
      CHECK(begins[n] >= 0 && begins[n] <= ends[n] && ends[n] <= size);
      for (int64_t i = offsets[t]; i < n; i++)
        CHECK(ends[i] - begins[i] != ends[n] - begins[n] ||
              memcmp(symbols + begins[i], symbols + begins[n], (size_t)(ends[n] - begins[n]) * 4));
    }
}

void fuzz_windows(Input *in) {
  int64_t texts = below(in, 5), windows = below(in, 14), width = below(in, 60), longest = below(in, 50);
  uint8_t how = byte(in);
  int64_t *begins = array(windows, 8), *ends = array(windows, 8), *offsets = array(texts + 1, 8);
  uint8_t *inside = array(windows, 1);
  int64_t size = left(in) > 2 * windows + 8 ? left(in) - 2 * windows - 8 : 0;
  uint32_t *symbols = array(size, 4);
  for (int64_t n = 0; n < size; n++) symbols[n] = byte(in);
  for (int64_t n = 0; n < windows; n++) {
    uint8_t own = byte(in);
    begins[n] = below(in, size + 1);
    ends[n] = begins[n] + own / 4 % (size - begins[n] + 1);
    inside[n] = own & 3;
  }
  for (int64_t n = 0; n <= texts; n++) offsets[n] = texts ? windows * n / texts : 0;
  if (how & 1) {
    for (int64_t n = 0; n < windows; n++) {
      uint8_t own = byte(in);
      if (own % 8 == 7) begins[n] = damaged(in, size);
      if (own % 8 == 6) ends[n] = damaged(in, size);
    }
    offsets[below(in, texts + 1)] = damaged(in, windows);
  }
  graphlang_fault fault = {0};
  int64_t kept = graphlang_letters_windows(size, windows, texts + 1, symbols, begins, ends, offsets, inside, width, longest,
                                           &fault);
  CHECK(kept <= windows && (kept >= 0 || (how & 1 && kept == GRAPHLANG_OUT_OF_RANGE)));
  if (kept < 0) check_fault(&fault);
  if (kept >= 0 && !(how & 1)) check_windows(symbols, begins, ends, offsets, texts, kept, size);
}

/* Rows and sizes that no sound caller has are refused. */
void fuzz_letters(Input *in) {
  int64_t rows = below(in, 6), size = below(in, 40), margin = below(in, 6), capacity = below(in, 90), sound = 1;
  int64_t *begins = array(rows, 8), *ends = array(rows, 8), *starts = array(rows, 8), *lengths = array(rows, 8);
  for (int64_t n = 0; n < rows; n++) {
    begins[n] = damaged(in, size + 1);
    ends[n] = damaged(in, size + 1);
    sound &= begins[n] >= 0 && begins[n] <= ends[n] && ends[n] <= size;
  }
  uint32_t *text = array(size, 4), *out = array(capacity, 4);
  for (int64_t n = 0; n < size; n++) text[n] = byte(in);
  uint8_t *known = array(CODE_POINTS >> PAGE, 1), *needed = array(CODE_POINTS >> PAGE, 1), *marked = array(rows, 1);
  uint8_t *weights = array(SCRIPTS, 1), *chosen = array(rows, 1);
  graphlang_fault fault = {0};
  CHECK((graphlang_letters_scan(size, rows, text, begins, ends, known, needed, marked, &fault) >= 0) == sound);
  if (!sound) check_fault(&fault);
  check_count(size, rows, text, begins, ends, known, needed, sound ? 0 : GRAPHLANG_OUT_OF_RANGE);
  uint8_t *again = array(rows, 1);
  int64_t *offsets = array(rows + 1, 8), fit = sound;
  for (int64_t n = 0; n <= rows; n++) {
    offsets[n] = damaged(in, rows + 1);
    fit &= offsets[n] >= 0 && offsets[n] <= rows && (!n || offsets[n] >= offsets[n - 1]);
  }
  int repeated = graphlang_letters_repeats(size, rows, rows, text, begins, ends, offsets, below(in, 6), again, &fault);
  CHECK(repeated >= 0 || !fit);
  for (int64_t n = 0; !repeated && n < rows; n++) CHECK(again[n] <= (offsets[n] < offsets[n + 1]));
  int64_t used = graphlang_letters_normalise(size, rows, capacity, text, begins, ends, letter_table(), weights, 0.3, margin,
                                             1, chosen, NULL, out, starts, lengths, &fault);
  CHECK(used <= capacity && (sound || used < 0));
}

HARNESS_END
