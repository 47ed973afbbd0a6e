"""Kernels over texts: `letters.h`, `ngrams.h`, `scores.h`, `tally.h`; see `graphlang.native` on how they are called."""
