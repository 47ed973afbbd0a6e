"""The language of a page from its URL alone (Baykan, Henzinger and Weber 2008), before anything is fetched.

In: URLs. Out: probabilities of languages, and yes or no for each. `registry` lists the methods, `identifier` is what
each is to the rest. Open `default/` for the shipped model, `baykan2008/` for the paper's classifiers, `tokens/` for how
a URL is cut, `training/` for how models are made.
"""
