"""Operations of migrations without a transaction: if a start is killed, some are done, and the next start repeats them."""

from __future__ import annotations

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


class AddIndexAgain(AddIndexConcurrently):
    """Build an index beside the running service. What an earlier start has left of it, whole or broken off, is removed first."""

    def database_forwards(self, app_label: str, schema_editor: BaseDatabaseSchemaEditor, from_state: Any, to_state: Any) -> None:
        super().database_backwards(app_label, schema_editor, to_state, from_state)
        super().database_forwards(app_label, schema_editor, from_state, to_state)
