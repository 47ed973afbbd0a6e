"""The graph kernels in C.

In: arrays of links and evidence. Out: arrays that the caller made. `adjacency.h` is wrapped by ``graph.adjacency``, the
others (`couplings.h`, `degree_cap.h`, `edge_features.h`, `link_order.h`, `log_messages.h`, `message_classes.h`) by
modules of ``graph.propagation``. `checks.h` is what they check of their arrays, `wide.h` how loops over numbers are
compiled; `graphlang.native.kernels` calls them.
"""
