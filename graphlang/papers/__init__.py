"""The methods of the papers as they were published, one module a method; each is loaded when it is asked for.

In: texts, bytes or URLs. Out: probabilities of labels. `graphlang.content.registry` and `graphlang.urls.url_methods`
list them by name; a module's first lines cite the paper and say what it leaves open.
"""
