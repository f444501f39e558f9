"""The append-only event store: streams, the feed, snapshots, checkpoints and their proofs. Knows no game and no user."""
