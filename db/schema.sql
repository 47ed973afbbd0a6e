-- The schema of a collection, version 3. One SQLite file is one collection.
-- The comments document tables, views and columns: db/SCHEMA.md is made from them (make docs), and they are not stored.

-- Files that were read into the collection, and how much of each.
CREATE TABLE sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- File id, in order of first reading.
    name TEXT NOT NULL, -- File name as on the command line; `-` for standard input.
    sha256 TEXT NOT NULL UNIQUE,
        -- SHA-256 of the file's bytes, so that the same bytes are read once under any name. For a mirrored folder: of
        -- the paths and bytes of its files.
    bytes INTEGER NOT NULL, -- File size in bytes.
    position INTEGER NOT NULL DEFAULT 0, -- Raw records read so far; an interrupted reading resumes here.
    finished INTEGER NOT NULL DEFAULT 0, -- 1 if the whole file was read.
    keep TEXT NOT NULL DEFAULT 'best',
        -- Which of several captures of a URL became the page's main capture: `best`, `first`, `last`, `longest`; or
        -- `all`: the best one, with the others in `history`.
    options TEXT, -- Options that limit how much of a page is read, as JSON; NULL if unknown.
    readings INTEGER NOT NULL DEFAULT 1, -- Number of readings of the file, begun or finished.
    lacks TEXT NOT NULL DEFAULT '' -- Empty. Reserved for data that a later version extracts and this reading did not.
) STRICT;

-- Hosts of all pages, split by the public suffix list.
CREATE TABLE hosts (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- Host id.
    host TEXT NOT NULL UNIQUE, -- Host name in lower case, internationalised names in punycode.
    domain TEXT NOT NULL, -- Registered domain (one label more than the public suffix), or the host itself.
    suffix TEXT NOT NULL, -- Public suffix, e.g. `co.uk`; empty for IP addresses.
    tld TEXT NOT NULL -- Top-level domain, after the last dot; empty for IP addresses.
) STRICT;

-- Every URL of the collection, fetched or only linked to. Ids start at 1 and are never reused; gaps are removed pages.
CREATE TABLE pages (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- Page id; id - 1 is the page's row in every matrix.
    url TEXT NOT NULL, -- Canonical target URI (WHATWG form, no fragment). Unique.
    host INTEGER NOT NULL REFERENCES hosts (id) -- Host, in `hosts`.
) STRICT;

-- The main capture of each fetched page: by default the newest with status 200. Other captures are in `history`. A page
-- without a row was never fetched.
CREATE TABLE captures (
    page INTEGER PRIMARY KEY REFERENCES pages (id), -- Page.
    source INTEGER NOT NULL REFERENCES sources (id), -- File that holds the capture.
    offset INTEGER NOT NULL, -- Byte offset of the record in that file.
    date TEXT NOT NULL,
        -- Capture time, ISO 8601 in UTC, as precise as in the record; only the month if the day is invalid; empty if
        -- there is none.
    status INTEGER, -- HTTP status; NULL if the record has no HTTP header.
    mime TEXT NOT NULL, -- Media type as served, lower case, without parameters.
    charset TEXT, -- Charset used to decode the text (WHATWG name); NULL without text.
    charset_from TEXT NOT NULL,
        -- Source of the charset: `bom`, `option` (`--charset`), `http`, `xml`, `meta`, `warc` (the type that the crawler
        -- identified), `utf-8` (valid), `detector`, `default`; then declarations that the bytes contradict:
        -- `utf-8, not http`, `detector, not http or meta`; then how often the text was encoded, which is undone:
        -- `http, encoded twice`, `meta, encoded 3 times`.
    length INTEGER NOT NULL, -- Characters of visible text before it was cut at the limit.
    size INTEGER NOT NULL, -- Bytes of the decoded payload.
    digest TEXT NOT NULL,
        -- Payload digest from WARC-Payload-Digest, else computed: SHA-1 in base 32; for other algorithms the name, a
        -- colon and hexadecimal digits (`sha256:ab...`); empty if unknown.
    revisit_of TEXT, -- For a WARC revisit record: the target URI it refers to.
    captures INTEGER NOT NULL DEFAULT 1, -- Number of captures of this URL that were read.
    revisit_date TEXT NOT NULL DEFAULT '',
        -- For a revisit record: the date of the capture it refers to, if the record has it.
    original INTEGER REFERENCES pages (id),
        -- For a revisit record: the page whose capture has the same content, which is copied.
    parts TEXT NOT NULL DEFAULT 'both',
        -- Parts that were read: `both`, `text` (WET), `links` (WAT), or these two `joined`.
    reading INTEGER NOT NULL DEFAULT 1 -- Reading of the file that it comes from, see `sources.readings`.
) STRICT;

