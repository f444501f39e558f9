"""The signed checkpoints, which are public, and the proof that a match is in one."""

from __future__ import annotations

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from events.proofs import checkpoints
from gamesvc import paging
from gamesvc.api.errors import BadRequest
from gamesvc.api.v1 import schemas
from gamesvc.api.v1.base import PROBLEMS, View, documented, whole_parameter
from gamesvc.matches.errors import Unknown
from gamesvc.matches.proof import export


class Statement(schemas.Shape):
    """The content of a checkpoint, which is what is signed."""

    number = serializers.IntegerField()
    made_at = serializers.DateTimeField()
    streams = serializers.IntegerField(help_text="How many matches the root is over.")
    root = serializers.CharField()  # type: ignore[assignment]
    previous = serializers.CharField(help_text="Hash of the checkpoint before; zeros for the first.")


class Checkpoint(schemas.Shape):
    statement = Statement()
    key = serializers.CharField(help_text="Ed25519 public key, in hex.")
    signature = serializers.CharField()


class CheckpointPage(schemas.Shape):
    results = Checkpoint(many=True)
    next = serializers.CharField(allow_null=True)


class PublicKey(schemas.Shape):
    algorithm = serializers.CharField()
    key = serializers.CharField(help_text="In hex; `verify --key` takes this answer as a file.")
    former = serializers.ListField(child=serializers.CharField(), help_text="Keys that signed earlier checkpoints.")


class Inclusion(schemas.Shape):
    """The proof that a match is in a checkpoint with this version and hash."""

    version = serializers.IntegerField()
    hash = serializers.CharField()
    salt = serializers.CharField()
    index = serializers.IntegerField()
    path = serializers.ListField(child=serializers.CharField())


class ProvenCheckpoint(Checkpoint):
    proof = Inclusion()


def missing(detail: str) -> Unknown:
    return Unknown(detail, code="no_checkpoint")


class Checkpoints(View):
    @documented(
        parameters=[whole_parameter("before", "Checkpoints with a lower number.")],
        responses={200: CheckpointPage, 400: schemas.Problem},
        operation_id="checkpoints_list",
    )
    def get(self, request: Request) -> Response:
        """List the checkpoints over all matches, newest first. Keep them: they prove later that nothing was changed."""
        before = request.query_params.get("before")
        if before is not None and (not before.isdecimal() or len(before) > 9):
            raise BadRequest("`before` must be the number of a checkpoint.", code="bad_before")
        found = checkpoints.page(int(before) if before is not None else None, paging.CHECKPOINTS)
        # Numbers have no gaps: after a full page there are more, unless it ends with the first one.
        more = f"?before={found[-1].number}" if len(found) == paging.CHECKPOINTS and found[-1].number > 1 else None
        return Response({"results": [one.as_json() for one in found], "next": more})


class LatestCheckpoint(View):
    @documented(responses={200: Checkpoint, 404: schemas.Problem}, operation_id="checkpoints_latest")
    def get(self, request: Request) -> Response:
        """Return the newest checkpoint."""
        found = checkpoints.newest()
        if found is None:
            raise missing("No checkpoint has been made yet; one is made every hour and at each match's end.")
        return Response(found.as_json())


class CheckpointDetail(View):
    @documented(responses={200: Checkpoint, 404: schemas.Problem}, operation_id="checkpoints_retrieve")
    def get(self, request: Request, number: int) -> Response:
        """Return one checkpoint by its number."""
        found = checkpoints.get(number) if number < 2**31 - 1 else None
        if found is None:
            raise missing(f"There is no checkpoint {number}.")
        return Response(found.as_json())


class PublicKeyDetail(View):
    @documented(responses={200: PublicKey, 404: schemas.Problem}, operation_id="checkpoints_key")
    def get(self, request: Request) -> Response:
        """Return the key that signs the checkpoints. Keep it: a file that carries its own key proves nothing by it."""
        keys = [key.hex() for key in checkpoints.trusted()]
        if not keys:
            raise missing("This service signs no checkpoints.")
        return Response({"algorithm": "Ed25519", "key": keys[0], "former": keys[1:]})


class MatchProof(View):
    @documented(responses={200: ProvenCheckpoint, **PROBLEMS}, operation_id="matches_proof")
    def get(self, request: Request, ident: str) -> Response:
        """Return the newest checkpoint of a match that you may see, with the proof that the match is in it."""
        access = self.access(ident)
        found = export.inclusion(access.load(), access.viewer)
        if found is None:
            raise missing("No checkpoint shows this match yet; there is one within the hour, and after its end at once.")
        answer = Response(found.as_json())
        answer["Cache-Control"] = "private, no-cache"
        return answer
