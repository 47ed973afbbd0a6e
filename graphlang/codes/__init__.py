"""One code system for languages and scripts, and the languages of each territory.

In: codes, tags and names of languages in any convention, or a country-code domain. Out: ISO 639-3 and ISO 15924 codes,
or languages with their shares of speakers. Open `languages` for the code of a name, `territories` for countries.
"""
