"""The tables of the store as SQL, unqualified, so that the benchmark can create the same ones in a schema of its own."""

# The primary key is the optimistic lock. `payload` and `meta` are text because jsonb does not keep the hashed bytes.
# No CHECK constraints: PostgreSQL prepares their expressions for each statement, 8 % of an append, and what they would
# refuse (a salt of another length) `chain.forge` never writes and an audit finds.
# The epoch's default is a literal that `events_bump_epoch` alters: a look-up would add to the cost of every append.
TABLES = """
CREATE TABLE events_event (
    stream uuid NOT NULL,
    version int NOT NULL,
    type text NOT NULL,
    type_version smallint NOT NULL,
    payload text NOT NULL,
    meta text NOT NULL,
    command_id uuid NOT NULL,
    command_seq smallint NOT NULL,
    occurred_at timestamptz NOT NULL,
    recorded_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    salt bytea NOT NULL,
    hash bytea NOT NULL,
    epoch smallint NOT NULL DEFAULT 1,
    xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    pos bigint GENERATED ALWAYS AS IDENTITY,
    PRIMARY KEY (stream, version)
);
CREATE UNIQUE INDEX events_event_command ON events_event (stream, command_id) WHERE command_seq = 0;
CREATE INDEX events_event_feed ON events_event (epoch, xid, pos);

CREATE TABLE events_epoch (
    single boolean PRIMARY KEY DEFAULT true CHECK (single),
    epoch smallint NOT NULL,
    system_identifier bigint NOT NULL,
    timeline int NOT NULL
);
INSERT INTO events_epoch (epoch, system_identifier, timeline)
    SELECT 1, s.system_identifier, c.timeline_id FROM pg_control_system() s, pg_control_checkpoint() c;

CREATE TABLE events_snapshot (
    stream uuid NOT NULL,
    version int NOT NULL CHECK (version > 0),
    fingerprint text NOT NULL,
    hash bytea NOT NULL,
    payload bytea NOT NULL,
    made_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (stream, fingerprint, version)
);
"""

# ENABLE ALWAYS: a session that sets session_replication_role to replica bypasses other triggers.
WALLS = """
CREATE FUNCTION events_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events_event is append-only: % is refused', TG_OP
        USING ERRCODE = 'insufficient_privilege', HINT = 'Append an event that says what is to hold from now on.';
END $$;
CREATE TRIGGER events_event_rows BEFORE UPDATE OR DELETE ON events_event FOR EACH ROW EXECUTE FUNCTION events_refuse();
CREATE TRIGGER events_event_table BEFORE TRUNCATE ON events_event FOR EACH STATEMENT EXECUTE FUNCTION events_refuse();
ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_rows;
ALTER TABLE events_event ENABLE ALWAYS TRIGGER events_event_table;
"""

# Run by the owner, since it alters the table. Cursors of earlier epochs then continue with the rest of the older epoch, followed
# by the new one.
EPOCH = """
CREATE FUNCTION events_bump_epoch() RETURNS smallint LANGUAGE plpgsql AS $$
DECLARE
    bumped smallint;
BEGIN
    LOCK TABLE events_event IN ACCESS EXCLUSIVE MODE;
    UPDATE events_epoch SET epoch = epoch + 1,
        system_identifier = (SELECT system_identifier FROM pg_control_system()),
        timeline = (SELECT timeline_id FROM pg_control_checkpoint())
        RETURNING epoch INTO bumped;
    EXECUTE format('ALTER TABLE events_event ALTER COLUMN epoch SET DEFAULT %s', bumped);
    RETURN bumped;
END $$;
"""

# Each is run as a whole: a splitter at semicolons would not understand the function bodies.
CREATE = [TABLES, WALLS, EPOCH]

DROP = [
    "DROP TABLE events_event, events_epoch, events_snapshot",
    "DROP FUNCTION events_refuse()",
    "DROP FUNCTION events_bump_epoch()",
]
