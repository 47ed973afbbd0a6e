"""Inference over the link graph: belief propagation from node potentials, in rounds until no belief changes.

Input: a graph and evidence. Output: answers and traces. `inference` has the equation and calls the stages in order:
`candidates` (languages of a page); `roles` (clamped and latent pages); `learned` (what many pages share);
`potentials` with its factors `likelihoods` (of text and signals), `site_prior` and `link_order`;
`compatibility` of links with `edge_features`, `link_regressions` and `group_tables`; `message_weights`; `messages`
and `rounds`.
"""
