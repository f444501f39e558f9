"""The page behind each problem's address (`type` of RFC 9457): the meaning of a code, and what to do.

Codes of games are explained by the sentence that comes with each. Their page says how to read a problem.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

_CODE = re.compile(r"\A[a-z][a-z0-9_]{1,59}\Z")


@dataclass(frozen=True, slots=True)
class Entry:
    """One code: its title, its meaning, and what to do."""

    title: str
    meaning: str
    advice: str


_FIELD = "The sentence in `detail` says which values fit; `parameter` and `errors` name the field."
_AGAIN = "Send it again as it is: the same Idempotency-Key makes sure that it counts once."
_LOOK = "Fetch the view again, look at what happened since, and decide anew with the new ETag."

PROBLEMS: dict[str, Entry] = {
    # HTTP
    "bad_request": Entry("The request cannot be read", "The body is no JSON, or its fields do not fit.", _FIELD),
    "bad_text": Entry(
        "A text that cannot be taken",
        "It holds the character U+0000 or half of a surrogate pair, or a name in an object is too long.",
        "`errors` points at it. Leave the character out, or shorten the name.",
    ),
    "bad_number": Entry("The number is too large", "Numbers are whole, up to 2^53 - 1.", "`errors` points at it."),
    "bad_encoding": Entry("Another encoding than UTF-8", "All text that is sent here is UTF-8.", "Send it in UTF-8."),
    "too_deep": Entry("Nested too deeply", "Lists and objects may be nested 32 levels deep.", "`errors` points at it."),
    "too_long": Entry("Too long", "A command has at most 16 KB as JSON.", "Send less; `detail` says how much is read."),
    "not_signed_in": Entry(
        "Who are you?",
        "There was no token, or one that does not exist, has expired or was revoked.",
        "Send `Authorization: Bearer gsk_...` with a token from your account page, or sign in.",
    ),
    "forbidden": Entry(
        "Not allowed",
        "You may know of this, and may not do it: your token lacks the scope, or it is somebody else's to do.",
        "Read `detail`; make a token with the scope it names, or ask the host of the match.",
    ),
    "not_found": Entry(
        "Not found",
        "There is nothing at this address, or nothing for you: a match that you may not see looks the same as one that is not.",
        "Check the number; for a match that is open by link, add `?link=` with its token.",
    ),
    "fault": Entry("Something broke here", "The fault is ours; it has been noted.", _AGAIN),
    "method_not_allowed": Entry("Not possible with this method", "The address takes other methods.", "See the API description."),
    "not_acceptable": Entry("Not available in this form", "The answer is JSON only.", "Send `Accept: application/json`."),
    "too_large": Entry("The body is too large", "We read only so many bytes.", "Send less; `detail` says how much is read."),
    "unsupported_media_type": Entry(
        "The body has a type that is not read here", "Bodies are JSON.", "Send `Content-Type: application/json`."
    ),
    "too_many": Entry(
        "Too many requests", "You have reached a limit.", "Wait for the seconds that the header Retry-After names."
    ),
    "key_missing": Entry(
        "The Idempotency-Key is missing",
        "Requests that create or command something carry a key, so that a repetition does nothing twice.",
        "Send the header Idempotency-Key with 1 to 255 characters: new for each new request, the same for a retry.",
    ),
    "key_reused": Entry(
        "This key is taken",
        "The Idempotency-Key was used before for another request of yours.",
        "Use a new key for a new request.",
    ),
    "version_missing": Entry(
        "Which version have you seen?", "A command says which position it answers.", "Send If-Match with the ETag of the view."
    ),
    "version_unknown": Entry(
        "This is no version of your view", "If-Match holds something else than an ETag of this match as your seat saw it.", _LOOK
    ),
    "stale": Entry("The match has moved on", "Something happened that outdates what you sent. Nothing was done.", _LOOK),
    "unavailable": Entry(
        "Not available for the moment",
        "The service cannot reach its database.",
        f"Wait for the seconds that the header Retry-After names. {_AGAIN}",
    ),
    "busy": Entry("Too many writers", "Others were faster several times in a row.", _AGAIN),
    "not_confirmed": Entry("Not confirmed", "What cannot be taken back is asked for twice.", _FIELD),
    # opening a match
    "unknown_game": Entry("No such game", "The game is not offered here.", "GET /api/v1/games/ lists those that are."),
    "bad_seats": Entry("The number of seats does not fit", "Each game has its own range.", _FIELD),
    "bad_options": Entry("The options do not fit", "The game's options have a JSON Schema.", "See `schema` of the game."),
    "bad_hours": Entry("The time does not fit", "It lies outside of what is allowed.", _FIELD),
    "bad_clock": Entry("The clock does not fit", "The policy is not one, or leaves no time to act.", "See GET /api/v1/clocks/."),
    "bad_entry": Entry("Entry or watching does not fit", "Both are one of a few words.", _FIELD),
    "bad_press": Entry("Press does not fit", "`press` is none, public or private.", _FIELD),
    "bad_bots": Entry("The bots do not fit", "A bot is not known to the game, or has no seat.", _FIELD),
    "bad_contribution": Entry("The contribution is too long", "It goes into the key of all draws.", _FIELD),
    "bad_invitation": Entry(
        "The invitation does not fit",
        "It names nobody or two people, or its link was used, declined, or is for another user.",
        "Name one user or one address; ask for a new invitation.",
    ),
    "bad_address": Entry("This is no mail address", "It cannot be written to.", _FIELD),
    "unknown_user": Entry("There is no such user", "Nobody has this name here.", "Check how it is written, or invite by mail."),
    "invited_already": Entry("Invited already", "This user has an invitation to the match.", "Wait for the answer."),
    # seats
    "not_host": Entry("Only the host may do this", "You did not open this match.", "Ask its host."),
    "not_yours": Entry("Not yours to do", "Only the host and the players do this.", "Ask one of them."),
    "not_open": Entry("The match is no longer open", "Seats change before the start only.", "Find another match in the lobby."),
    "not_invited": Entry("By invitation only", "The match is open to invited players.", "Ask its host for a link."),
    "joined_already": Entry("You have a seat already", "Nobody holds two seats of a match.", "Play the one you have."),
    "another_seat": Entry(
        "You held another seat of this match",
        "You know what that seat hides, so until the end you play from no other one.",
        "Take your own seat again when it is free, watch, or play another match.",
    ),
    "too_often": Entry(
        "You have left this match too often",
        "Each time a seat falls free others are called to take it, so a player comes back a few times only.",
        "Leave the seat to somebody else; you can still watch.",
    ),
    "looked_behind": Entry(
        "You have looked behind in this match",
        "As an operator you have seen what a seat hides, so you take no seat in it.",
        "Watch, or play another match.",
    ),
    "seat_taken": Entry("The seat is not free", "Somebody holds it.", "Take one of those that `detail` names."),
    "seats_free": Entry("Seats are free", "The match starts when all are taken.", "Wait, or name a bot for them."),
    "no_seat": Entry("No seat", "You, or the one named, hold no seat in this match.", "Look at the seats of the match."),
    # playing
    "not_started": Entry("The match has not started", "It starts when all seats are taken.", "Wait for the mail that says so."),
    "not_running": Entry("The match is not running", "It has not started, or is over.", "Look at its status."),
    "match_over": Entry("The match is over", "Nothing more can be played.", "Look at it, export it, or fork it."),
    "too_late": Entry("Too late", "The order came after the deadline of its question; the clock has answered.", _LOOK),
    "not_offered": Entry("Not offered", "No form offers this command with these values now.", "Fetch the forms again."),
    "not_your_turn": Entry("Not your turn", "Another seat is awaited.", "Wait for the mail that says it is your turn."),
    "unreadable": Entry("The order cannot be read", "It is not written as the game's notation.", "See `help` of the forms."),
    "no_such_version": Entry("No such version", "The match has not come there, or you do not know of it.", _FIELD),
    "told_too_often": Entry(
        "The others were told of this too often",
        "Pauses, taking back and an organiser's measures are told to the players by mail, so each has a cap in a match.",
        "Try again when `detail` says.",
    ),
    "unseen_too_often": Entry(
        "You have changed your orders too often",
        "Of orders nobody else is told, but all who look at the match look over them, so they have a cap in a match.",
        "Your last orders hold; try again when `detail` says.",
    ),
    "quiet_hours_stay": Entry(
        "Quiet hours stay as they are for a week",
        "Clocks stand still in them, so they are not moved from day to day.",
        "End them, or set others when `detail` says.",
    ),
    # undo
    "never": Entry("Nothing is taken back here", "The match was opened with `undo: never`.", "Play on."),
    "nothing_to_undo": Entry("Nothing to take back", "You have not acted since you were last asked.", "Play on."),
    "nothing_to_redo": Entry("Nothing to redo", "There is no undo of yours that nothing has followed.", "Play on."),
    "draw_stays": Entry("What was drawn stays", "Chance is not given back where nobody can agree to it.", "Play on."),
    "asked_already": Entry("A request is open", "It is answered, withdrawn or lapses first.", "Wait for it."),
    "no_request": Entry("There is no request", "It was answered, or the match has moved on.", _LOOK),
    "not_asked": Entry("Not asked", "Your word is not needed, or you gave it.", "Wait for the others."),
    "own_request": Entry("Your own request", "The others answer it; you may withdraw it.", "Send `accept: false`."),
    # clocks, pauses, organisers
    "paused_already": Entry("The match is paused", "Its clocks stand already.", "Nothing needs to be done."),
    "not_paused": Entry("The match is not paused", "Its clocks run.", "Nothing needs to be done."),
    "not_awaited": Entry("No clock runs", "The seat is asked nothing now.", "Look who is awaited."),
    "bad_extension": Entry("An extension gives more time", "It cannot take any away.", _FIELD),
    "bad_action": Entry("No such measure", "`action` is one of those that `detail` names.", _FIELD),
    "bad_code": Entry("No such reason", "`code` is one of those that `detail` names.", _FIELD),
    "bad_reason": Entry("A reason is needed", "It is read by the players and has 1 to 1000 characters.", _FIELD),
    "bad_version": Entry("This version cannot be gone back to", "It must lie between two commands, after the start.", _FIELD),
    "bad_seat": Entry("No such seat", "Seats are numbered from 0.", _FIELD),
    "nothing_hidden": Entry("Nothing is hidden", "Only a running match hides anything.", "Look at the match itself."),
    # press
    "press_off": Entry("No press in this match", "It was opened without.", "Nobody can be written to here."),
    "press_public_only": Entry("Public press only", "In this match one writes to all.", 'Send `to: "all"`.'),
    "press_nobody": Entry("Nobody reads there", "The seat is empty, a bot's, or your own.", _FIELD),
    "press_empty": Entry("There is nothing to pass on", "The message was empty.", "Write something; by mail at the very top."),
    "press_too_long": Entry("The message is too long", "A message has at most 2000 characters.", "Shorten it, or send two."),
    # tokens
    "bad_token_name": Entry("The token needs a name", "1 to 60 printable characters.", _FIELD),
    "bad_scopes": Entry("The scopes do not fit", "They are read, play, account, organise and operate.", _FIELD),
    "scope_not_allowed": Entry(
        "This scope is not yours to give",
        "A token makes only tokens with scopes of its own, and `operate` is for operators.",
        "Leave the scope out, or make the token on your account page.",
    ),
    "bad_expiry": Entry(
        "The expiry does not fit", "It lies in the future, and no later than that of the token which makes the new one.", _FIELD
    ),
    "password_needed": Entry(
        "Your password is needed",
        "A token or an open browser alone does not erase an account.",
        "Send `password`, or use an `account` token that you made on your account page within the last hour.",
    ),
    "wrong_password": Entry("This is not your password", "Nothing was changed.", "Send the right one, or choose a new one."),
    "too_many_passwords": Entry(
        "Too many wrong passwords", "Tries count as tries to sign in do.", "Wait five minutes, then send the right one."
    ),
    "too_many_tokens": Entry("Too many tokens", "You have as many as one may have.", "Revoke one that is not used any more."),
    # reading
    "bad_before": Entry(
        "The page cannot be found", "`before` comes from `next` of the page before.", "Begin with the first page."
    ),
    "bad_cursor": Entry(
        "The page cannot be found", "`cursor` comes from `next` of the page before.", "Begin with the first page."
    ),
    "bad_status": Entry("No such status", "`status` is one of those that `detail` names.", _FIELD),
    "bad_at": Entry("This is no moment", "A moment looks like 2026-11-20T20:00:00Z.", _FIELD),
    "no_checkpoint": Entry(
        "No checkpoint", "None has been made yet that shows this, or the service signs none.", "One is made every hour."
    ),
}

FALLBACK = Entry(
    "The rules do not allow this",
    "The code comes from the game that is played, or is one of the rarer ones of the service. Nothing was changed.",
    "The sentence in `detail` says what is wrong and what would be right; `parameter` names the value at fault. What is possible "
    "now is in the forms of the match (`GET /api/v1/matches/NUMBER/forms/`), and the rules of the game are on its page.",
)


@require_safe
def problem_page(request: HttpRequest, code: str) -> HttpResponse:
    """Explain a code. Codes of games get general advice."""
    if not _CODE.match(code):
        raise Http404("This is no code of ours.")
    entry = PROBLEMS.get(code, FALLBACK)
    answer = render(request, "web/problem.html", {"code": code, "entry": entry})
    answer["Cache-Control"] = "public, max-age=3600" if request.user.is_anonymous else "private, no-cache"
    return answer
