"""A collection as an object: the library's door, in which a verb of the command line is a method of the same name.

In: the path of a database. Out: a `collection.Collection`, whose methods give runs and lazy rows. Open `ingesting`,
`inferring`, `correcting`, `listing`, `judging` or `publishing` for the verbs of that kind, `opened_file` for how a
method opens the file, `weights` for how ``propagate`` takes its weights.
"""
