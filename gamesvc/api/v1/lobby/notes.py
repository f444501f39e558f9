"""The private notes of a player about a match."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PRIVATE, PROBLEMS, View, documented
from gamesvc.matches.lobby import notes


class NewNotes(schemas.Strict):
    text = serializers.CharField(allow_blank=True, max_length=2 * notes.LONGEST, help_text=f"At most {notes.LONGEST} characters.")


class NotesShape(schemas.Shape):
    text = serializers.CharField(help_text="Empty: there are none.")


class MatchNotes(View):
    @documented(responses={200: NotesShape, **PROBLEMS}, operation_id="matches_notes")
    def get(self, request: Request, ident: str) -> Response:
        """Return your private notes about a match. Nobody else reads them."""
        access, _seat = self.seated(ident)
        return Response({"text": notes.read(access.match, self.user)}, headers=PRIVATE)

    @documented(request=NewNotes, responses={200: NotesShape, **PROBLEMS, 422: schemas.Problem}, operation_id="matches_notes_set")
    def put(self, request: Request, ident: str) -> Response:
        """Replace your private notes about a match; an empty text deletes them."""
        text = self.body(NewNotes)["text"]
        access, _seat = self.seated(ident)
        return Response({"text": notes.write(access.match, self.user, text)}, headers=PRIVATE)
