"""The graph kernels: pure functions over arrays of links and evidence, without a database.

In: `data.Graph` (links) and `data.Evidence` (what each page says for itself). Out: `data.Answer`, the language,
confidence and runner-up of each page. Open `vote` for Hayati's INLINKS, `baselines` for other simple methods of
papers, `propagation/` for the inference, which is the default, and `options` for its weights.
"""
