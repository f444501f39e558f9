"""Names for JSON objects. Schemas and readers check what is in them when it comes in, not the type checker."""

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
"""A JSON object that is being made."""
JsonMapping = Mapping[str, Any]
"""A JSON object that is only read."""
