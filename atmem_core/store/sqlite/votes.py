"""The log of votes: who found what helpful. The scores stand with the records."""

import apsw

from atmem_core.clock import to_micros
from atmem_core.records import Vote

LOG = (
    "INSERT INTO votes (subject, record_id, direction, session, turn, created_at) "
    "VALUES (:subject, :record_id, :direction, :session, :turn, :created_at)"
)
TRIM = "DELETE FROM votes WHERE row <= (SELECT MAX(row) FROM votes) - :most"
GONE = "DELETE FROM votes WHERE subject = :subject AND record_id = :record_id RETURNING row"
WRITE_STATEMENTS = {"log": LOG, "trim": TRIM, "gone": GONE}
"""What a test reads the query plan of."""


def log_vote(connection: apsw.Connection, subject: str, record_id: str, vote: Vote, *, most: int) -> None:
    """Note one vote; of more than ``most`` in the file the oldest are given up."""
    connection.execute(
        LOG,
        {
            "subject": subject,
            "record_id": record_id,
            "direction": vote.direction,
            "session": vote.session,
            "turn": vote.turn,
            "created_at": to_micros(vote.at),
        },
    )
    connection.execute(TRIM, {"most": most})