-- Visible text of pages that have any.
CREATE TABLE texts (
    page INTEGER PRIMARY KEY REFERENCES pages (id), -- Page.
    title TEXT NOT NULL, -- Text of the title element.
    text TEXT NOT NULL,
        -- Visible text, main content first: its first 10,000 characters, or fewer if the limit of ingest is lower.
        -- White space is folded to a line feed at the end of a line or paragraph, else to a space.
    main INTEGER NOT NULL DEFAULT 0,
        -- Characters of `text` and `rest` that are main content; navigation and banners follow.
    rest BLOB
        -- Text after `text`, up to the limit of ingest (`--text-limit`), as UTF-8 in a zlib stream (RFC 1950); NULL if
        -- there is none.
) STRICT;

-- Undecoded visible bytes of pages whose charset is in doubt, or of all pages (`--bytes`).
CREATE TABLE visible_bytes (
    page INTEGER PRIMARY KEY REFERENCES pages (id), -- Page.
    bytes BLOB NOT NULL -- Bytes without markup, character references as UTF-8, white space folded, cut at the limit.
) STRICT;

-- Languages that pages declare: evidence, not answers.
CREATE TABLE declarations (
    page INTEGER NOT NULL REFERENCES pages (id), -- Page.
    source TEXT NOT NULL, -- `html-lang`, `xml-lang`, `meta-content-language`, `http-content-language`; or `robots`.
    value TEXT NOT NULL, -- As written.
    PRIMARY KEY (page, source)
) STRICT, WITHOUT ROWID;

-- Kinds of links. If a page links to a target in several ways, the kind with the lowest id is kept.
CREATE TABLE link_kinds (
    id INTEGER PRIMARY KEY, -- Kind id.
    name TEXT NOT NULL UNIQUE -- Name.
) STRICT;
INSERT INTO link_kinds VALUES
    (1, 'redirect'), (2, 'refresh'), (3, 'canonical'), (4, 'frame'),
    (5, 'iframe'), (6, 'alternate'), (7, 'anchor'), (8, 'area');

-- Links between pages: one row for each pair, without links of a page to itself.
CREATE TABLE links (
    source INTEGER NOT NULL REFERENCES pages (id), -- Page with the link.
    target INTEGER NOT NULL REFERENCES pages (id), -- Page that the link leads to.
    kind INTEGER NOT NULL REFERENCES link_kinds (id), -- Kind, in `link_kinds`.
    nofollow INTEGER NOT NULL, -- 1 if the link, the page or its server declares nofollow.
    hreflang TEXT, -- Language that the link declares for its target, as written; NULL if none.
    place INTEGER,
        -- Position among the links of the page, from 0: anchors in document order after all other links; NULL if
        -- unknown.
    PRIMARY KEY (source, target)
) STRICT, WITHOUT ROWID;

-- Anchor texts: evidence for the linked pages. Kept only with `--anchor-texts`.
CREATE TABLE anchor_texts (
    target INTEGER NOT NULL REFERENCES pages (id), -- Page that the link leads to.
    source INTEGER NOT NULL REFERENCES pages (id), -- Page with the link.
    text TEXT NOT NULL, -- Anchor text, white space folded, at most 200 characters.
    PRIMARY KEY (target, source)
) STRICT, WITHOUT ROWID;

