"""Measures of graphs of many nodes: components and diameters, steps from node to node, betweenness.

In: nodes as numbers and links between them as arrays. Out: arrays, or rows one by one. What networkx answers for
small graphs, in numpy for large ones: 100,000 sites, a million pages. Open `ways` for the links, `reach` for the
breadth-first search of 64 nodes at once that `components` and `steps` are made of, and `betweenness`.
"""
