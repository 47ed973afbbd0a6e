"""One code system for languages and scripts, and which languages go with which territory."""