-- Further captures of pages (`--keep all`): one row for each date and payload. Each content is kept once: if a payload
-- differs from that of the main capture, one of its rows is whole. Anchor texts and undecoded bytes of these captures
-- are not kept.
CREATE TABLE history (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- Capture id, in the order in which captures were read or replaced.
    page INTEGER NOT NULL REFERENCES pages (id), -- Page.
    source INTEGER NOT NULL REFERENCES sources (id), -- File that holds the capture.
    offset INTEGER NOT NULL, -- Byte offset of the record in that file.
    date TEXT NOT NULL, -- Capture time, as in `captures`.
    status INTEGER, -- HTTP status; NULL if the record has no HTTP header.
    mime TEXT NOT NULL, -- Media type as served; empty if a revisit record does not repeat it.
    charset TEXT, -- Charset used to decode the text; NULL without text and for revisit records.
    charset_from TEXT NOT NULL, -- Source of the charset, see `captures`.
    length INTEGER NOT NULL, -- Characters of visible text before it was cut; 0 for revisit records.
    size INTEGER NOT NULL, -- Bytes of the decoded payload; 0 for revisit records.
    digest TEXT NOT NULL, -- Payload digest, as in `captures`.
    parts TEXT NOT NULL, -- Parts that were read, see `captures`. Parts of other captures are not joined.
    reading INTEGER NOT NULL, -- Reading of the file that it comes from, see `sources.readings`.
    whole INTEGER NOT NULL,
        -- 1 if the row holds the content. 0 if the content is that of the main capture, or that of the whole row of this
        -- page with the same digest; for a revisit record there may be neither.
    title TEXT, -- Text of the title element; NULL unless the row is whole.
    text TEXT, -- Visible text, see `texts`; NULL unless the row is whole.
    main INTEGER, -- Characters of `text` and `rest` that are main content; NULL unless the row is whole.
    run INTEGER REFERENCES runs (id), -- Run over captures of that time that answered for it; NULL if none.
    rest BLOB -- Text after `text`, see `texts`; NULL if there is none.
) STRICT;
CREATE INDEX history_content ON history (page, digest) WHERE whole;
CREATE INDEX history_page ON history (page, date, digest);
CREATE INDEX history_record ON history (source, offset);

-- Links of whole rows of `history`, as in `links`.
CREATE TABLE history_links (
    capture INTEGER NOT NULL REFERENCES history (id), -- Capture, in `history`.
    target INTEGER NOT NULL REFERENCES pages (id), -- Page that the link leads to.
    kind INTEGER NOT NULL REFERENCES link_kinds (id), -- Kind, in `link_kinds`.
    nofollow INTEGER NOT NULL, -- 1 if the link, the page or its server declares nofollow.
    hreflang TEXT, -- Language that the link declares for its target; NULL if none.
    place INTEGER, -- Position among the links of the page, as in `links`.
    PRIMARY KEY (capture, target)
) STRICT, WITHOUT ROWID;

-- Languages that whole rows of `history` declare, as in `declarations`.
CREATE TABLE history_declarations (
    capture INTEGER NOT NULL REFERENCES history (id), -- Capture, in `history`.
    source TEXT NOT NULL, -- As in `declarations`.
    value TEXT NOT NULL, -- As written.
    PRIMARY KEY (capture, source)
) STRICT, WITHOUT ROWID;

-- View: rows of `history` whose content is stored, with the details of the capture that holds it.
CREATE VIEW history_captures AS
SELECT
    history.id, -- Capture, in `history`.
    history.page, -- Page.
    history.source, -- File that holds the capture.
    history.offset, -- Byte offset of the record in that file.
    history.date, -- Capture time.
    IIF(
        history.status IS NULL OR history.status = 304,
        IIF(history.whole, history.status, IIF(other.id IS NULL, own.status, other.status)),
        history.status
    ) AS status, -- HTTP status; that of the content if a revisit has status 304 (not modified).
    IIF(
        history.mime = '',
        IIF(history.whole, history.mime, IIF(other.id IS NULL, own.mime, other.mime)),
        history.mime
    ) AS mime, -- Media type.
    IIF(history.whole, history.charset, IIF(other.id IS NULL, own.charset, other.charset)) AS charset, -- Charset.
    IIF(history.whole, history.charset_from, IIF(other.id IS NULL, own.charset_from, other.charset_from))
        AS charset_from, -- Source of the charset.
    IIF(history.whole, history.length, IIF(other.id IS NULL, own.length, other.length)) AS length,
        -- Characters of visible text.
    IIF(history.whole, history.size, IIF(other.id IS NULL, own.size, other.size)) AS size,
        -- Bytes of the decoded payload.
    history.digest, -- Payload digest, as in `captures`.
    IIF(history.whole, history.parts, IIF(other.id IS NULL, own.parts, other.parts)) AS parts, -- Parts that were read.
    IIF(history.whole, history.id, other.id) AS content,
        -- Row of `history` that holds the content; NULL if the main capture holds it.
    history.run -- Run over captures of that time that answered for it.
