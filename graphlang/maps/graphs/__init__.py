"""Graphs of a collection: pages or sites with their links, and the links between languages.

In: a collection and a selection of its pages. Out: nodes and edges. `web_graph` has pages, hosts or domains,
`language_graph` the links between languages, `site_graph` those between sites of each language; `measures/` has what is
measured of them.
"""
