-- What a context holds beside notes: profile facts, lessons, procedures. A subject is named here, as with turns: these
-- may stay when its last note goes. No keyword index: a subject has hundreds, and a read scores them in place.

CREATE TABLE profile_facts (
    row           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    subject       TEXT NOT NULL COLLATE BINARY,
    key           TEXT NOT NULL,
    value         TEXT NOT NULL,
    pinned        INTEGER NOT NULL,
    keywords      TEXT NOT NULL,               -- JSON array, folded; empty on a pinned fact
    source        TEXT NOT NULL,
    trust         REAL NOT NULL,
    vote_score    REAL NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,            -- microseconds since 1970, UTC
    updated_at    INTEGER NOT NULL,
    supersedes    TEXT,
    superseded_by TEXT,
    superseded_at INTEGER,
    checksum      BLOB NOT NULL
);
CREATE UNIQUE INDEX profile_current ON profile_facts (subject, key) WHERE superseded_by IS NULL;
CREATE INDEX profile_history ON profile_facts (subject, key, row);

CREATE TABLE advice (
    row           INTEGER PRIMARY KEY AUTOINCREMENT,
    id            TEXT NOT NULL UNIQUE,
    subject       TEXT NOT NULL COLLATE BINARY,
    kind          TEXT NOT NULL,               -- lesson, procedure
    project       TEXT,
    activation    TEXT NOT NULL,
    body          TEXT NOT NULL,               -- the principle, or the steps as JSON
    tags          TEXT NOT NULL,               -- JSON array
    search_text   TEXT NOT NULL,               -- folded tokens joined by a space
    source        TEXT NOT NULL,
    trust         REAL NOT NULL,
    status        TEXT NOT NULL,               -- active, deprecated
    success_count INTEGER NOT NULL DEFAULT 0,
    failure_count INTEGER NOT NULL DEFAULT 0,
    use_count     INTEGER NOT NULL DEFAULT 0,
    vote_score    REAL NOT NULL DEFAULT 0,
    created_at    INTEGER NOT NULL,
    updated_at    INTEGER NOT NULL,
    deprecated_at INTEGER,
    checksum      BLOB NOT NULL
);
CREATE INDEX advice_kind ON advice (subject, kind, status, updated_at);

-- Soft pointers: a parent that is superseded or forgotten takes its advice out of recall, one that is erased takes it along.
CREATE TABLE advice_parents (
    row       INTEGER NOT NULL REFERENCES advice (row) ON DELETE CASCADE,
    parent_id TEXT NOT NULL,
    kind      TEXT NOT NULL,                   -- note, lesson
    PRIMARY KEY (row, parent_id)
) WITHOUT ROWID;
CREATE INDEX advice_parents_parent ON advice_parents (parent_id, row);

-- Who found what helpful, the oldest given up above a cap. The scores themselves stand with the records.
CREATE TABLE votes (
    row        INTEGER PRIMARY KEY AUTOINCREMENT,
    subject    TEXT NOT NULL COLLATE BINARY,
    record_id  TEXT NOT NULL,
    direction  INTEGER NOT NULL,               -- 1 or -1
    session    TEXT,
    turn       TEXT,
    created_at INTEGER NOT NULL
);
CREATE INDEX votes_record ON votes (subject, record_id);