FROM history
LEFT JOIN history AS other ON NOT history.whole AND other.page = history.page AND other.whole
    AND other.digest = history.digest AND other.digest <> '' AND other.size > 0
    AND (other.status IS NULL OR other.status NOT BETWEEN 300 AND 399)
LEFT JOIN captures AS own ON NOT history.whole AND other.id IS NULL AND own.page = history.page
    AND own.digest = history.digest AND (
        (own.digest <> '' AND own.size > 0 AND (own.status IS NULL OR own.status NOT BETWEEN 300 AND 399))
        OR (own.revisit_of IS NOT NULL AND own.original IS NOT NULL)
    )
WHERE history.whole OR other.id IS NOT NULL OR own.page IS NOT NULL;

-- Records, or parts of a file, that could not be read correctly.
CREATE TABLE problems (
    id INTEGER PRIMARY KEY, -- Problem id.
    source INTEGER NOT NULL REFERENCES sources (id), -- File.
    offset INTEGER, -- Byte offset in the file, if known.
    url TEXT, -- Target URI, as much as could be read.
    kind TEXT NOT NULL, -- One word, for counting.
    reason TEXT NOT NULL -- Reason, in words.
) STRICT;

-- URLs and hosts that `graphlang remove` took out, so that no later reading adds them again. Only digests are kept:
-- they reveal nothing, except to a reader who guesses a URL.
CREATE TABLE removed (
    digest TEXT PRIMARY KEY, -- SHA-256, in hexadecimal, of the kind, a colon, and the canonical URL or the host.
    kind TEXT NOT NULL, -- `url` or `host`.
    since TEXT NOT NULL, -- Time of removal, ISO 8601 in UTC.
    pages INTEGER NOT NULL -- Pages that were removed; 0 if the URL or host had none.
) STRICT, WITHOUT ROWID;

-- Languages of pages set by hand (`graphlang correct`, `graphlang review`). The last correction of a page that was not
-- undone is in force. Only `graphlang remove` deletes corrections.
CREATE TABLE corrections (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- Correction id, in order of time.
    url TEXT NOT NULL, -- Canonical URL of the page; it need not be in `pages` yet.
    label INTEGER NOT NULL REFERENCES labels (id), -- Label, in `labels`.
    corrected_by TEXT NOT NULL, -- Author of the correction.
    note TEXT NOT NULL, -- Reason; may be empty.
    corrected TEXT NOT NULL, -- Time, ISO 8601 in UTC.
    former INTEGER REFERENCES labels (id), -- Label in `page_languages` before, in `labels`; NULL if none.
    former_confidence REAL, -- Its confidence; NULL if none.
    undone TEXT, -- Time when it was undone; NULL while in force.
    undone_by TEXT -- Author of the undoing, if named.
) STRICT;
CREATE INDEX corrections_in_force ON corrections (url) WHERE undone IS NULL;

-- Labels used by runs and corrections.
CREATE TABLE labels (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- Label id.
    label TEXT NOT NULL UNIQUE,
        -- Language, with the script if the language has several: `eng`, `srp_Cyrl`, `und`, `zxx`.
    language TEXT NOT NULL, -- ISO 639-3 code; `und` for undetermined, `zxx` for no linguistic content.
    script TEXT -- ISO 15924 code; NULL for `und` and `zxx`.
) STRICT;

