"""Language maps: how many pages of each language a site, domain, suffix or country domain has."""
