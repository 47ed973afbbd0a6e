"""The methods of the papers as they were published, one file each; those that read bytes are in `bytes/`.

In: texts, or marked parts of pages. Out: probabilities of labels. Open `nfc` for Hayati's NFC, `rank_order` for Cavnar
and Trenkle's method and `textcat` for its descendant (both by `out_of_place`), `martins_silva` and its `stock_phrases`,
`declared` for what pages say of themselves.
"""
