"""The methods of papers as published, a module for each; a module is imported when its method is used.

In: texts, bytes or URLs. Out: probabilities of labels. Hayati 2004 has `nfc_2004` and, after Cavnar and Trenkle,
`rank_order`; ClueWeb09 `textcat`; Martins and Silva 2005 `martins_silva`; Chew et al. 2011 `byte_trigrams`; Zavarsky et
al. 2005 `quadgrams`; Baykan et al. 2008 `baykan2008`. ``graphlang.content.registry`` and ``graphlang.urls.url_methods``
list them by name.
"""
