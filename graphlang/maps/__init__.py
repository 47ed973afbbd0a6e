"""Language maps: how many pages of each language a site, domain, suffix or country domain has.

In: a collection and a `selection` of its pages. Out: rows. Open `sites` for the map; `languages`, `pages`, `facts`,
`review` for these lists; `changes` for two runs or years; `web_graph`, `site_graph`, `language_graph` for links;
`graph_measures` for components, diameters and betweenness; `page_counts` for intervals.
"""
