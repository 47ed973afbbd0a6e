"""One code system for languages and scripts, and which languages go with which territory.

In: codes, tags and names of languages in any convention, or a country-code domain. Out: ISO 639-3 and ISO 15924 codes,
or languages with their shares of speakers. Open `languages` for how a name becomes a code, `territories` for countries.
"""
