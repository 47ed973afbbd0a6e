/* The rows of the links of a batch of pages, whatever their ids, held against a slow sort.

   Input: a byte each for the pages, the usual kind and which allocations fail; for each page its links. */
#include "../failing.h"
#include KERNEL_DB_LINK_ROWS
#include "../working.h"

HARNESS_BEGIN

enum { MOST_PAGES = 12, MOST_LINKS = 24 };

typedef struct {
  int64_t source, target, place, number;
} Kept;

static int comes_first(const Kept *one, const Kept *other) {
  if (one->source != other->source) return one->source < other->source;
  if (one->target != other->target) return one->target < other->target;
  return one->number < other->number;
}

static int64_t sorted_links(const int64_t *ids, const int64_t *counts, const uint8_t *chosen, int64_t pages, Kept *kept) {
  int64_t number = 0, found = 0;
  for (int64_t page = 0; page < pages; page++) {
    int64_t source = *ids++, place = 0;
    for (int64_t n = 0; n < counts[page]; n++, number++) {
      int64_t target = *ids++;
      if (!chosen[page] || target == source) continue;
      Kept own = {source, target, place++, number};
      int64_t at = found++;
      for (; at && comes_first(&own, &kept[at - 1]); at--) kept[at] = kept[at - 1];
      kept[at] = own;
    }
  }
  return found;
}

/* What was refused is what stands there, and is out of range. */
static void check_fault(const graphlang_fault *fault, const char *name, const int64_t *numbers, int64_t count) {
  CHECK(!strcmp(fault->array, name) && fault->index >= 0 && fault->index < count);
  CHECK(fault->value == numbers[fault->index] && (fault->value < fault->least || fault->value > fault->most));
}

void fuzz_rows(Input *in) {
  int64_t pages = below(in, MOST_PAGES), all = 0, at = 0, made[2];
  uint8_t usual = byte(in), plan = byte(in);
  graphlang_fault fault;
  int64_t *counts = array(pages, sizeof *counts), *numbers = array(pages * (MOST_LINKS + 1), sizeof *numbers);
  uint8_t *chosen = array(pages, 1);
  for (int64_t page = 0; page < pages; page++) {
    uint8_t own = byte(in);
    counts[page] = own / 2 % MOST_LINKS;
    chosen[page] = own & 1;
    all += counts[page];
    for (int64_t n = 0; n <= counts[page]; n++) numbers[at++] = damaged(in, 12);
  }
  int64_t *ids = copy(numbers, at, sizeof *ids);
  uint8_t *kinds = array(all, 1), *marked = array(all, 1);
  for (int64_t n = 0; n < all; n++) {
    uint8_t own = byte(in);
    kinds[n] = own % 4 ? usual : byte(in);
    marked[n] = own / 4 % 4 == 3;
  }
  int64_t *plain = array(PLAIN * all, sizeof *plain), *rows = array(WIDTH * all, sizeof *rows);
  int64_t *row_of = array(all, sizeof *row_of);

  if (plan & 1) {
    fail_allocations(plan >> 1 & 3, 1);
    int done = graphlang_link_rows((uint64_t)pages, (uint64_t)all, ids, counts, chosen, kinds, marked, usual, plain, rows,
                                   row_of, made, &fault);
    CHECK(done == (failed_allocations() ? GRAPHLANG_NO_MEMORY : 1));
    allow_allocations();
  }
  if (plan & 2 && pages) {
    int64_t *hurt = copy(counts, pages, sizeof *counts), page = below(in, pages), sum = 0, wrong = 0;
    hurt[page] = damaged(in, MOST_LINKS);
    for (int64_t n = 0; n < pages && !wrong; n++) wrong = hurt[n] < 0 || hurt[n] > all || (sum += hurt[n]) > all;
    int done = graphlang_link_rows((uint64_t)pages, (uint64_t)all, ids, hurt, chosen, kinds, marked, usual, plain, rows,
                                   row_of, made, &fault);
    CHECK(done == (wrong || sum != all ? GRAPHLANG_OUT_OF_RANGE : 1));
    if (done < 0) check_fault(&fault, "counts", hurt, pages);
  }
  CHECK(graphlang_link_rows((uint64_t)pages, (uint64_t)all, ids, counts, chosen, kinds, marked, usual, plain, rows, row_of,
                            made, &fault) == 1);

  Kept *kept = array(all, sizeof *kept);
  int64_t found = sorted_links(ids, counts, chosen, pages, kept), of_plain = 0, of_rows = 0, without = 0;
  for (int64_t n = 0; n < found; n++) {
    const Kept *own = &kept[n];
    int64_t *row;
    if (kinds[own->number] == usual && !marked[own->number]) {
      row = plain + PLAIN * of_plain++;
      CHECK(row[2] == own->place && row_of[own->number] == -1);
    } else {
      CHECK(row_of[own->number] == of_rows);
      row = rows + WIDTH * of_rows++;
      CHECK(row[2] == (kinds[own->number] & 0x7F) && row[3] == kinds[own->number] >> 7 && !row[4] && row[5] == own->place);
    }
    CHECK(row[0] == own->source && row[1] == own->target);
  }
  CHECK(made[0] == of_plain && made[1] == of_rows);
  for (int64_t n = 0; n < all; n++) without += row_of[n] == -1;
  CHECK(without == all - of_rows);
}

HARNESS_END
