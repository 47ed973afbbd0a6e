"""Text as identifiers read it: letters and single spaces (`normalise`), one script (`scripts`), windows of long pages.

In: strings. Out: `normalise.Letters`, a whole batch in one array. Open `windows` for the parts of a long page that are
read.
"""
