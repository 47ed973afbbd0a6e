"""The inference over the link graph: node potentials times messages of the neighbours, in rounds, until beliefs rest.

In: a graph and evidence. Out: answers and traces. `inference` has the equation and calls the stages in their order;
open `options` for weights and limits, `nodes/` for what a page says for itself, `edges/` for how links keep languages,
`learned` for what is common to many pages, `messages`, `shared_messages` and `rounds` for how beliefs travel, `trace`
for reasons.
"""
