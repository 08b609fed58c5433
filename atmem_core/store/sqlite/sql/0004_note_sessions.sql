-- The turn before and after a note in its session is one look-up, in the order in which it was told.

DROP INDEX notes_session;
CREATE INDEX notes_session ON notes (subject_number, session, COALESCE(occurred_at, created_at), created_at)
    WHERE session IS NOT NULL;
