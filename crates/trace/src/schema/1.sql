-- What hooks read. Hooks of one firing often read the same, which then stands here once.
CREATE TABLE inputs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    text TEXT NOT NULL
) STRICT;

-- The runs. AUTOINCREMENT: a position is never given twice, so that followers miss none.
-- Large columns stand last: reading the others does not touch their pages.
CREATE TABLE runs (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    firing INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    event TEXT NOT NULL,
    hook_id TEXT NOT NULL,
    label TEXT NOT NULL,
    layer TEXT,
    extension TEXT,
    file TEXT NOT NULL,
    line INTEGER,
    "column" INTEGER,
    started_at TEXT NOT NULL,
    duration_us INTEGER NOT NULL,
    ending TEXT NOT NULL,
    exit_code INTEGER,
    signal INTEGER,
    result TEXT NOT NULL,
    failure_kind TEXT,
    truncated INTEGER NOT NULL,
    suppressed INTEGER NOT NULL,
    -- About how much room the row takes, in bytes.
    bytes INTEGER NOT NULL,
    input_id INTEGER,
    -- JSON: lists of texts.
    withheld_env TEXT NOT NULL,
    ignored_fields TEXT,
    failure_message TEXT,
    reply TEXT,
    stdout TEXT,
    stderr TEXT
) STRICT;

CREATE INDEX runs_by_run_id ON runs (run_id);
CREATE INDEX runs_by_session ON runs (session_id);
CREATE INDEX runs_by_hook ON runs (hook_id);
CREATE INDEX durations_by_hook ON runs (hook_id, duration_us);
CREATE INDEX failures_by_hook ON runs (hook_id) WHERE failure_kind IS NOT NULL;
CREATE INDEX ignoring_by_hook ON runs (hook_id) WHERE ignored_fields IS NOT NULL;
