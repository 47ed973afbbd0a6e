"""Language maps: how many pages of each language a site, domain, suffix or country domain has.

In: a collection and a `selection` of its pages. Out: rows. Open `sites` for the map, `languages` or `pages` for those
lists, `by_site` for one row a site, `web_graph` for pages or sites with their links, `language_graph` and `site_graph`
for links between languages (`measures/` has what is measured of them), `poisson_binomial` for
intervals, `problems` for what could not be read.
"""
