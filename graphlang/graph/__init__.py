"""The graph kernels: pure functions over arrays of links and evidence, without a database.

In: `data.Graph` (links) and `data.Evidence` (what each page says for itself). Out: `data.Answer`, the language,
confidence and runner-up of each page. Open `vote` for Hayati's INLINKS, `tld_majority` for TOP-LEVEL DOMAIN,
`clueweb09` for the rule of ClueWeb09's crawler, `label_spreading` for Zhou et al. 2004, and `propagation/` for the
inference, which is the default.
"""
