"""Names for JSON objects. Schemas and readers check their content on input; the type checker does not."""

from collections.abc import Mapping
from typing import Any

JsonObject = dict[str, Any]
"""A JSON object under construction."""
JsonMapping = Mapping[str, Any]
"""A JSON object to read."""
