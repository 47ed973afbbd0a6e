"""Language maps: how many pages of each language a site, domain, suffix or country domain has.

In: a collection and a `selection` of its pages. Out: rows. Open `sites` for the map, `languages` or `pages` for those
lists, `by_site` for one row a site, `graphs/` for links, `poisson_binomial` for intervals, `problems` for what could
not be read.
"""
