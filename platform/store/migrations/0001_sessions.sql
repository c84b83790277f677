-- Sessions and their events. Times are Unix nanoseconds, 0 = not known.
CREATE TABLE sessions (
    id             TEXT PRIMARY KEY,
    title          TEXT NOT NULL,
    dir            TEXT NOT NULL,
    engine         TEXT NOT NULL,
    engine_session TEXT NOT NULL,
    provider       TEXT NOT NULL,
    model          TEXT NOT NULL,
    effort         TEXT NOT NULL,
    created        INTEGER NOT NULL,
    updated        INTEGER NOT NULL,
    badge          TEXT NOT NULL,
    line           TEXT NOT NULL,
    draft          TEXT NOT NULL
) STRICT;

CREATE INDEX sessions_updated ON sessions (updated DESC, id);

-- id is explicit because other tables point to it: an implicit rowid may change in a VACUUM.
CREATE TABLE events (
    id      INTEGER PRIMARY KEY,
    session TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq     INTEGER NOT NULL CHECK (seq > 0),
    time    INTEGER NOT NULL,
    turn    TEXT NOT NULL,
    scope   TEXT NOT NULL,
    kind    TEXT NOT NULL,
    body    TEXT NOT NULL,
    UNIQUE (session, seq)
) STRICT;

-- Small values of the app itself, as JSON. Never a secret.
CREATE TABLE kv (
    key   TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
