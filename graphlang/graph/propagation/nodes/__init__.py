"""Node potentials: what each page says for itself, before any neighbour does.

In: evidence. Out: `potentials`, the log-potential of each latent page's candidate languages. `roles` tells clamped
pages from latent ones; there is one file for each factor (`text_likelihood`, `site_prior`, `signals`, `link_order`),
and `active_languages`, `score_table` and `candidates` for which languages are asked about.
"""
