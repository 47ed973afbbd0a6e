"""Content identification: texts or bytes in, a calibrated probability of every label out. Knows no database.

`page_input` prepares pages, a method with the interface of `identifier` answers, and `score_lists` keeps the best
labels of each page. `registry` lists the methods: the default is in `nfc/`, those of the papers in `graphlang.papers`,
other programs in `adapters`, and those of users in `classifier`. `graphlang.training` makes models, `segments/` finds
several languages in one text, `template_lines` finds lines that a site repeats.
"""
