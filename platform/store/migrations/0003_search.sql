-- Full-text search over what people and the main agent said. Commentary and sub-agents are included: they are on the
-- screen too. rowid is events.id.
CREATE VIRTUAL TABLE texts USING fts5 (
    text,
    tokenize = "unicode61 remove_diacritics 2"
);

CREATE TRIGGER events_text AFTER INSERT ON events
WHEN NEW.kind IN ('user_message', 'text_final')
BEGIN
    INSERT INTO texts (rowid, text) VALUES (NEW.id, coalesce(NEW.body ->> '$.text', ''));
END;

-- Also fired by the cascade of a deleted session.
CREATE TRIGGER events_text_gone AFTER DELETE ON events
WHEN OLD.kind IN ('user_message', 'text_final')
BEGIN
    DELETE FROM texts WHERE rowid = OLD.id;
END;

INSERT INTO texts (rowid, text)
    SELECT id, coalesce(body ->> '$.text', '') FROM events WHERE kind IN ('user_message', 'text_final');

-- A deleted session's words must not stay readable in the index.
INSERT INTO texts (texts, rank) VALUES ('secure-delete', 1);
