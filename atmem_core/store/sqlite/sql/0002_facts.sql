-- Facts: what a record of kind 'fact' states. Words, vector, scope, speaker and trust stand in `notes`, so that
-- one filter, one index and one erase serve both.

CREATE TABLE facts (
    row            INTEGER PRIMARY KEY REFERENCES notes (row) ON DELETE CASCADE,
    subject_number INTEGER NOT NULL,
    entity         TEXT NOT NULL,
    predicate      TEXT NOT NULL,
    object         TEXT NOT NULL,
    entity_key     TEXT NOT NULL,              -- folded: what a filter and a query name
    predicate_key  TEXT NOT NULL,
    key            TEXT NOT NULL,              -- digest of project, entity and predicate
    triple         TEXT NOT NULL,              -- digest of key and object
    confidence     REAL NOT NULL,
    source_id      TEXT,                       -- the turn or the note that said it
    valid_from     INTEGER NOT NULL,           -- world time; as given, or else when it was said
    valid_to       INTEGER,
    superseded_by  TEXT,
    superseded_at  INTEGER,                    -- our time
    forgotten_at   INTEGER,
    checksum       BLOB NOT NULL
);

CREATE INDEX facts_triple ON facts (subject_number, triple, valid_from)
    WHERE superseded_by IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_standing ON facts (subject_number, key, valid_from)
    WHERE superseded_by IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_timeline ON facts (subject_number, key, valid_from, row) WHERE forgotten_at IS NULL;
CREATE INDEX facts_current ON facts (subject_number, row) WHERE superseded_by IS NULL AND forgotten_at IS NULL;
CREATE INDEX facts_subject ON facts (subject_number, row);
CREATE INDEX facts_predicate ON facts (subject_number, predicate_key, row);
CREATE INDEX facts_source ON facts (subject_number, source_id) WHERE source_id IS NOT NULL;
CREATE INDEX facts_superseded_by ON facts (superseded_by) WHERE superseded_by IS NOT NULL;

-- Every end that a fact was ever known to have: what `as_of` an earlier knowledge reads. None here: open.
CREATE TABLE fact_ends (
    row         INTEGER NOT NULL REFERENCES facts (row) ON DELETE CASCADE,
    number      INTEGER NOT NULL,              -- 1, 2, ... for each fact
    recorded_at INTEGER NOT NULL,
    valid_to    INTEGER NOT NULL,
    PRIMARY KEY (row, number)
) WITHOUT ROWID;
