#include "stages.h"

HARNESS_BEGIN

void check_fault(const graphlang_fault *fault) {
  CHECK(fault->array && *fault->array && fault->index >= 0);
  CHECK(fault->value < fault->least || fault->value > fault->most);
}

void fuzz_windows(Input *in);
void fuzz_letters(Input *in);
void fuzz_places(Input *in);
void fuzz_unpack(Input *in);
void fuzz_scores(Input *in);
void fuzz_products(Input *in);

/* Options, then, parted by bytes 255: the lines of the vocabulary, the rows of the text, and the weights. */
static void fuzz_all(Input *in) {
  Input options = section(in, 255), lines = section(in, 255), text = section(in, 255), weights = *in;
  Vocabulary vocabulary = vocabulary_of(&lines, 5 + below(&options, 8));
  int64_t margin = (vocabulary.highest ? vocabulary.highest - 1 : 0) + below(&options, 4);
  Letters letters = letters_of(&options, &text, margin);
  Sums sums;
  tally_of(&options, &letters);
  if (!letters.rows) return;
  Features features = features_of(&vocabulary, &letters);
  if (sums_of(&options, &weights, &vocabulary, &features, letters.rows, &sums))
    answers_of(&options, &letters, &features, &sums);
}

const Harness harnesses[] = {fuzz_all, fuzz_windows, fuzz_letters, fuzz_places, fuzz_scores, fuzz_products, fuzz_all, fuzz_unpack};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;

HARNESS_END
