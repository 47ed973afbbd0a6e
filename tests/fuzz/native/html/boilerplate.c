/* What is left of a text while elements are set apart: counts are those of slow loops, elements that are none are refused.

   Input: which numbers are damaged, how much text, its characters with a byte for each that says whether it is gone,
   then spans and limits. */
#include "../failing.h"
#include KERNEL_BOILERPLATE
#include "../working.h"

HARNESS_BEGIN

enum { LONGEST_TEXT = 9000, MOST_ELEMENTS = 40 };

typedef struct {
  uint8_t *text, *gone;
  uint64_t *starts; /* of the characters, and the end */
  int64_t size, characters;
} Worded;

/* Characters of one to four bytes, and spaces, of which no two follow each other. */
static Worded worded(Input *in) {
  static const char *const each[] = {"a", " ", "b", "\303\251", " ", "\346\227\245", "\360\237\230\200", "c"};
  int64_t wanted = below(in, 300), times = in->at < in->end && *in->at == 255 ? LONGEST_TEXT / 4 / (wanted + 1) : 1;
  Worded one = {.text = array(LONGEST_TEXT, 1), .gone = array(LONGEST_TEXT, 1), .starts = array(LONGEST_TEXT, 8)};
  uint8_t *plan = array(wanted, 1);
  for (int64_t n = 0; n < wanted; n++) plan[n] = byte(in);
  for (int64_t n = 0; n < wanted * times && one.size + 4 < LONGEST_TEXT; n++) {
    const char *here = each[plan[n % wanted] & 7];
    if (*here == ' ' && one.size && one.text[one.size - 1] == ' ') continue;
    one.starts[one.characters++] = (uint64_t)one.size;
    for (; *here; here++, one.size++) {
      one.text[one.size] = (uint8_t)*here;
      one.gone[one.size] = plan[n % wanted] >> 3 & 1;
    }
  }
  one.starts[one.characters] = (uint64_t)one.size;
  one.text = copy(one.text, one.size, 1);
  one.gone = copy(one.gone, one.size, 1);
  return one;
}

/* Characters of a span where what is gone is a space, white space folded. */
static uint64_t slowly_left(const Worded *one, const uint8_t *gone, uint64_t begin, uint64_t end) {
  uint64_t letters = 0, words = 0;
  int within = 0;
  for (uint64_t at = begin; at < end; at++) {
    int letter = !gone[at] && one->text[at] != ' ';
    letters += letter && one->text[at] >> 6 != 2;
    words += letter && !within;
    within = letter;
  }
  return words ? letters + words - 1 : 0;
}

static void check_left(const Worded *one, const uint8_t *gone, uint64_t begin, uint64_t end, uint64_t most) {
  graphlang_fault fault;
  uint64_t expected = slowly_left(one, gone, begin, end);
  int64_t found = graphlang_boilerplate_left((uint64_t)one->size, one->text, gone, begin, end, most, &fault);
  CHECK(expected <= most ? found == (int64_t)expected : found > (int64_t)most);
}

static void check_letters(const Worded *one, const uint8_t *gone) {
  uint64_t letters = 0;
  for (int64_t at = 0; at < one->size; at++) letters += !gone[at] && one->text[at] != ' ' && one->text[at] >> 6 != 2;
  CHECK(graphlang_boilerplate_letters((uint64_t)one->size, one->text, gone) == letters);
}

/* What the kernel that takes one element after the other is to do, as its header says it. */
static void slowly_take_each(const Worded *one, int64_t count, const uint32_t *elements, const uint32_t *chosen,
                             uint32_t refused, uint64_t most, uint64_t longest, uint8_t *gone, uint8_t *taken) {
  uint64_t number = 0;
  for (int64_t n = 0; n < count; n++) {
    const uint32_t *element = elements + 3 * chosen[n];
    uint64_t size = slowly_left(one, gone, element[1], element[2]);
    if (!size) continue;
    if (element[0] & refused || number == most || size > longest) return;
    for (uint32_t at = element[1]; at < element[2]; at++) gone[at] = 1;
    taken[chosen[n]] = 1;
    number++;
  }
}

void fuzz_boilerplate(Input *in) {
  uint8_t how = byte(in);
  Worded one = worded(in);
  int64_t count = below(in, MOST_ELEMENTS), chosen_count = count ? below(in, 2 * MOST_ELEMENTS) : 0;
  uint32_t *elements = array(3 * count, 4), *chosen = array(chosen_count, 4), refused = byte(in) & 3;
  uint64_t most = (uint64_t)below(in, 20), longest = (uint64_t)below(in, one.size + 2);
  for (int64_t n = 0; n < count; n++) {
    uint64_t begin = one.starts[below(in, one.characters + 1)], end = one.starts[below(in, one.characters + 1)];
    elements[3 * n] = byte(in) & 3;
    elements[3 * n + 1] = (uint32_t)(begin < end ? begin : end);
    elements[3 * n + 2] = (uint32_t)(begin < end ? end : begin);
  }
  for (int64_t n = 0; n < chosen_count; n++) chosen[n] = (uint32_t)below(in, count);
  check_letters(&one, one.gone);
  for (int64_t n = 0; n < count; n++) check_left(&one, one.gone, elements[3 * n + 1], elements[3 * n + 2], longest);

  int sound = 1;
  graphlang_fault fault = {0};
  if (how & 1) {
    CHECK(graphlang_boilerplate_left((uint64_t)one.size, one.text, one.gone, 0, (uint64_t)one.size + 1, most, &fault) ==
          GRAPHLANG_OUT_OF_RANGE);
    for (int64_t n = below(in, 4); n > 0 && count; n--) elements[below(in, 3 * count)] = (uint32_t)damaged(in, one.size + 1);
    for (int64_t n = below(in, 3); n > 0 && chosen_count; n--) chosen[below(in, chosen_count)] = (uint32_t)damaged(in, count);
  }
  for (int64_t n = 0; n < chosen_count && sound; n++) {
    const uint32_t *element = chosen[n] < count ? elements + 3 * (uint64_t)chosen[n] : NULL;
    sound = element && element[1] <= element[2] && element[2] <= one.size;
  }
  uint8_t *gone = copy(one.gone, one.size, 1), *taken = array(count, 1);
  uint8_t *expected_gone = copy(one.gone, one.size, 1), *expected_taken = array(count, 1);
  memset(taken, 0, (size_t)count);
  memset(expected_taken, 0, (size_t)count);
  int done = how & 2
               ? graphlang_boilerplate_take((uint64_t)one.size, (uint64_t)count, (uint64_t)chosen_count, elements, chosen,
                                            gone, taken, &fault)
               : graphlang_boilerplate_take_each((uint64_t)one.size, (uint64_t)count, (uint64_t)chosen_count, one.text,
                                                 elements, chosen, refused, most, longest, gone, taken, &fault);
  CHECK(done == (sound ? 0 : GRAPHLANG_OUT_OF_RANGE));
  if (sound && how & 2)
    for (int64_t n = 0; n < chosen_count; n++) {
      const uint32_t *element = elements + 3 * (uint64_t)chosen[n];
      memset(expected_gone + element[1], 1, element[2] - element[1]);
      expected_taken[chosen[n]] = 1;
    }
  else if (sound)
    slowly_take_each(&one, chosen_count, elements, chosen, refused, most, longest, expected_gone, expected_taken);
  CHECK(!memcmp(gone, expected_gone, (size_t)one.size) && !memcmp(taken, expected_taken, (size_t)count));
  check_letters(&one, gone);
}

HARNESS_END
