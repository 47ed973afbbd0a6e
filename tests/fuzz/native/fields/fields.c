/* Header fields of any bytes, and records that hold an answer.

   Input: a byte of options, then up to a byte 2 the names that are wanted, of which a byte 1 parts one from the next, then
   the block. Of answers: the room and the bound of a header, then up to a byte 2 the record header, then the block. Of
   members: the room, the bounds of header and block, then the member. */
#include "../harness.h"
#include KERNEL_FIELDS

HARNESS_BEGIN

static void fuzz_read(Input *in) {
  Input names = section(in, 2);
  uint64_t wanted_size = (uint64_t)left(&names), size = (uint64_t)left(in);
  uint8_t *wanted = copy(names.at, left(&names), 1), *block = copy(in->at, left(in), 1);
  for (uint64_t n = 0; n < wanted_size; n++)
    if (wanted[n] == 1) wanted[n] = 0;
  uint8_t *all = array(2 * (int64_t)size + 2, 1), *some = array(2 * (int64_t)size + 2, 1);
  int64_t written = graphlang_fields_read(size, 0, block, wanted, all);
  int64_t fewer = graphlang_fields_read(size, wanted_size, block, wanted, some);
  CHECK((written == GRAPHLANG_FIELDS_LEFT) == (fewer == GRAPHLANG_FIELDS_LEFT));
  if (written == GRAPHLANG_FIELDS_LEFT) return;
  CHECK(written >= 0 && (uint64_t)written <= 2 * size + 2 && fewer >= 0 && fewer <= written);
  int64_t zeros = 0;
  for (int64_t n = 0; n < written; n++) {
    CHECK(all[n] < 0x80 && all[n] != '\n');
    if (zeros % 2 == 0) CHECK(all[n] != ' ' && !(all[n] >= 'A' && all[n] <= 'Z')); /* a name */
    zeros += !all[n];
  }
  CHECK(zeros % 2 == 0 && (!written || !all[written - 1]));
}

static void fuzz_answer(Input *in) {
  uint64_t room = (uint64_t)below(in, 1 << 11), longest = (uint64_t)below(in, 1 << 11);
  Input header = section(in, 2);
  uint64_t head_size = (uint64_t)left(&header), size = (uint64_t)left(in);
  uint8_t *head = copy(header.at, left(&header), 1), *block = copy(in->at, left(in), 1), *parts = array((int64_t)room, 1);
  int64_t places[2] = {-1, -1}, zeros = 0;
  int64_t written = graphlang_fields_answer(head_size, size, room, head, block, longest, parts, places);
  if (written == GRAPHLANG_FIELDS_LEFT) return;
  CHECK(written >= GRAPHLANG_FIELDS_PARTS && (uint64_t)written <= room && !parts[written - 1]);
  for (int64_t n = 0; n < written; n++) {
    CHECK(parts[n] < 0x80 && parts[n] != '\n');
    zeros += !parts[n];
  }
  CHECK(zeros == GRAPHLANG_FIELDS_PARTS);
  CHECK(places[0] >= 1 && places[0] <= 999 && (places[0] < 100 || places[0] >= 200));
  CHECK(places[1] > 0 && (uint64_t)places[1] <= size && (uint64_t)places[1] <= longest && block[places[1] - 1] == '\n');
}

static void fuzz_member(Input *in) {
  uint64_t room = (uint64_t)below(in, 1 << 11), longest = (uint64_t)below(in, 1 << 11), largest = (uint64_t)below(in, 1 << 11);
  uint64_t size = (uint64_t)left(in);
  uint8_t *member = copy(in->at, left(in), 1), *parts = array((int64_t)room, 1), *again = array((int64_t)room, 1);
  int64_t places[4] = {-1, -1, -1, -1}, of_answer[2] = {0, 0};
  int64_t written = graphlang_fields_member(size, room, member, longest, largest, parts, places);
  if (written == GRAPHLANG_FIELDS_LEFT) return;
  uint64_t head = (uint64_t)places[0], end = (uint64_t)places[1];
  CHECK(written >= 0 && (uint64_t)written <= room && head >= 7 && head <= longest && member[head - 1] == '\n');
  CHECK(end >= head && end <= size && end - head <= largest);
  for (uint64_t n = end; n < size; n++) CHECK(member[n] == '\r' || member[n] == '\n');
  int64_t alone = graphlang_fields_answer(head, end - head, room, member, member + head, longest, again, of_answer);
  CHECK(written == (alone == GRAPHLANG_FIELDS_LEFT ? 0 : alone) && !memcmp(parts, again, (size_t)written));
  if (written) CHECK(places[2] == of_answer[0] && places[3] == of_answer[1]);
}

const Harness harnesses[] = {fuzz_read, fuzz_answer, fuzz_answer, fuzz_member, fuzz_member};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;

HARNESS_END
