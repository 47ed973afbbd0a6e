"""What every table, view and column is for; a test holds this against the schema, and ``SCHEMA.md`` is made from it."""

from __future__ import annotations

from typing import Final, NamedTuple


class Table(NamedTuple):
    """What a table or view is for, and its columns' meanings."""

    purpose: str
    columns: dict[str, str]


# Of several views.
_PAGE_AND_LANGUAGE: Final = {
    "page": "The page.",
    "url": "Its URL.",
    "host": "Its host.",
    "domain": "Its registered domain.",
    "suffix": "Its public suffix.",
    "tld": "Its top-level domain.",
    "language": "ISO 639-3 code; `und` where nothing could be told, `zxx` without linguistic content.",
    "script": "ISO 15924 code.",
}
_CONFIDENCE: Final = {
    "confidence": "Probability that the language is right; 1 where somebody corrected it.",
    "runner_up": "Second best language.",
    "runner_up_confidence": "Its probability.",
}
_CAPTURE: Final = {
    "status": "HTTP status.",
    "mime": "Media type.",
    "charset": "Charset.",
    "charset_from": "What named the charset, see `captures`.",
    "date": "Capture time.",
    "length": "Characters of the visible text.",
    "characters": "Letters that the content method looked at.",
    "encoding": "Encoding that a method over bytes found.",
}

