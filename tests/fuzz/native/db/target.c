#include "../harness.h"

void fuzz_ids(Input *in);
void fuzz_rows(Input *in);

const Harness harnesses[] = {fuzz_ids, fuzz_rows};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;
