"""The largest weight, and the limits of the vote; importing them loads no arrays."""

LARGEST = 100.0  #: largest weight
MIN_LENGTH = 50  #: pages with more characters keep the answer of their text; the paper measures below 25 and below 50
MIN_REF_LENGTH = 150  #: least number of characters of a voter, from the paper
MAX_INLINKS = 10  #: from the paper