-- Runs: computations of languages, with all parameters needed to repeat them.
CREATE TABLE runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- Run id; never reused.
    kind TEXT NOT NULL, -- `content`, `url`, `vote` or `propagation`.
    method TEXT NOT NULL, -- Method name, as on the command line.
    model TEXT, -- Model name, if any.
    model_hash TEXT, -- SHA-256 of the model, if any.
    parameters TEXT NOT NULL, -- Parameters, as a JSON object.
    seeds TEXT NOT NULL, -- Ids of the runs whose answers this one started from, as a JSON array.
    collection TEXT NOT NULL,
        -- State of the collection that the run read: a digest of how far each source was read. If the run started from
        -- another one, it includes the corrections in force. Updated when a later state holds the same input.
    version TEXT NOT NULL, -- graphlang version.
    started TEXT NOT NULL, -- Start time, ISO 8601 in UTC.
    finished TEXT, -- End time, ISO 8601 in UTC; NULL while running or interrupted.
    pages INTEGER, -- Number of answers.
    rounds INTEGER, -- Rounds of a propagation.
    converged INTEGER, -- 1 if the propagation converged, 0 if it reached the limit on rounds.
    inputs TEXT, -- Digest of all input of a propagation: equal digests have equal answers; NULL for other kinds.
    owner TEXT, -- Writer of the run (machine, process, its start, a random number); NULL once finished.
    linked INTEGER
        -- Whether unfetched URLs have their answers, for a vote or propagation. 0: only the first 2,048 pages, or those
        -- listed so far; 1: all, in `linked_answers`; NULL: all, in `predictions`.
) STRICT;

-- Answers of runs for pages. Runs never overwrite each other's answers.
CREATE TABLE predictions (
    run INTEGER NOT NULL REFERENCES runs (id), -- Run.
    page INTEGER NOT NULL REFERENCES pages (id), -- Page.
    label INTEGER NOT NULL REFERENCES labels (id), -- Answer, in `labels`.
    confidence REAL NOT NULL, -- Probability that the answer is right, 0 to 1.
    runner_up INTEGER REFERENCES labels (id), -- Second best answer, in `labels`; NULL if none.
    runner_up_confidence REAL, -- Probability.
    characters INTEGER NOT NULL,
        -- Letters and single spaces between words in the text, at most its first 2,000 characters.
    encoding TEXT, -- Encoding detected by a method that reads bytes; NULL for methods that read text.
    read INTEGER,
        -- Digest of what a content or URL method read of the page; a later run with the same method and digest copies
        -- the answer. NULL for other kinds.
    PRIMARY KEY (run, page)
) STRICT, WITHOUT ROWID;

-- Answers of a vote or propagation for unfetched URLs, packed in eight bytes each; the views `linked_predictions` and
-- `page_languages` decode them.
CREATE TABLE linked_answers (
    run INTEGER NOT NULL REFERENCES runs (id), -- Run.
    block INTEGER NOT NULL, -- Pages with ids from 64 * block + 1 to 64 * block + 64.
    cells BLOB NOT NULL,
        -- Eight bytes a page: label id, confidence times 10,000, and both of the runner-up, each as two digits in base
        -- 127 plus 1. Zeros mean none.
    PRIMARY KEY (run, block)
) STRICT, WITHOUT ROWID;

-- The best few labels of a page in a run, as input of the graph methods.
CREATE TABLE scores (
    run INTEGER NOT NULL REFERENCES runs (id), -- Run.
    page INTEGER NOT NULL REFERENCES pages (id), -- Page.
    rank INTEGER NOT NULL, -- Rank, 1 for the best.
    label INTEGER NOT NULL REFERENCES labels (id), -- Label, in `labels`.
    score REAL NOT NULL, -- Probability.
    PRIMARY KEY (run, page, rank)
) STRICT, WITHOUT ROWID;

-- Pages in several languages: the share of letters of each language, by a content run with shares. A page without rows
-- is in one language, the run's answer. Measured on segments from the whole text that the method reads; at most five
-- languages, each with 3 % or more.
CREATE TABLE page_shares (
    run INTEGER NOT NULL REFERENCES runs (id), -- Content run.
    page INTEGER NOT NULL REFERENCES pages (id), -- Page.
    rank INTEGER NOT NULL, -- Rank, 1 for the greatest share.
    label INTEGER NOT NULL REFERENCES labels (id), -- Language and script, in `labels`.
    share REAL NOT NULL, -- Share of the letters, 0 to 1.
    PRIMARY KEY (run, page, rank)
) STRICT, WITHOUT ROWID;

