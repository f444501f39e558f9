"""JSON in and out, by orjson. Oversized bodies are refused before they are read, forbidden text after."""

from __future__ import annotations

from collections.abc import Mapping
from typing import IO

import orjson
from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer

from gamesvc.api.errors import BadRequest, TooLarge
from gamesvc.games.kernel import intake
from gamesvc.json_types import JsonObject


class JSON(BaseRenderer):
    media_type = "application/json"
    format = "json"
    charset = None

    def render(
        self, data: object, accepted_media_type: str | None = None, renderer_context: Mapping[str, object] | None = None
    ) -> bytes:
        # Labels in a form's schema are keyed by what they name, which may be a number; JSON needs text.
        return b"" if data is None else orjson.dumps(data, option=orjson.OPT_NON_STR_KEYS)


class JSONBody(BaseParser):
    media_type = "application/json"

    def parse(
        self, stream: IO[bytes], media_type: str | None = None, parser_context: Mapping[str, object] | None = None
    ) -> JsonObject:
        limit = settings.API_BODY_BYTES
        length = int(getattr(stream, "META", {}).get("CONTENT_LENGTH") or 0)
        if length > limit:
            raise TooLarge(limit)
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise TooLarge(limit)
        try:
            data = orjson.loads(body)
        except orjson.JSONDecodeError as error:
            raise ParseError(f"The body is not JSON: {error}.") from None
        if not isinstance(data, dict):
            raise ParseError("The body must be a JSON object.")
        if fault := intake.value_fault(data):
            errors = [{"pointer": fault.pointer, "detail": fault.detail}]
            raise BadRequest(fault.detail, code=fault.code, more={"errors": errors})
        return data