TABLES: dict[str, Table] = {
    "sources": Table(
        "The files that were read into the collection, and how far.",
        {
            "id": "Number of the file, in the order in which files were first read.",
            "name": "The file's name as it was given; `-` for standard input.",
            "sha256": "SHA-256 of the file's bytes: the same bytes are read once, whatever their name. Of a folder that"
            " was mirrored: of the paths and bytes of its files.",
            "bytes": "Size of the file.",
            "position": "Raw records taken so far: reading goes on at this one after a stop.",
            "finished": "1 when the whole file was read.",
            "keep": "Which of several captures of a URL was kept while this file was read: `best`, `first`, `last`,"
            " `longest`; or `all`: the best one as the page's own capture, the others in `history`.",
            "options": "Options of the reading as JSON: how much of a page was read. NULL: not known.",
            "readings": "How often the file was read, or begun: 1, and one more each time that it was read again.",
            "lacks": "What the version that read the file did not see, and only another reading brings:"
            " `link positions`, `main content`, `paragraphs`; empty: nothing.",
        },
    ),
    "hosts": Table(
        "The hosts of all pages, with what the public suffix list says of them.",
        {
            "id": "Number of the host.",
            "host": "Host of the URL, lower case; an internationalised name in its ASCII form (punycode).",
            "domain": "Registered domain (one label more than the public suffix); the host itself where there is none.",
            "suffix": "Public suffix, e.g. `co.uk`; empty for IP addresses.",
            "tld": "Top-level domain: what stands after the last dot; empty for IP addresses.",
        },
    ),
    "pages": Table(
        "Every URL of the collection: read from a file, or only linked to. Ids are given from 1 on, each once; gaps are"
        " pages that were removed.",
        {
            "id": "Number of the page; id - 1 is its row in every matrix.",
            "url": "Canonical target URI (WHATWG form, no fragment). Unique.",
            "host": "The host, in `hosts`.",
        },
    ),
    "captures": Table(
        "What was read of a page: its own capture (the newest with status 200, unless told otherwise); no row: never"
        " fetched. Others are in `history`.",
        {
            "page": "The page.",
            "source": "The file that holds the capture.",
            "offset": "Byte offset of the record in that file.",
            "date": "Capture time, ISO 8601 in UTC, as precise as it was written; of a day that no calendar has the"
            " month; empty where there is none.",
            "status": "HTTP status; NULL where the record holds no HTTP header.",
            "mime": "Media type as served, lower case, without parameters.",
            "charset": "Charset by which the bytes were decoded (WHATWG name); NULL without text.",
            "charset_from": "What named the charset: `bom`, `http`, `xml`, `meta`, `utf-8` (valid), `detector`,"
            " `default`; then the declarations that the bytes belie: `utf-8, not http`, `detector, not http or meta`;"
            " then that the text was encoded twice, or more often, and is kept as it was meant: `http, encoded twice`,"
            " `meta, encoded 3 times`.",
            "length": "Characters of the visible text, before it was cut at the limit.",
            "size": "Bytes of the decoded payload.",
            "digest": "Digest of the payload, as WARC-Payload-Digest states it, else worked out: SHA-1 in base 32; of"
            " another algorithm its name, a colon and hexadecimal digits (`sha256:ab...`). Empty: not known.",
            "revisit_of": "For a WARC revisit record: the target URI that it refers to.",
            "captures": "How many captures of this URL were read in all.",
            "revisit_date": "For a revisit record: the date of the capture that it refers to, where it is given.",
            "original": "For a revisit record: the page whose capture has the same content. Its text is copied.",
            "parts": "What was read of it: `both`, `text` (as from WET), `links` (as from WAT), or these two `joined`.",
            "reading": "Which reading of the file it comes from, see `sources.readings`.",
        },
    ),
    "texts": Table(
        "Visible text of the pages that have any.",
        {
            "page": "The page.",
            "title": "Text of the title element.",
            "text": "Visible text: its first 10,000 characters, or fewer if the limit of the ingest is lower. White"
            " space is folded: a line feed where a line or paragraph ends, else a space. The main content stands first."
            " In collections that earlier versions read there are no line feeds.",
            "main": "Characters of `text` and `rest` that are main content; navigation, banners and the like follow.",
            "rest": "What follows `text`, up to the limit of the ingest (`--text-limit`): UTF-8, deflated (a zlib"
            " stream, RFC 1950); NULL where nothing does.",
        },
    ),
    "visible_bytes": Table(
        "Visible bytes of pages, not decoded: of those whose charset is in doubt, or of all (`--bytes`).",
        {
            "page": "The page.",
            "bytes": "Its bytes without markup, character references as UTF-8, white space folded, cut at the limit.",
        },
    ),
    "declarations": Table(
        "Languages that pages declare for themselves: evidence, never believed blindly.",
        {
            "page": "The page.",
            "source": "`html-lang`, `xml-lang`, `meta-content-language`, `http-content-language`; or `robots`.",
            "value": "As written.",
        },
    ),
    "link_kinds": Table(
        "The kinds of links; where a page links to a target in several ways, the kind with the lowest id is kept.",
        {"id": "Number of the kind.", "name": "Its name."},
    ),
    "links": Table(
        "Which page refers to which, once for each pair, never to itself.",
        {
            "source": "The page that holds the link.",
            "target": "The page that it leads to.",
            "kind": "How it refers, in `link_kinds`.",
            "nofollow": "1 where the link, the page or its server says nofollow.",
            "hreflang": "Language that the link announces for its target, as written; NULL without.",
            "place": "Its place among the links of its page, from 0: plain anchors in their order, behind all other"
            " links; NULL where that is not known.",
        },
    ),
    "anchor_texts": Table(
        "Words of links: evidence for the pages that they lead to. Only if they were asked for (`--anchor-texts`).",
        {
            "target": "The page that the link leads to.",
            "source": "The page that holds it.",
            "text": "Its words, white space folded, at most 200 characters.",
        },
    ),
    "history": Table(
        "Captures of pages besides their own (`--keep all`), one row for each date and payload. The same content is"
        " kept once: of each payload that is not that of the page's own capture one row is whole. Words of links and"
        " bytes that were not decoded are not kept of these captures.",
        {
            "id": "Number of the capture, in the order in which captures were read or gave way to another.",
            "page": "The page.",
            "source": "The file that holds the capture.",
            "offset": "Byte offset of the record in that file.",
            "date": "Capture time, as in `captures`.",
            "status": "HTTP status; NULL where the record holds no HTTP header.",
            "mime": "Media type as served; empty where a revisit record does not repeat it.",
            "charset": "Charset by which the bytes were decoded; NULL without text, and for revisit records.",
            "charset_from": "What named the charset, see `captures`.",
            "length": "Characters of the visible text, before it was cut; 0 for revisit records.",
            "size": "Bytes of the decoded payload; 0 for revisit records.",
            "digest": "Digest of the payload, as in `captures`.",
            "parts": "What was read of it, see `captures`. Parts that are no part of the page's own capture are not"
            " joined.",
            "reading": "Which reading of the file brought it, see `sources`.",
            "whole": "1 where the row holds the content itself; 0 where it is that of the page's own capture, or of the"
            " whole row of this page, with the same digest. Of a revisit record there may be neither.",
            "title": "Text of the title element; NULL where the row is not whole.",
            "text": "Visible text, see `texts`; NULL where the row is not whole.",
            "main": "Characters of `text` and `rest` that are main content; NULL where the row is not whole.",
            "run": "The run of its time that answered for it; NULL where there is none.",
            "rest": "What follows `text`, see `texts`; NULL where nothing does.",
        },
    ),
    "history_links": Table(
        "Links of the whole rows of `history`, as in `links`.",
        {
            "capture": "The capture, in `history`.",
            "target": "The page that the link leads to.",
            "kind": "How it refers, in `link_kinds`.",
            "nofollow": "1 where the link, the page or its server says nofollow.",
            "hreflang": "Language that the link announces for its target; NULL without.",
            "place": "Its place among the links of its page, as in `links`.",
        },
    ),
    "history_declarations": Table(
        "Languages that the whole rows of `history` declare, as in `declarations`.",
        {
            "capture": "The capture, in `history`.",
            "source": "As in `declarations`.",
            "value": "As written.",
        },
    ),
    "history_captures": Table(
        "View: the rows of `history` whose content is there, with what the capture says that holds it.",
        {
            "id": "The capture, in `history`.",
            "page": "The page.",
            "source": "The file that holds the capture.",
            "offset": "Byte offset of the record in that file.",
            "date": "Capture time.",
            "status": "HTTP status; that of the content where a revisit says that it was not modified.",
            "mime": "Media type.",
            "charset": "Charset.",
            "charset_from": "What named the charset.",
            "length": "Characters of the visible text.",
            "size": "Bytes of the decoded payload.",
            "digest": "Digest of the payload, as in `captures`.",
            "parts": "What was read of it.",
            "content": "The row of `history` that holds the content; NULL: the page's own capture holds it.",
            "run": "The run of its time that answered for it.",
        },
    ),
    "problems": Table(
        "Every record, or part of a file, that could not be read as it should.",
        {
            "id": "Number of the problem.",
            "source": "The file.",
            "offset": "Byte offset in the file, where known.",
            "url": "Target URI as far as it could be read.",
            "kind": "One word, for counting.",
            "reason": "What was wrong, in words.",
        },
    ),
    "removed": Table(
        "What `graphlang remove` took out, so that no later reading brings it back: only digests, from which nothing"
        " can be read, though whoever guesses a URL can see whether it is among them.",
        {
            "digest": "SHA-256 of the kind, a colon and the URL in canonical form, or the host; hexadecimal.",
            "kind": "`url` or `host`.",
            "since": "When it was removed, ISO 8601 in UTC.",
        },
    ),
    "corrections": Table(
        "Languages of pages as somebody found them who looked (`graphlang correct`, `graphlang review`). Of a page the"
        " last one that was not undone is in force. Nothing but `graphlang remove` deletes one.",
        {
            "id": "Number of the correction, in their order.",
            "url": "Canonical URL of the page, which need not be in `pages` (yet).",
            "label": "The language, in `labels`.",
            "corrected_by": "Who says so.",
            "note": "Why, in their words; may be empty.",
            "corrected": "When, ISO 8601 in UTC.",
            "former": "What `page_languages` said before, in `labels`; NULL where it said nothing.",
            "former_confidence": "How sure that was; NULL where it said nothing.",
            "undone": "When it was undone; NULL while it stands.",
            "undone_by": "Who undid it, where that was said.",
        },
    ),
    "labels": Table(
        "The labels that runs and corrections have given.",
        {
            "id": "Number of the label.",
            "label": "Language, with the script where the language has several: `eng`, `srp_Cyrl`; `und` and `zxx`.",
            "language": "ISO 639-3 code; `und` could not tell, `zxx` no linguistic content.",
            "script": "ISO 15924 code; NULL for `und` and `zxx`.",
        },
    ),
    "runs": Table(
        "Every computation of languages, with all that is needed to repeat it.",
        {
            "id": "Number of the run; never given out twice.",
            "kind": "`content`, `url`, `vote` or `propagation`.",
            "method": "Name of the method, as on the command line.",
            "model": "Name of the model, where there is one.",
            "model_hash": "SHA-256 of the model, where there is one.",
            "parameters": "All parameters, as a JSON object.",
            "seeds": "Runs whose answers this one started from, as a JSON array of ids.",
            "collection": "State of the collection that the run saw: a digest of how far each source was read; where it"
            " started from another run also one of the corrections in force, if there were any; `growing` while it"
            " answers for pages as they are read. Of a run that was chosen again because all that it reads was the same"
            " later: that later state.",
            "version": "Version of graphlang.",
            "started": "Start, ISO 8601 in UTC.",
            "finished": "End, ISO 8601 in UTC; NULL while it runs, or when it was stopped.",
            "pages": "Pages that were answered.",
            "rounds": "Rounds of a propagation.",
            "converged": "1 if the propagation ended because nothing moved any more, 0 if at the cap on rounds.",
            "inputs": "Digest of all that a propagation read: where it is the same, so are the answers; else NULL.",
            "owner": "Who is writing the run (machine, process, its start, a random number); NULL once it is finished.",
            "linked": "Of a vote or propagation, whether URLs that were only linked to have their answers yet: 0 while"
            " only the first 2,048 pages have, or as many as a list was read, 1 when all are in `linked_answers`; NULL"
            " where all answers are in `predictions`.",
        },
    ),
    "predictions": Table(
        "The answer of a run for a page. Nothing is overwritten: each run has its own.",
        {
            "run": "The run.",
            "page": "The page.",
            "label": "The answer, in `labels`.",
            "confidence": "Probability that the answer is right, 0 to 1.",
            "runner_up": "The second best, in `labels`; NULL where there is none.",
            "runner_up_confidence": "Its probability.",
            "characters": "Letters and single spaces between words in the text (at most its first 2,000 characters).",
            "encoding": "Encoding that a method over bytes found; NULL from methods over text.",
            "read": "Digest of what a content or URL method read of the page: where it is the same, a later run with"
            " the same method takes the answer over. NULL elsewhere.",
        },
    ),
    "linked_answers": Table(
        "The answers of a vote or propagation for URLs that were only linked to, eight bytes each; the views"
        " `linked_predictions` and `page_languages` spell them out.",
        {
            "run": "The run.",
            "block": "Which pages: those with the ids from 64 * block + 1 to 64 * block + 64.",
            "cells": "Eight bytes for each of them: the number of the label, the confidence times 10,000, and the same"
            " of the runner-up; each as two digits of base 127 plus 1. Zeros stand for none.",
        },
    ),
    "scores": Table(
        "The best few labels of a page in a run, because the graph needs more than the best.",
        {
            "run": "The run.",
            "page": "The page.",
            "rank": "1 for the best.",
            "label": "The label, in `labels`.",
            "score": "Its probability.",
        },
    ),
    "page_shares": Table(
        "Pages in several languages: the part of the letters that each has, by a content run that was asked for shares."
        " A page of which nothing stands here is in one language, the run's answer. What was looked at are stretches"
        " from all over the text that the method reads of the page; at most five languages, none with less than 3 %.",
        {
            "run": "The content run.",
            "page": "The page.",
            "rank": "1 for the greatest share.",
            "label": "The language, and script, in `labels`.",
            "share": "Its part of the letters, 0 to 1.",
        },
    ),
    "chosen": Table(
        "The run that the views show as final.",
        {"id": "Always 1.", "run": "The run."},
    ),
    "linked_predictions": Table(
        "View: the answers for URLs that were only linked to, with the columns of `predictions`, of runs that have"
        " been asked for all of them.",
        {
            "run": "The run.",
            "page": "The page.",
            "label": "The answer, in `labels`.",
            "confidence": "Probability that the answer is right, to four digits.",
            "runner_up": "The second best, in `labels`; NULL where there is none.",
            "runner_up_confidence": "Its probability.",
        },
    ),
    "page_languages": Table(
        "View: one row a page, with the language by the chosen run, or by the correction that is in force.",
        {
            **_PAGE_AND_LANGUAGE,
            **_CONFIDENCE,
            "method": "Method of the chosen run; `correction` where somebody corrected it.",
            "run": "The chosen run.",
            "fetched": "1 if a capture was read, 0 if the page was only linked to.",
            **_CAPTURE,
            "pending": "1 where the URL was only linked to and the chosen run has not been asked for all of these yet:"
            " `und` may mean that nobody has asked for this one. Any verb that lists them (`pages`, `sites`,"
            " `frontier`, ...) asks.",
        },
    ),
    "capture_languages": Table(
        "View: one row a capture: the pages' own, as in `page_languages`, and those of `history` that a run of their"
        " time answered.",
        {
            **_PAGE_AND_LANGUAGE,
            **_CONFIDENCE,
            "method": "Method of that run; `correction` where somebody corrected the page.",
            "run": "The run that answers: the chosen one, or one of the capture's time.",
            "fetched": "Always 1.",
            **_CAPTURE,
            "pending": "Always 0.",
            "capture": "The capture, in `history`; NULL: the page's own.",
        },
    ),
    "site_languages": Table(
        "View: one row a host and language, by `page_languages`. All that was read counts, redirects and error pages,"
        " too, as with `graphlang sites --all`. Verbs and the report count only text with status 200"
        " (docs/howto/duckdb-pandas.md).",
        {
            "host": "The host.",
            "domain": "Its registered domain.",
            "suffix": "Its public suffix.",
            "tld": "Its top-level domain.",
            "language": "ISO 639-3 code.",
            "pages": "Pages that were read.",
            "unfetched": "Pages that were only linked to.",
            "confidence": "Mean confidence.",
            "length": "Characters of visible text.",
        },
    ),
    "language_shares": Table(
        "View: one row a page that was read and language of it, with the language's share: by the chosen run, and by"
        " `page_shares` of the content run behind it. A page in one language has one row. So has one whose answer, or"
        " correction, is none of the languages of its shares.",
        {
            **_PAGE_AND_LANGUAGE,
            "share": "Part of the page's letters, 0 to 1; those of a page make 1.",
            "main": "1 where it is the page's answer, 0 for the others.",
        },
    ),
    "link_details": Table(
        "View: links with URLs and the name of the kind.",
        {
            "source": "The page that holds the link.",
            "target": "The page that it leads to.",
            "source_url": "URL of the source.",
            "target_url": "URL of the target.",
            "kind": "Name of the kind.",
            "nofollow": "1 where the link, the page or its server says nofollow.",
            "hreflang": "Language that the link announces.",
            "place": "Its place among the links of its page, as in `links`.",
        },
    ),
    "page_scores": Table(
        "View: scores with the words of the label.",
        {
            "run": "The run.",
            "page": "The page.",
            "rank": "1 for the best.",
            "label": "The label.",
            "language": "Its language.",
            "script": "Its script.",
            "score": "Its probability.",
        },
    ),
}
