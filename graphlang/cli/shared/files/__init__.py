"""The files that the user means: archives, texts, lists of URLs, and where a verb may write.

In: paths as click gives them. Out: archives and how they are read (`reading`), texts (`texts_in_files`), URLs and hosts
(`named`), or a refusal to write over what is read (`targets`).
"""
