/* What beliefs say through links: finite and not below the doubt for sound tables, and within bounds for any. */
#include "graph.h"
#include KERNEL_GRAPH_LOG_MESSAGES

HARNESS_BEGIN

enum { MOST_LANGUAGES = 20 };

/* Rows that sum to 1, each number above 0. */
static float *distributions(Input *in, int64_t rows, int64_t width) {
  float *found = array(rows * width, 4);
  for (int64_t n = 0; n < rows; n++) {
    float sum = 0;
    for (int64_t i = 0; i < width; i++) sum += found[n * width + i] = (float)(1 + byte(in));
    for (int64_t i = 0; i < width; i++) found[n * width + i] /= sum;
  }
  return found;
}

static int16_t *kept_languages(Input *in, int64_t rows, int64_t kept, int64_t languages) {
  int16_t *slots = array(rows * kept, 2);
  for (int64_t n = 0; n < rows; n++) {
    int64_t first = below(in, languages), step = 1 + below(in, 3);
    for (int64_t i = 0; i < kept; i++) slots[n * kept + i] = (int16_t)((first + i * (languages % step ? step : 1)) % languages);
  }
  return slots;
}

static void fuzz_said(Input *in) {
  uint8_t how = byte(in);
  int64_t languages = 1 + below(in, MOST_LANGUAGES), hosts = 1 + below(in, 3), places = 1 + below(in, 3);
  int64_t unsure = below(in, 4), fixed = languages + unsure, pages = below(in, 4), kept = 1 + below(in, languages), count = below(in, 12), hurt = 0;
  int64_t rows = 1 + below(in, 4);
  float *tables[4], *room = array(GRAPHLANG_MESSAGE_ROOM * languages, 4);
  for (int n = 0; n < 4; n++)
    tables[n] = how & 1 ? floats(in, hosts * languages, 1) : distributions(in, hosts, languages);
  float *prior = how & 1 ? floats(in, places * languages, 1) : distributions(in, places, languages);
  float *belief = how & 1 ? floats(in, unsure * languages, 1) : distributions(in, unsure, languages);
  float *heeded = how & 1 ? floats(in, rows * (kept + 1), 1) : distributions(in, rows, kept + 1);
  int16_t *slots = kept_languages(in, pages, kept, languages);
  int32_t *host = array(count, 4), *speaker = array(count, 4), *place = array(count, 4), *at = array(count, 4);
  float *bond = floats(in, count, how & 1), *messages = array(count * (languages + 1), 4);
  for (int64_t n = 0; n < count; n++) {
    int64_t (*number)(Input *, int64_t) = how & 2 ? damaged : below;
    host[n] = (int32_t)number(in, hosts);
    speaker[n] = (int32_t)number(in, fixed + pages);
    place[n] = (int32_t)number(in, places);
    at[n] = (int32_t)number(in, rows);
    hurt |= host[n] < 0 || host[n] >= hosts || place[n] < 0 || place[n] >= places || speaker[n] < 0 ||
            speaker[n] >= fixed + pages || (speaker[n] >= fixed && (at[n] < 0 || at[n] >= rows));
  }
  graphlang_fault fault;
  for (int64_t n = below(in, 4); n > 0 && how & 8 && pages; n--) slots[below(in, pages * kept)] = (int16_t)damaged(in, languages);
  int done = graphlang_messages((uint64_t)languages, (uint64_t)hosts, (uint64_t)places, (uint64_t)unsure, (uint64_t)pages,
                                (uint64_t)kept, (uint64_t)rows, (uint64_t)count, tables[0], tables[1], tables[2],
                                tables[3], prior, belief, slots, 0.02f, 0.98f, how & 4, host, bond, speaker, place,
                                heeded, at, room, messages, &fault);
  CHECK(!hurt || done < 0);
  if (how & 8) return;
  CHECK(hurt || how & 1 || done == 1);
  if (hurt || how & 1) return;
  for (int64_t n = 0; n < count * (languages + 1); n++) CHECK(isfinite(messages[n]));
}

static void fuzz_heard(Input *in) {
  uint8_t how = byte(in);
  int64_t languages = 1 + below(in, MOST_LANGUAGES), kept = 1 + below(in, languages), receivers = 1 + below(in, 6) * (byte(in) & 1 ? 1 : 50);
  int64_t voices = 1 + below(in, 6), entries = 0, count = below(in, 10), hurt = 0;
  int64_t *start = array(voices + 1, 8), *numbers = array(count, 8);
  for (int64_t n = 0; n < voices; n++) {
    start[n] = entries;
    entries += below(in, 5);
  }
  start[voices] = entries;
  int32_t *receiver = numbers32(in, entries, receivers);
  float *share = floats(in, entries, how & 1), *messages = floats(in, count * (languages + 1), how & 1);
  int16_t *slots = kept_languages(in, receivers, kept, languages);
  double *total = array(receivers * (kept + 1), 8), *expected = array(receivers * (kept + 1), 8);
  uint8_t *touched = array(receivers, 1);
  memset(total, 0, (size_t)(receivers * (kept + 1)) * 8);
  memset(expected, 0, (size_t)(receivers * (kept + 1)) * 8);
  memset(touched, 0, (size_t)receivers);
  for (int64_t n = 0; n < count; n++) {
    numbers[n] = how & 2 ? damaged(in, voices) : below(in, voices);
    hurt |= numbers[n] < 0 || numbers[n] >= voices;
  }
  if (how & 2) {
    damage64(in, start, voices + 1, entries);
    damage32(in, receiver, entries, receivers);
  }
  if (kept == languages) /* all languages are kept in their order then */
    for (int64_t n = 0; n < receivers * kept; n++) slots[n] = (int16_t)(n % kept);
  if (how & 4)
    for (int64_t n = below(in, 4); n > 0; n--) slots[below(in, receivers * kept)] = (int16_t)damaged(in, languages);
  graphlang_fault fault;
  uint32_t stripes = 1 + (uint32_t)below(in, 3);
  int done = 1;
  for (uint32_t stripe = 0; stripe < stripes && done == 1; stripe++)
    done = graphlang_accumulate((uint64_t)languages, (uint64_t)kept, (uint64_t)receivers, (uint64_t)voices,
                                (uint64_t)entries, (uint64_t)count, stripe, stripes, start, receiver, share, slots,
                                numbers, messages, total, touched, &fault);
  CHECK(!hurt || done < 0);
  if (how & 7) return;
  CHECK(done == 1);
  for (int64_t n = 0; n < count; n++)
    for (int64_t at = start[numbers[n]]; at < start[numbers[n] + 1]; at++)
      for (int64_t i = 0; i <= kept; i++) {
        int64_t language = i < kept ? slots[receiver[at] * kept + i] : languages;
        expected[receiver[at] * (kept + 1) + i] += (double)share[at] * (double)messages[n * (languages + 1) + language];
      }
  for (int64_t n = 0; n < receivers * (kept + 1); n++) CHECK(fabs(total[n] - expected[n]) < 1e-9);
}

void fuzz_log_messages(Input *in) {
  if (byte(in) & 1)
    fuzz_said(in);
  else
    fuzz_heard(in);
}

HARNESS_END
