-- What hooks wanted of another agent that it can't do, once for each of its sessions.
CREATE TABLE losses (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    agent TEXT NOT NULL,
    event TEXT NOT NULL,
    lost_at TEXT NOT NULL,
    text TEXT NOT NULL
) STRICT;
