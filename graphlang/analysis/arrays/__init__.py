"""From the database to the arrays that the graph kernels take, and back.

In: a collection and a finished content run. Out: graph and evidence (`graph_input`, with the evidence of `signals`),
and from a kernel's answer a run (`graph_output`). `replay` computes an earlier inference again for some pages,
`digests` names what a run read. Open `graph_input` for what the graph sees of a page, `signals` for evidence besides
text and links.
"""
