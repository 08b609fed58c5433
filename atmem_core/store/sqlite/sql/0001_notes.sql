-- Notes, their keyword index, their vectors, and what belongs to each subject alone.

-- AUTOINCREMENT: a number is never used twice, so nothing cached by number can reach another subject.
CREATE TABLE subjects (
    number        INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE COLLATE BINARY,
    revision      INTEGER NOT NULL DEFAULT 0,  -- one more for every write: what caches compare
    erasures      INTEGER NOT NULL DEFAULT 0,  -- one more for every erase: caches start anew
    next_sequence INTEGER NOT NULL DEFAULT 1,
    documents     INTEGER NOT NULL DEFAULT 0,  -- notes in the keyword index
    total_length  INTEGER NOT NULL DEFAULT 0,  -- tokens of those notes
    active        INTEGER NOT NULL DEFAULT 0   -- notes neither superseded nor forgotten nor archived
);

CREATE TABLE notes (
    row             INTEGER PRIMARY KEY,       -- subject number << 32 | sequence
    id              TEXT NOT NULL UNIQUE,
    subject_number  INTEGER NOT NULL REFERENCES subjects (number),
    project         TEXT,
    session         TEXT,
    agent           TEXT,
    kind            TEXT NOT NULL,
    speaker         TEXT NOT NULL,
    source          TEXT NOT NULL,
    trust           REAL NOT NULL,
    tags            TEXT NOT NULL,             -- JSON array
    text            TEXT NOT NULL,
    content_hash    TEXT NOT NULL,
    checksum        BLOB NOT NULL,
    dedupe_hash     TEXT NOT NULL,
    idempotency_key TEXT,
    search_text     TEXT NOT NULL,
    token_count     INTEGER NOT NULL,
    vocabulary      TEXT NOT NULL,             -- JSON array: what this note counts in the vocabulary
    occurred_at     INTEGER,                   -- times are microseconds since 1970, UTC
    created_at      INTEGER NOT NULL,
    valid_from      INTEGER,
    valid_to        INTEGER,
    superseded_by   TEXT,
    superseded_at   INTEGER,
    forgotten_at    INTEGER,
    archived_at     INTEGER,
    use_count       INTEGER NOT NULL DEFAULT 0,
    last_used_at    INTEGER,
    restricted      INTEGER NOT NULL           -- 1 when validity, supersession or forgetting may hide it
);

CREATE UNIQUE INDEX notes_same ON notes (subject_number, dedupe_hash)
    WHERE superseded_by IS NULL AND forgotten_at IS NULL;
CREATE UNIQUE INDEX notes_idempotency ON notes (subject_number, idempotency_key)
    WHERE idempotency_key IS NOT NULL;
CREATE INDEX notes_project ON notes (subject_number, project) WHERE project IS NOT NULL;
CREATE INDEX notes_session ON notes (subject_number, session) WHERE session IS NOT NULL;
CREATE INDEX notes_agent ON notes (subject_number, agent) WHERE agent IS NOT NULL;
CREATE INDEX notes_restricted ON notes (subject_number) WHERE restricted = 1;
CREATE INDEX notes_created ON notes (subject_number, created_at);
CREATE INDEX notes_superseded_by ON notes (superseded_by) WHERE superseded_by IS NOT NULL;
CREATE INDEX notes_utility ON notes (subject_number, use_count, last_used_at, created_at)
    WHERE superseded_by IS NULL AND forgotten_at IS NULL AND archived_at IS NULL;

CREATE TABLE note_tags (
    row INTEGER NOT NULL REFERENCES notes (row) ON DELETE CASCADE,
    tag TEXT NOT NULL,
    PRIMARY KEY (row, tag)
) WITHOUT ROWID;
CREATE INDEX note_tags_tag ON note_tags (tag, row);

CREATE TABLE links (
    from_row   INTEGER NOT NULL REFERENCES notes (row) ON DELETE CASCADE,
    to_row     INTEGER NOT NULL REFERENCES notes (row) ON DELETE CASCADE,
    kind       TEXT NOT NULL,
    weight     REAL NOT NULL DEFAULT 1.0,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (from_row, to_row, kind)
) WITHOUT ROWID;
CREATE INDEX links_to ON links (to_row);

-- A forgotten note is out of the index for good: a rebuild reads this view.
CREATE VIEW notes_indexed AS SELECT row, search_text FROM notes WHERE forgotten_at IS NULL;

-- The text is folded and cut by us: whatever isn't white space belongs to a token, marks and punctuation
-- too, and the tokenizer only stems.
CREATE VIRTUAL TABLE notes_fts USING fts5 (
    search_text,
    content = 'notes_indexed',
    content_rowid = 'row',
    tokenize = "porter unicode61 remove_diacritics 0 categories 'L* N* M* P* S* C*'"
);
-- A deleted word leaves the index at once, not at some later merge.
INSERT INTO notes_fts (notes_fts, rank) VALUES ('secure-delete', 1);

CREATE TABLE vocabulary (
    subject_number INTEGER NOT NULL,
    length         INTEGER NOT NULL,
    word           TEXT NOT NULL,
    documents      INTEGER NOT NULL,
    PRIMARY KEY (subject_number, length, word)
) WITHOUT ROWID;

CREATE TABLE near_keys (
    subject_number INTEGER NOT NULL,
    key            INTEGER NOT NULL,
    row            INTEGER NOT NULL REFERENCES notes (row) ON DELETE CASCADE,
    PRIMARY KEY (subject_number, key, row)
) WITHOUT ROWID;
CREATE INDEX near_keys_row ON near_keys (row);

-- The canonical copy of every vector: an ordinary table, since a virtual one leaves deleted bytes behind.
CREATE TABLE vectors (
    subject_number INTEGER NOT NULL,
    identity       TEXT NOT NULL,
    row            INTEGER NOT NULL REFERENCES notes (row) ON DELETE CASCADE,
    stamp          INTEGER NOT NULL,           -- the subject's revision when it was written
    vector         BLOB NOT NULL,              -- float32, little-endian
    checksum       INTEGER NOT NULL,
    UNIQUE (subject_number, identity, row)
);
-- With a rowid: a table without one keeps a quarter of a page of each row and sends the rest to a page of
-- its own, three times the bytes for some hundred dimensions.
CREATE INDEX vectors_stamp ON vectors (subject_number, identity, stamp);
CREATE INDEX vectors_row ON vectors (row);

-- Notes without a vector yet.
CREATE TABLE waiting (row INTEGER PRIMARY KEY REFERENCES notes (row) ON DELETE CASCADE);

CREATE TABLE file_state (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
