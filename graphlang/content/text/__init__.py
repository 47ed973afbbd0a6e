"""Text as identifiers see it: letters and single spaces (`normalise`), one script (`scripts`), windows of long pages.

In: strings. Out: `normalise.Letters`, a whole batch in one array. Open `windows` for what is looked at of a long page.
"""
