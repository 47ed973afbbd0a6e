#include "../harness.h"

void fuzz_cut(Input *in);
void fuzz_html(Input *in);

const Harness harnesses[] = {fuzz_html, fuzz_html, fuzz_html, fuzz_html, fuzz_html, fuzz_html, fuzz_html, fuzz_cut};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;
