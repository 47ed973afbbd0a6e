"""The first two verbs that one needs: everything at once over files, and single texts.

In: archive files, or texts and URLs. Out: the language map, or a line for each text. Open `run` for the main job,
`identify` for texts without a database.
"""
