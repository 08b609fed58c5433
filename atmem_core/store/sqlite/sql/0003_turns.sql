-- Session history: what was said, apart from recall. A subject is named here, not numbered: a number goes with the
-- subject's last record, and turns may stay without one.

CREATE TABLE turns (
    row             INTEGER PRIMARY KEY AUTOINCREMENT, -- order of saying, also among equal times
    id              TEXT NOT NULL UNIQUE,
    subject         TEXT NOT NULL COLLATE BINARY,
    session         TEXT NOT NULL,
    project         TEXT,
    agent           TEXT,
    role            TEXT NOT NULL,
    speaker         TEXT NOT NULL,
    source          TEXT NOT NULL,
    text            TEXT NOT NULL,
    search_text     TEXT NOT NULL,             -- folded tokens joined by a space
    created_at      INTEGER NOT NULL,          -- microseconds since 1970, UTC
    answers         TEXT,                      -- id of the turn that this one answers
    idempotency_key TEXT,
    extraction      TEXT NOT NULL,             -- none, pending, done, failed
    attempts        INTEGER NOT NULL DEFAULT 0
);

CREATE INDEX turns_session ON turns (subject, session, created_at, row);
CREATE INDEX turns_project ON turns (subject, project) WHERE project IS NOT NULL;
CREATE INDEX turns_created ON turns (subject, created_at);
CREATE INDEX turns_answers ON turns (answers) WHERE answers IS NOT NULL;
CREATE INDEX turns_pending ON turns (row) WHERE extraction = 'pending';
CREATE INDEX turns_pending_subject ON turns (subject, row) WHERE extraction = 'pending';
CREATE UNIQUE INDEX turns_idempotency ON turns (subject, idempotency_key) WHERE idempotency_key IS NOT NULL;
