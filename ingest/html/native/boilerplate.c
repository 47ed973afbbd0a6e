#include "boilerplate.h"

#include "left.h"

static int check_chosen(uint64_t size, uint64_t count, uint64_t chosen_count, const uint32_t *elements,
                        const uint32_t *chosen, graphlang_fault *fault) {
  for (uint64_t n = 0; n < chosen_count; n++) {
    if (chosen[n] >= count) return GRAPHLANG_REFUSE(fault, "chosen", n, chosen[n], 0, (int64_t)count - 1);
    uint64_t at = 3 * (uint64_t)chosen[n];
    if (elements[at + 2] > size) return GRAPHLANG_REFUSE(fault, "elements", at + 2, elements[at + 2], 0, size);
    if (elements[at + 1] > elements[at + 2])
      return GRAPHLANG_REFUSE(fault, "elements", at + 1, elements[at + 1], 0, elements[at + 2]);
  }
  return 0;
}

static void take(const uint32_t *elements, uint32_t chosen, uint8_t *gone, uint8_t *taken) {
  const uint32_t *element = elements + 3 * (uint64_t)chosen;
  memset(gone + element[1], 1, element[2] - element[1]);
  taken[chosen] = 1;
}

uint64_t graphlang_boilerplate_letters(uint64_t size, const uint8_t *text, const uint8_t *gone) {
  return letters_left(text, gone, size);
}

int64_t graphlang_boilerplate_left(uint64_t size, const uint8_t *text, const uint8_t *gone, uint64_t begin, uint64_t end,
                                   uint64_t most, graphlang_fault *fault) {
  if (end > size) return GRAPHLANG_REFUSE(fault, "end", 0, end, 0, size);
  return (int64_t)characters_left(text, gone, begin, end, most);
}

int graphlang_boilerplate_take(uint64_t size, uint64_t count, uint64_t chosen_count, const uint32_t *elements,
                               const uint32_t *chosen, uint8_t *gone, uint8_t *taken, graphlang_fault *fault) {
  int wrong = check_chosen(size, count, chosen_count, elements, chosen, fault);
  if (wrong) return wrong;
  for (uint64_t n = 0; n < chosen_count; n++) take(elements, chosen[n], gone, taken);
  return 0;
}

int graphlang_boilerplate_take_each(uint64_t size, uint64_t count, uint64_t chosen_count, const uint8_t *text,
                                    const uint32_t *elements, const uint32_t *chosen, uint32_t refused, uint64_t most,
                                    uint64_t longest, uint8_t *gone, uint8_t *taken, graphlang_fault *fault) {
  int wrong = check_chosen(size, count, chosen_count, elements, chosen, fault);
  if (wrong) return wrong;
  uint64_t number = 0;
  for (uint64_t n = 0; n < chosen_count; n++) {
    const uint32_t *element = elements + 3 * (uint64_t)chosen[n];
    uint64_t characters = characters_left(text, gone, element[1], element[2], longest);
    if (!characters) continue;
    if (element[0] & refused || number == most || characters > longest) break;
    take(elements, chosen[n], gone, taken);
    number++;
  }
  return 0;
}
