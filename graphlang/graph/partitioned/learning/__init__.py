"""What is common to all partitions, learned from counts and samples that do not depend on how these are cut.

In: each partition. Out: what is counted (`survey`), what the order of links says (`order`), which links are drawn
(`observe`), and what all are told (`learn`).
"""
