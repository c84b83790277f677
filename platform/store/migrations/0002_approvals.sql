-- What was asked and how it was answered. Derived from the events by triggers, so it is in the same transaction as they
-- are and can't disagree with them. A decision of NULL means that nobody has answered.
CREATE TABLE approvals (
    session    TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    id         TEXT NOT NULL,
    asked_seq  INTEGER NOT NULL,
    kind       TEXT NOT NULL,
    turn       TEXT NOT NULL,
    scope      TEXT NOT NULL,
    tool       TEXT NOT NULL,
    title      TEXT NOT NULL,
    command    TEXT NOT NULL,
    asked      INTEGER NOT NULL,
    decision   TEXT,
    decided_by TEXT NOT NULL DEFAULT '',
    reason     TEXT NOT NULL DEFAULT '',
    resolved   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (session, id)
) STRICT, WITHOUT ROWID;

-- A request that is asked again under the same id is the same request: the first one stands.
CREATE TRIGGER events_asked AFTER INSERT ON events
WHEN NEW.kind IN ('approval_asked', 'question_asked')
BEGIN
    INSERT INTO approvals (session, id, asked_seq, kind, turn, scope, tool, title, command, asked)
    VALUES (
        NEW.session,
        coalesce(NEW.body ->> '$.id', ''),
        NEW.seq,
        NEW.kind,
        NEW.turn,
        NEW.scope,
        CASE NEW.kind WHEN 'question_asked' THEN 'question' ELSE coalesce(NEW.body ->> '$.tool', '') END,
        coalesce(NEW.body ->> '$.title', NEW.body ->> '$.questions[0].text', ''),
        coalesce(NEW.body ->> '$.command', ''),
        NEW.time
    )
    ON CONFLICT DO NOTHING;
END;

-- The first answer wins: an answered row is never touched again.
CREATE TRIGGER events_resolved AFTER INSERT ON events
WHEN NEW.kind IN ('approval_resolved', 'question_answered')
BEGIN
    UPDATE approvals SET
        decision = CASE
            WHEN NEW.kind = 'approval_resolved' THEN coalesce(NEW.body ->> '$.decision', '')
            WHEN NEW.body -> '$.answers' IS NOT NULL THEN 'allow'
            WHEN NEW.body ->> '$.by' = 'engine' THEN 'withdrawn'
            ELSE 'deny' END,
        decided_by = coalesce(NEW.body ->> '$.by', ''),
        reason = coalesce(NEW.body ->> '$.reason', ''),
        resolved = NEW.time
    WHERE session = NEW.session AND id = NEW.body ->> '$.id' AND decision IS NULL;
END;

-- What was stored before this version: the triggers see each event once more, in order.
CREATE TEMP TABLE again AS
    SELECT session, seq, time, turn, scope, kind, body FROM events
    WHERE kind IN ('approval_asked', 'question_asked', 'approval_resolved', 'question_answered');
DELETE FROM events WHERE kind IN ('approval_asked', 'question_asked', 'approval_resolved', 'question_answered');
INSERT INTO events (session, seq, time, turn, scope, kind, body) SELECT * FROM again ORDER BY session, seq;
DROP TABLE again;