-- What a content run read of each host. A later run with the same method copies the answers of hosts that did not change.
CREATE TABLE run_hosts (
    run INTEGER NOT NULL REFERENCES runs (id), -- Content run.
    host INTEGER NOT NULL REFERENCES hosts (id), -- Host, in `hosts`.
    captures INTEGER NOT NULL, -- Digest of the captures of its pages.
    PRIMARY KEY (run, host)
) STRICT, WITHOUT ROWID;

-- What the inference takes from the URLs of pages, packed. It is derived from `pages`, and computed again if a page has
-- none.
CREATE TABLE url_evidence (
    id INTEGER PRIMARY KEY, -- Part, in the order in which they were computed.
    model TEXT NOT NULL, -- SHA-256 of the model of the method `url`.
    cells BLOB NOT NULL
        -- 19 bytes a page, numbers with the lowest byte first. Its id (4), a digest of its URL up to the last slash of
        -- the path (8), the language that the URL names, ISO 639-3, or zeros (3), and its probability, a float (4).
) STRICT;

-- The run that the views show.
CREATE TABLE chosen (
    id INTEGER PRIMARY KEY CHECK (id = 1), -- Always 1.
    run INTEGER NOT NULL REFERENCES runs (id) -- Run.
) STRICT;

-- View: answers for unfetched URLs, with columns of `predictions`, for runs that have answered all of them.
CREATE VIEW linked_predictions AS
SELECT
    linked_answers.run, -- Run.
    pages.id AS page, -- Page.
    (UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 1, 1)) * 127
        + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 2, 1)) - 128) AS label, -- Answer, in `labels`.
    (UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 3, 1)) * 127
        + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 4, 1)) - 128) / 10000.0 AS confidence,
        -- Probability that the answer is right, to four digits.
    (UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 5, 1)) * 127
        + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 6, 1)) - 128) AS runner_up,
        -- Second best answer, in `labels`; NULL if none.
    (UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 7, 1)) * 127
        + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 8, 1)) - 128) / 10000.0 AS runner_up_confidence
        -- Probability.
FROM runs
CROSS JOIN pages
CROSS JOIN linked_answers ON linked_answers.run = runs.id AND linked_answers.block = (pages.id - 1) / 64
WHERE runs.linked = 1 AND (UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 1, 1)) * 127
    + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 2, 1)) - 128) IS NOT NULL;

-- View: one row a page, with the language by the chosen run, or by the correction in force.
CREATE VIEW page_languages AS
SELECT
    pages.id AS page, -- Page.
    pages.url, -- URL.
    hosts.host, -- Host.
    hosts.domain, -- Registered domain.
    hosts.suffix, -- Public suffix.
    hosts.tld, -- Top-level domain.
    COALESCE(known.language, best.language, 'und') AS language,
        -- ISO 639-3 code; `und` for undetermined, `zxx` for no linguistic content.
    IIF(known.id IS NULL, best.script, known.script) AS script, -- ISO 15924 code.
    IIF(known.id IS NULL, COALESCE(
        predictions.confidence,
        (UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 3, 1)) * 127
            + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 4, 1)) - 128) / 10000.0,
        0.0
    ), 1.0) AS confidence, -- Probability that the language is right; 1 for a correction.
    IIF(known.id IS NULL, second.language, NULL) AS runner_up, -- Second best language.
    IIF(known.id IS NULL, COALESCE(
        predictions.runner_up_confidence,
        (UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 7, 1)) * 127
            + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 8, 1)) - 128) / 10000.0
    ), NULL) AS runner_up_confidence, -- Probability.
    IIF(known.id IS NULL, runs.method, 'correction') AS method,
        -- Method of the chosen run; `correction` for a correction.
    runs.id AS run, -- Chosen run.
    captures.page IS NOT NULL AS fetched, -- 1 if a capture was read, 0 if the page was only linked to.
    captures.status, -- HTTP status.
    captures.mime, -- Media type.
    captures.charset, -- Charset.
    captures.charset_from, -- Source of the charset, see `captures`.
    captures.date, -- Capture time.
    captures.length, -- Characters of visible text.
    COALESCE(
        predictions.characters,
        (UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 1, 1)) * 127
            + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 2, 1)) - 128) * 0
    ) AS characters, -- Letters that the content method read.
    predictions.encoding, -- Encoding detected by a method that reads bytes.
    captures.page IS NULL AND predictions.page IS NULL AND runs.linked IS 0 AND known.id IS NULL AS pending
        -- 1 for an unfetched URL that the chosen run has not answered yet, so that `und` is provisional. Verbs that
        -- list unfetched URLs (`pages`, `sites`, `frontier`, ...) complete the answers.
