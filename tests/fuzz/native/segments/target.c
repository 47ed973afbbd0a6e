#include "../harness.h"

void fuzz_paths(Input *in);

const Harness harnesses[] = {fuzz_paths};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;
