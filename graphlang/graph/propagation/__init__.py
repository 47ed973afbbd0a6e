"""The inference over the link graph: node potentials times messages of the neighbours, in rounds, until beliefs rest.

In: a graph and evidence. Out: answers and traces. `inference` has the equation and calls the stages in their order:
`options`; `candidates` (which languages), `roles` (which pages are clamped); `learned` (what is common to many pages);
`potentials` with its factors `text_likelihood`, `site_prior`, `link_order` and `reliability` (of signals);
`compatibility` of links with `edge_features`, `link_regressions` and `group_tables`; `message_weights`; `messages`,
`rounds` and `trace`.
"""
