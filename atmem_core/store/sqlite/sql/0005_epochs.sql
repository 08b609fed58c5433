-- Which embedding identity serves whom, and from when to when. All of it is derived state.

CREATE TABLE epochs (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,
    owner        INTEGER NOT NULL,             -- number of a subject; 0 is the file's default
    identity     TEXT NOT NULL,                -- digest
    profile      TEXT NOT NULL,                -- JSON: the identity's fields
    choice       TEXT NOT NULL,                -- JSON: how the embedder is made
    verification TEXT,                         -- JSON: what the gate found
    activation   INTEGER,                      -- which of the owner's switches made it active
    origin       INTEGER,                      -- the switch that a rollback returned to
    staged_at    INTEGER NOT NULL,
    verified_at  INTEGER,
    active_from  INTEGER,
    active_to    INTEGER,
    pruned       INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX epochs_owner ON epochs (owner, number);
-- One at a time, whoever writes.
CREATE UNIQUE INDEX epochs_active ON epochs (owner) WHERE active_from IS NOT NULL AND active_to IS NULL;
CREATE UNIQUE INDEX epochs_begun ON epochs (owner) WHERE active_from IS NULL;

CREATE TRIGGER subject_without_epochs AFTER DELETE ON subjects
BEGIN DELETE FROM epochs WHERE owner = OLD.number; END;
