#include "../harness.h"

void fuzz_adjacency(Input *in);
void fuzz_belief_steps(Input *in);
void fuzz_couplings(Input *in);
void fuzz_degree_cap(Input *in);
void fuzz_edge_features(Input *in);
void fuzz_language_tables(Input *in);
void fuzz_link_order(Input *in);
void fuzz_log_messages(Input *in);
void fuzz_message_classes(Input *in);

const Harness harnesses[] = {fuzz_adjacency,  fuzz_link_order,  fuzz_log_messages,
                             fuzz_edge_features, fuzz_degree_cap, fuzz_message_classes,
                             fuzz_language_tables, fuzz_belief_steps, fuzz_couplings};
const size_t harness_count = sizeof harnesses / sizeof *harnesses;
