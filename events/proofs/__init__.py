"""Checkpoints over the heads of all streams, and proofs that a stream is in one."""
