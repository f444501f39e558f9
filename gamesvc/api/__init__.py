"""HTTP for programs: bearer tokens, problem details, versions as ETags, idempotency keys."""