FROM pages
JOIN hosts ON hosts.id = pages.host
LEFT JOIN captures ON captures.page = pages.id
LEFT JOIN chosen ON chosen.id = 1
LEFT JOIN runs ON runs.id = chosen.run
LEFT JOIN predictions ON predictions.run = chosen.run AND predictions.page = pages.id
LEFT JOIN linked_answers ON predictions.page IS NULL AND linked_answers.run = chosen.run
    AND linked_answers.block = (pages.id - 1) / 64
LEFT JOIN labels AS best ON best.id = COALESCE(
    predictions.label,
    UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 1, 1)) * 127
        + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 2, 1)) - 128
)
LEFT JOIN labels AS second ON second.id = IIF(
    predictions.page IS NULL,
    UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 5, 1)) * 127
        + UNICODE(SUBSTR(cells, (pages.id - 1) % 64 * 8 + 6, 1)) - 128,
    predictions.runner_up
)
LEFT JOIN corrections ON corrections.id = (
    SELECT MAX(others.id) FROM corrections AS others WHERE others.url = pages.url AND others.undone IS NULL
)
LEFT JOIN labels AS known ON known.id = corrections.label;

-- View: one row a capture: main captures, as in `page_languages`, and those of `history` that a run over their time
-- answered.
CREATE VIEW capture_languages AS
SELECT
    page, -- Page.
    url, -- URL.
    host, -- Host.
    domain, -- Registered domain.
    suffix, -- Public suffix.
    tld, -- Top-level domain.
    language, -- ISO 639-3 code; `und` for undetermined, `zxx` for no linguistic content.
    script, -- ISO 15924 code.
    confidence, -- Probability that the language is right; 1 for a correction.
    runner_up, -- Second best language.
    runner_up_confidence, -- Probability.
    method, -- Method of that run; `correction` for a correction of the page.
    run, -- Run that answered: the chosen one, or one over the capture's time.
    fetched, -- Always 1.
    status, -- HTTP status.
    mime, -- Media type.
    charset, -- Charset.
    charset_from, -- Source of the charset, see `captures`.
    date, -- Capture time.
    length, -- Characters of visible text.
    characters, -- Letters that the content method read.
    encoding, -- Encoding detected by a method that reads bytes.
    pending, -- Always 0.
    NULL AS capture -- Capture, in `history`; NULL for the main capture.
FROM page_languages WHERE fetched
UNION ALL
SELECT
    pages.id,
    pages.url,
    hosts.host,
    hosts.domain,
    hosts.suffix,
    hosts.tld,
    COALESCE(best.language, 'und'),
    best.script,
    COALESCE(predictions.confidence, 0.0),
    second.language,
    predictions.runner_up_confidence,
    runs.method,
    runs.id,
    1,
    held.status,
    held.mime,
    held.charset,
    held.charset_from,
    held.date,
    held.length,
    predictions.characters,
    predictions.encoding,
    0,
    held.id
FROM history_captures AS held
JOIN runs ON runs.id = held.run
JOIN pages ON pages.id = held.page
JOIN hosts ON hosts.id = pages.host
LEFT JOIN predictions ON predictions.run = held.run AND predictions.page = held.page
LEFT JOIN labels AS best ON best.id = predictions.label
LEFT JOIN labels AS second ON second.id = predictions.runner_up;

