"""The tables of the checkpoints as SQL, protected like the log: the runtime role may read and append."""

# Only the heads that changed since the checkpoint before: the leaves of checkpoint n are each stream's newest row up to n. `salt`
# goes into every leaf of its checkpoint and is shown in proofs only; it is empty if each leaf has its own.
TABLES = """
CREATE TABLE events_checkpoint (
    number int PRIMARY KEY,
    made_at timestamptz NOT NULL,
    streams int NOT NULL,
    root bytea NOT NULL,
    previous bytea NOT NULL,
    key bytea NOT NULL,
    signature bytea NOT NULL,
    salt bytea NOT NULL
);
CREATE TABLE events_checkpoint_head (
    stream uuid NOT NULL,
    checkpoint int NOT NULL REFERENCES events_checkpoint,
    version int NOT NULL,
    hash bytea NOT NULL,
    PRIMARY KEY (stream, checkpoint)
);
"""

WALLS = """
CREATE FUNCTION events_checkpoint_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only: % is refused', TG_TABLE_NAME, TG_OP USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER events_checkpoint_rows BEFORE UPDATE OR DELETE ON events_checkpoint
    FOR EACH ROW EXECUTE FUNCTION events_checkpoint_refuse();
CREATE TRIGGER events_checkpoint_table BEFORE TRUNCATE ON events_checkpoint
    FOR EACH STATEMENT EXECUTE FUNCTION events_checkpoint_refuse();
CREATE TRIGGER events_checkpoint_head_rows BEFORE UPDATE OR DELETE ON events_checkpoint_head
    FOR EACH ROW EXECUTE FUNCTION events_checkpoint_refuse();
CREATE TRIGGER events_checkpoint_head_table BEFORE TRUNCATE ON events_checkpoint_head
    FOR EACH STATEMENT EXECUTE FUNCTION events_checkpoint_refuse();
ALTER TABLE events_checkpoint ENABLE ALWAYS TRIGGER events_checkpoint_rows;
ALTER TABLE events_checkpoint ENABLE ALWAYS TRIGGER events_checkpoint_table;
ALTER TABLE events_checkpoint_head ENABLE ALWAYS TRIGGER events_checkpoint_head_rows;
ALTER TABLE events_checkpoint_head ENABLE ALWAYS TRIGGER events_checkpoint_head_table;
"""

CREATE = [TABLES, WALLS]

DROP = [
    "DROP TABLE events_checkpoint_head, events_checkpoint",
    "DROP FUNCTION events_checkpoint_refuse()",
]
