"""Making the OpenAPI document, once at a time in each process."""

from __future__ import annotations

import threading
from typing import Any

from drf_spectacular.generators import SchemaGenerator


class OneAtATime(SchemaGenerator):
    """Describes the API for one caller at a time: drf-spectacular loads its extensions at first use, without a lock."""

    _describing = threading.Lock()

    def get_schema(self, *args: Any, **options: Any) -> Any:
        with self._describing:
            return super().get_schema(*args, **options)  # type: ignore[no-untyped-call]