-- View: one row a host and language, by `page_languages`. It counts all captures, redirects and error pages too, as
-- `graphlang sites --all` does. Verbs and the report count only text with status 200 (docs/howto/duckdb-pandas.md).
CREATE VIEW site_languages AS
SELECT
    host, -- Host.
    domain, -- Registered domain.
    suffix, -- Public suffix.
    tld, -- Top-level domain.
    language, -- ISO 639-3 code.
    SUM(fetched) AS pages, -- Fetched pages.
    COUNT(*) - SUM(fetched) AS unfetched, -- Unfetched pages.
    AVG(confidence) AS confidence, -- Mean confidence.
    SUM(COALESCE(length, 0)) AS length -- Characters of visible text.
FROM page_languages
GROUP BY host, language;

-- View: one row for each language of a fetched page, with its share: by the chosen run, and by `page_shares` of the
-- content run it started from. A page in one language has one row. So has a page whose answer or correction is none of
-- the languages in its shares.
CREATE VIEW language_shares AS
SELECT
    answers.page, -- Page.
    answers.url, -- URL.
    answers.host, -- Host.
    answers.domain, -- Registered domain.
    answers.suffix, -- Public suffix.
    answers.tld, -- Top-level domain.
    answers.language, -- ISO 639-3 code; `und` for undetermined, `zxx` for no linguistic content.
    answers.script, -- ISO 15924 code.
    1.0 - IIF(
        COALESCE(MAX(parts.language = answers.language), 0),
        TOTAL(IIF(parts.language = answers.language, 0.0, page_shares.share)),
        0.0
    ) AS share, -- Share of the page's letters, 0 to 1; the shares of a page add up to 1.
    1 AS main -- 1 for the page's answer, 0 for other languages.
FROM page_languages AS answers
LEFT JOIN page_shares ON page_shares.run = (
    SELECT MAX(own.id) FROM chosen JOIN runs AS final ON final.id = chosen.run JOIN runs AS own ON own.kind = 'content'
    WHERE own.finished IS NOT NULL AND (own.id = final.id OR own.id IN (SELECT value FROM json_each(final.seeds)))
) AND page_shares.page = answers.page
LEFT JOIN labels AS parts ON parts.id = page_shares.label
WHERE answers.fetched
GROUP BY answers.page
UNION ALL
SELECT
    answers.page, answers.url, answers.host, answers.domain, answers.suffix, answers.tld,
    parts.language,
    parts.script,
    page_shares.share,
    0
FROM page_languages AS answers
JOIN page_shares ON page_shares.run = (
    SELECT MAX(own.id) FROM chosen JOIN runs AS final ON final.id = chosen.run JOIN runs AS own ON own.kind = 'content'
    WHERE own.finished IS NOT NULL AND (own.id = final.id OR own.id IN (SELECT value FROM json_each(final.seeds)))
) AND page_shares.page = answers.page
JOIN labels AS parts ON parts.id = page_shares.label
WHERE answers.fetched AND parts.language <> answers.language AND answers.language IN (
    SELECT others.language FROM page_shares AS also JOIN labels AS others ON others.id = also.label
    WHERE also.run = page_shares.run AND also.page = page_shares.page
);

-- View: links with URLs and kind names.
CREATE VIEW link_details AS
SELECT
    links.source, -- Page with the link.
    links.target, -- Page that the link leads to.
    origin.url AS source_url, -- URL of the source.
    destination.url AS target_url, -- URL of the target.
    link_kinds.name AS kind, -- Kind name.
    links.nofollow, -- 1 if the link, the page or its server declares nofollow.
    links.hreflang, -- Language that the link declares.
    links.place -- Position among the links of the page, as in `links`.
FROM links
JOIN link_kinds ON link_kinds.id = links.kind
JOIN pages AS origin ON origin.id = links.source
JOIN pages AS destination ON destination.id = links.target;

-- View: scores with label names.
CREATE VIEW page_scores AS
SELECT
    scores.run, -- Run.
    scores.page, -- Page.
    scores.rank, -- Rank, 1 for the best.
    labels.label, -- Label.
    labels.language, -- Language.
    labels.script, -- Script.
    scores.score -- Probability.
FROM scores
JOIN labels ON labels.id = scores.label;
