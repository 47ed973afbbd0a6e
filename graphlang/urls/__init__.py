"""The language of a page from its URL alone (Baykan, Henzinger and Weber 2008), before anything is fetched.

In: URLs. Out: probabilities of languages, and yes or no for each. `url_methods` lists the methods and loads one.
`url_model` is the shipped model with its `url_features`; `tokens` cuts URLs that `readable_text` has decoded;
`labelled_urls` reads URLs of known language and measures a method on them. The other methods are in
``graphlang.papers``, training is in ``graphlang.training``.
"""
