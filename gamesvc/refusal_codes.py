"""Meanings of the service's own refusal codes, for the page behind a problem's address. Each game explains its own.

An error whose class has a code says itself what it means (`errors`). Here are the codes that an instance brings. The title of
the problem in the API is that of the class; the sentence that came with it says more than any of these.
"""

from __future__ import annotations

from gamesvc.errors import Meaning

_FIELD = "The sentence in `detail` says which values fit; `parameter` and `errors` name the field."
_LOOK = "Fetch the view again, look at what happened since, and decide again with the new ETag."
_FIRST_PAGE = "Begin with the first page."
_PLAY_ON = "Play on."
_NUMBER = Meaning("This is not a number", "This part of the query is a whole number.", _FIELD)

# Text and numbers of any door.
_VALUES = {
    "bad_text": Meaning(
        "A text that cannot be taken",
        "It holds the character U+0000 or half of a surrogate pair, or a name in an object is too long.",
        "`errors` points at it. Leave the character out, or shorten the name.",
    ),
    "bad_number": Meaning(
        "The number does not fit", "Numbers are whole, up to 2^53 - 1, and some have a range of their own.", _FIELD
    ),
    "bad_encoding": Meaning("Another encoding than UTF-8", "All text that is sent here is UTF-8.", "Send it in UTF-8."),
    "too_deep": Meaning("Nested too deeply", "Lists and objects may be nested 32 levels deep.", "`errors` points at it."),
    "too_long": Meaning("Too long", "A command has at most 16 KB as JSON.", "Send less; `detail` says how much is read."),
}

_OPENING = {
    "unknown_game": Meaning("No such game", "The game is not offered here.", "GET /api/v1/games/ lists those that are."),
    "bad_seats": Meaning("The number of seats does not fit", "Each game has its own range.", _FIELD),
    "bad_options": Meaning("The options do not fit", "The game's options have a JSON Schema.", "See `schema` of the game."),
    "bad_hours": Meaning("The time does not fit", "It lies outside of what is allowed.", _FIELD),
    "bad_clock": Meaning("The clock does not fit", "It is not a policy, or leaves no time to act.", "See GET /api/v1/clocks/."),
    "no_time": Meaning("The clock leaves no time", "Nobody could act within five minutes, or hardly any time counts.", _FIELD),
    "bad_entry": Meaning("Entry or watching does not fit", "Both are one of a few words.", _FIELD),
    "bad_watch_delay": Meaning("The delay for spectators does not fit", "It is 0 to 720 hours.", _FIELD),
    "bad_press": Meaning("Press does not fit", "`press` is none, public or private.", _FIELD),
    "bad_undo": Meaning("Undo does not fit", "`undo` is free, consent or never.", _FIELD),
    "bad_reliability": Meaning("The requirement does not fit", "`reliability` has `finished` and `timeouts`.", _FIELD),
    "bad_bots": Meaning("The bots do not fit", "The game does not know a bot, or a bot has no seat.", _FIELD),
    "bad_contribution": Meaning("The contribution is too long", "It goes into the key of all draws.", _FIELD),
    "bad_position": Meaning(
        "This is not a position of the game", "A match begins from a position that its rules could have led to.", _FIELD
    ),
    "not_over": Meaning("The match is not over", "A rematch follows the end of a match.", "Play on."),
    "no_rematch": Meaning("No rematch", "It began from a position, is an analysis board, or never began.", "Open a new match."),
    "rematch_open": Meaning("The rematch is open already", "You have opened one since the end.", "`detail` names it."),
    "no_open_match": Meaning("No open match", "You have none to which you could invite.", "Open a match first."),
    "several_open_matches": Meaning("Several open matches", "The invitation names none of them.", "Name one by its number."),
    "game_over": Meaning("The game is over in this position", "Nothing is left to play.", "Begin from an earlier position."),
    "anonymous": Meaning(
        "The names are hidden", "The players of an anonymous match cannot be taken over into another.", "Leave the players out."
    ),
    "another_order": Meaning(
        "The step asks for another order",
        "The rules allow the order, but this step of the lesson shows another one.",
        "Play the order that the step names; in a match you are free.",
    ),
    "bad_invitation": Meaning(
        "The invitation does not fit",
        "It names nobody or two people, or its link was used, declined, or is for another user.",
        "Name one user or one address; ask for a new invitation.",
    ),
    "bad_address": Meaning("The address does not fit", "Nothing can be sent there.", _FIELD),
    "bad_name": Meaning("The name does not fit", "A player needs a name that others can call them by.", "Choose another name."),
    "name_taken": Meaning("The name is taken", "Another player has this name.", "Choose another name."),
    "unknown_user": Meaning("There is no such user", "Nobody has this name here.", "Check how it is written, or invite by mail."),
    "invited_already": Meaning("Invited already", "This user has an invitation to the match.", "Wait for the answer."),
}

_SEATS = {
    "not_host": Meaning("Only the host may do this", "You did not open this match.", "Ask its host."),
    "not_yours": Meaning("Not yours to do", "Only the host and the players do this.", "Ask one of them."),
    "not_open": Meaning("The match is no longer open", "Seats change before the start only.", "Find another match in the lobby."),
    "not_invited": Meaning("By invitation only", "The match is open to invited players.", "Ask its host for a link."),
    "not_together": Meaning(
        "Not in the same match",
        "A block stands between you and another player. Who set it is not told.",
        "Find another match, or invite another player.",
    ),
    "not_for_bots": Meaning(
        "Not for bots",
        "Open matches, substitute seats, reports, own bot accounts, and forks of what its owner rules on, are for people.",
        "Challenge another player or bot instead.",
    ),
    "people_only": Meaning(
        "This player does not play bots",
        "Bots may challenge other bots, and players who allow it.",
        "The player allows it with `plays_bots` of their account.",
    ),
    "bot_busy": Meaning(
        "The bot plays as many matches as it can", "Its owner sets how many run at the same time.", "Try again later."
    ),
    "bad_challenge": Meaning("No such challenge", "It is not yours, or no longer open.", "List your challenges again."),
    "unknown_bot": Meaning("No such bot account", "You have none of this name.", "GET /api/v1/me/bots/ lists yours."),
    "bad_bot_name": Meaning("The name does not fit a bot", "It ends with -bot, and nobody else has it.", _FIELD),
    "bad_bot_matches": Meaning("The number of matches does not fit", "A bot plays 1 to 50 at the same time.", _FIELD),
    "bot_plays": Meaning(
        "The bot has played in a match that still runs",
        "Without it nobody would know whose the seat was.",
        "Erase it when its matches are over; until then its keys can be revoked.",
    ),
    "own_bots": Meaning(
        "One person would play two seats among others",
        "What a bot sees its owner knows, so both play together only where nobody else does.",
        "Take a seat in another match, or play the bot in a match of its own.",
    ),
    "too_many_bots": Meaning("Too many bot accounts", "A user has 5 at most.", "Erase one that you no longer use."),
    "not_reliable": Meaning(
        "For reliable players only",
        "The match asks for players who finish their matches and answer in time.",
        "Find another match in the lobby; `detail` says what this one asks for.",
    ),
    "joined_already": Meaning("You have a seat already", "Nobody holds two seats of a match.", "Play the one you have."),
    "another_seat": Meaning(
        "You held another seat of this match",
        "You know what that seat hides, so until the end you cannot play another one.",
        "Take your own seat again when it is free, watch, or play another match.",
    ),
    "too_often": Meaning(
        "You have left this match too often",
        "Each time a seat falls free others are called to take it, so a player comes back a few times only.",
        "Leave the seat to another player; you can still watch.",
    ),
    "time_ran_out": Meaning(
        "Your time has run out since you left",
        "In this match running out of time loses the match, or hands the seat to a bot. Leaving the seat does not change that.",
        "Leave the seat to another player; you can still watch.",
    ),
    "looked_behind": Meaning(
        "You have looked behind in this match",
        "As an operator you have seen what a seat hides, so you cannot take a seat in it.",
        "Watch, or play another match.",
    ),
    "removed_a_player": Meaning(
        "You have removed a player from this match",
        "Who decides that a player goes does not play on in their place.",
        "Let a substitute or a bot play on, or join another match.",
    ),
    "seat_taken": Meaning("The seat is not free", "Another player or a bot holds it.", "Take one of those that `detail` names."),
    "seats_free": Meaning("Seats are free", "The match starts when all are taken.", "Wait, or name a bot for them."),
    "no_seat": Meaning("No seat", "You, or the player you name, hold no seat in this match.", "Look at the seats of the match."),
    "not_a_board": Meaning(
        "This is a match",
        "Only an analysis board can be closed at any time, goes to any version, and has a line to keep.",
        "Play on, or open an analysis board of it.",
    ),
    "no_match_behind": Meaning(
        "No match behind this board",
        "A line is kept in the running match that its board began from, by the player of that seat.",
        "Open an analysis board of a match that you play.",
    ),
    "no_answer": Meaning(
        "The line has no answer of yours",
        "What is kept are your answers to acts of other players.",
        "Play an act of another player, and what you would do then.",
    ),
    "line_uncertain": Meaning(
        "The line hangs on chance or hidden facts",
        "In the match these dice or cards fall in another way, so no order can be kept for them.",
        "Keep the line up to there, or write a condition as text.",
    ),
    "line_left": Meaning(
        "The match has taken another way",
        "Since the board began, the match has made other acts than its line.",
        "Open an analysis board at the present position.",
    ),
    "line_too_long": Meaning("The line is too long", "A line that is kept has a limited number of steps.", "Keep a shorter one."),
    "bad_follow": Meaning("Name one thing to follow", "You follow either a game or an organiser.", _FIELD),
    "unknown_message": Meaning("There is no such message", "You can report a message that you may read.", "Check its id."),
    "bad_report": Meaning("The report does not fit", "It has a kind and words, or a message.", _FIELD),
    "report_closed": Meaning("The report is closed", "It has been decided.", "Add a note."),
    "press_banned": Meaning(
        "You may not write messages", "The operators have decided so.", "Read their mail; you can go on playing without messages."
    ),
    "bad_push": Meaning("Not the keys of a browser", "Push is encrypted for a browser.", "Turn push on again on the page."),
    "own_name": Meaning("This is you", "Blocks, reports and invitations are about other players.", "Name another player."),
    "too_many_blocks": Meaning("Too many blocks", "A user can block 500 players.", "Unblock one first."),
    "not_blocked": Meaning("You do not block this player", "There is nothing to end.", "Nothing needs to be done."),
    "unknown_follow": Meaning("You do not follow this", "There is nothing to stop.", "Nothing needs to be done."),
}

_PLAYING = {
    "resign_unconfirmed": Meaning("Resign asks first", "Nobody gives up a match by a single word.", "Write `resign yes`."),
    "not_started": Meaning("The match has not started", "It starts when all seats are taken.", "Wait for the mail that says so."),
    "not_running": Meaning("The match is not running", "It has not started, or is over.", "Look at its status."),
    "match_over": Meaning("The match is over", "Nothing more can be played.", "Look at it, export it, or fork it."),
    "too_late": Meaning("Too late", "The order came after the deadline of its question; the clock has answered.", _LOOK),
    "not_offered": Meaning("Not offered", "No form offers this command with these values now.", "Fetch the forms again."),
    "not_your_turn": Meaning("Not your turn", "Another seat is awaited.", "Wait for the mail that says it is your turn."),
    "unreadable": Meaning("The order cannot be read", "It is not written in the game's notation.", "See `help` of the forms."),
    "unknown_command": Meaning("No such command", "The game has none of this name.", "Take one of those that `detail` names."),
    "bad_parameter": Meaning("A value does not fit", "A parameter of the command does not fit its JSON Schema.", _FIELD),
    "no_such_version": Meaning("No such version", "The match has not come there, or you do not know of it.", _FIELD),
    "no_deal": Meaning(
        "No fork of this position", "What is hidden from you cannot be dealt again so that it fits.", "Fork an earlier position."
    ),
    "no_draws": Meaning("No draw by agreement", "The game ends as its rules say.", "Play on, or resign."),
    # conditional orders
    "no_standing_orders": Meaning("No standing orders", "The game asks no player between their turns.", "Wait for your turn."),
    "bad_condition": Meaning("The condition does not fit", "`when` names an event, something you see, or both.", _FIELD),
    "bad_commands": Meaning("The commands do not fit", "A conditional order has a few commands, each with its name.", _FIELD),
    "unknown_order": Meaning("No such order", "You have no conditional order with this number.", "List your conditional orders."),
}

_UNDO = {
    "never": Meaning("This match has no undo", "The match was opened with `undo: never`.", _PLAY_ON),
    "nothing_to_undo": Meaning("Nothing to undo", "You have not acted since you were last asked.", _PLAY_ON),
    "nothing_to_redo": Meaning("Nothing to redo", "You have undone nothing, or something has happened since.", _PLAY_ON),
    "draw_stays": Meaning("What was drawn stays", "Draws and rolls stay where not all others can agree to an undo.", _PLAY_ON),
    "ruled": Meaning(
        "The organiser has ruled", "The organiser rewound the match to this point. What lies before it stays.", _PLAY_ON
    ),
    "timed_out": Meaning("The clock has answered", "What the clock did cannot be undone.", _PLAY_ON),
    "asked_already": Meaning("A request is open", "It must be answered or withdrawn, or lapse, before the next.", "Wait for it."),
    "no_request": Meaning("There is no request", "It was answered, or the match has moved on.", _LOOK),
    "not_asked": Meaning("Not asked", "You are not asked to agree, or you have already answered.", "Wait for the others."),
    "own_request": Meaning("Your own request", "The others answer it. You can only withdraw it.", "Send `accept: false`."),
}

_TIME = {
    "told_too_often": Meaning(
        "Too many notices to the others",
        "Pauses, undos, an organiser's measures and offers that wait for an answer are announced to the players by mail, so each"
        " has a cap in a match, and all but such offers have one in all matches of a user together.",
        "Try again when `detail` says.",
    ),
    "unseen_too_often": Meaning(
        "Too many changes of your orders",
        "Orders that nobody else sees are stored, and every page of the match must skip them, so they have a cap: standing orders"
        " in a match, and these and conditional orders in all matches of a user together.",
        "Your last orders hold. Try again when `detail` says.",
    ),
    "aside_too_often": Meaning(
        "Too many side moves",
        "Offers, their withdrawal and the like do not move the match on, and every page looks past them, so they have a cap.",
        "What you did last holds. Go on with your turn, or try again when `detail` says.",
    ),
    "refused_too_often": Meaning(
        "Too many refusals",
        "What was refused is stored, so it has a cap for all commands and requests of a user together. Beyond it no reason is"
        " given, and the `Idempotency-Key` is not used up.",
        "Choose commands from the forms. Try again when `detail` says.",
    ),
    "asked_too_often": Meaning(
        "That player is not asked again now",
        "While the match waits for the answer to a side move, such as an offer, its maker's clock stands, and the time of the"
        " player who is asked runs. So nobody is asked without end, and nobody who did not act since their time ran out.",
        "Make the offer without waiting for the answer, or go on with your turn.",
    ),
    "recorded_too_often": Meaning(
        "Too many entries in the record",
        "Each time a player joins or pauses alone, or the host fills or empties a seat, the record grows, and every page of the"
        " match reads it, so these acts have a cap.",
        "What you did last holds. Try again when `detail` says.",
    ),
    "board_full": Meaning(
        "The analysis board is full",
        "Going back and forth a board never ends, and its page reads all of its record, so that has a limit.",
        "Open another board from its position.",
    ),
    "quiet_hours_stay": Meaning(
        "Quiet hours stay as they are for a week",
        "Clocks stand still in them, so they are not moved from day to day.",
        "End them, or set others when `detail` says.",
    ),
    "paused_already": Meaning("The match is paused", "Its clocks are already stopped.", "Nothing needs to be done."),
    "paused_by_host": Meaning("The organiser has paused the match", "Only they can resume it.", "Ask the organiser."),
    "not_paused": Meaning("The match is not paused", "Its clocks run.", "Nothing needs to be done."),
    "no_wish": Meaning("You have not asked for this", "There is nothing to withdraw.", "Nothing needs to be done."),
    "not_awaited": Meaning("No clock runs", "The seat has no pending decision.", "See which decisions are pending."),
    "bad_extension": Meaning("An extension gives more time", "It cannot take any away.", _FIELD),
    # vacations and quiet hours
    "bad_days": Meaning("The days do not fit", "A vacation starts today or later and does not end before it starts.", _FIELD),
    "too_far": Meaning("Too far ahead", "A vacation is announced a year ahead at most.", "Announce it later."),
    "overlaps": Meaning("Announced already", "Another vacation of yours holds some of these days.", "Choose other days."),
    "budget": Meaning("Not enough days are left", "Each year has its vacation days.", "Take fewer days; `detail` says how many."),
    "over": Meaning("This is over", "What you would change has ended.", "Nothing needs to be done."),
    "no_vacation": Meaning("No vacation", "You have announced none.", "Nothing needs to be done."),
    "unknown_absence": Meaning("No such vacation", "You have announced none under this number.", "List your vacations."),
    "bad_quiet_hours": Meaning("The quiet hours do not fit", "They have a beginning and an end, in your own time zone.", _FIELD),
}

_ORGANISING = {
    "bad_action": Meaning("No such measure", "`action` is one of those that `detail` names.", _FIELD),
    "bad_code": Meaning("No such reason", "`code` is one of those that `detail` names.", _FIELD),
    "bad_reason": Meaning("A reason is needed", "The players read it; it has 1 to 1000 characters.", _FIELD),
    "bad_version": Meaning(
        "This version does not fit", "A version is a whole number; one to go back to lies between two commands.", _FIELD
    ),
    "bad_seat": Meaning("No such seat", "Seats are numbered from 0.", _FIELD),
    "nothing_hidden": Meaning("Nothing is hidden", "Only a running match hides anything.", "Look at the match itself."),
}

_NOTICES = {
    "press_off": Meaning("No press in this match", "It was opened without.", "Nobody can be written to here."),
    "press_public_only": Meaning("Public press only", "In this match all messages are public.", 'Send `to: "all"`.'),
    "press_nobody": Meaning("Nobody reads there", "The seat is empty, a bot's, or your own.", _FIELD),
    "press_empty": Meaning("There is nothing to pass on", "The message was empty.", "Write something; by mail at the very top."),
    "press_orders": Meaning(
        "There are orders in the message",
        "An answer to a message goes to players. It was not passed on.",
        "To give the orders, answer the mail that asks for your turn, or a receipt.",
    ),
    "press_unclear_end": Meaning(
        "The end of the message is unclear",
        "More text stands below a closing line, or below what may introduce a quote. It was not passed on.",
        "Send it again with the word END alone in a line below it.",
    ),
    "press_too_long": Meaning("The message is too long", "A message has at most 2000 characters.", "Shorten it, or send two."),
    "note_too_long": Meaning("The notes are too long", "Notes about a match have at most 8000 characters.", "Shorten them."),
    "unknown_wish": Meaning("No such setting", "Notices have the settings that `detail` names.", _FIELD),
    "bad_points": Meaning("The reminders do not fit", "Each is a share of the time, or hours before its end.", _FIELD),
    "bad_choice": Meaning("The choice is not a possible one", "The setting is one of two.", _FIELD),
    "bad_channels": Meaning(
        "The channels do not fit", "Notices go by mail, push, webhook and chats, one after the other.", _FIELD
    ),
    "bad_kinds": Meaning("The kinds do not fit", "A webhook gets all kinds of notices, or those that you name.", _FIELD),
    "too_many_webhooks": Meaning("Too many webhooks", "You have as many as you may.", "Remove one that nothing listens to."),
    "unknown_service": Meaning("No such chat service", "Notices go to the services that `detail` names.", _FIELD),
    "not_again": Meaning(
        "The delivery cannot be sent again",
        "The webhook is switched off, or nothing was ever sent.",
        "Switch the webhook on; for a test, send a ping.",
    ),
    "no_digest": Meaning(
        "A digest is needed", "Mails that wait need a digest that tells of them.", "Choose an hour for it, or let every mail go."
    ),
}

_TOKENS = {
    "bad_token_name": Meaning("The token needs a name", "1 to 60 printable characters.", _FIELD),
    "bad_scopes": Meaning("The scopes do not fit", "They are read, play, account, organise and operate.", _FIELD),
    "scope_not_allowed": Meaning(
        "This scope is not yours to give",
        "A token makes only tokens with scopes of its own, and `operate` is for operators.",
        "Leave the scope out, or make the token on your account page.",
    ),
    "bad_expiry": Meaning(
        "The expiry does not fit", "It lies in the future, and no later than that of the token which makes the new one.", _FIELD
    ),
    "too_many_tokens": Meaning("Too many tokens", "You have as many as you may.", "Revoke one that you no longer use."),
    "bad_app_name": Meaning("The app needs a name", "1 to 60 printable characters.", _FIELD),
    "bad_redirect_uri": Meaning(
        "The redirect address does not fit",
        "Codes go to https:// addresses, to this machine (http://127.0.0.1), or to a scheme of the app's own with a dot.",
        _FIELD,
    ),
    "too_many_apps": Meaning("Too many apps", "You have as many as you may.", "Delete one that nobody uses."),
}

_READING = {
    "bad_before": Meaning("The page cannot be found", "`before` comes from `next` of the page before.", _FIRST_PAGE),
    "bad_cursor": Meaning("The page cannot be found", "`cursor` comes from `next` of the page before.", _FIRST_PAGE),
    "bad_as": _NUMBER,
    "bad_after": _NUMBER,
    "bad_players_finished": _NUMBER,
    "bad_players_timeouts": _NUMBER,
    "bad_players_answer_hours": _NUMBER,
    "bad_status": Meaning("No such status", "`status` is one of those that `detail` names.", _FIELD),
    "bad_at": Meaning("This is not a moment", "A moment looks like 2026-11-20T20:00:00Z.", _FIELD),
    "no_checkpoint": Meaning(
        "No checkpoint", "None has been made yet that shows this, or the service signs none.", "One is made every hour."
    ),
}

MEANINGS: dict[str, Meaning] = {
    **_VALUES,
    **_OPENING,
    **_SEATS,
    **_PLAYING,
    **_UNDO,
    **_TIME,
    **_ORGANISING,
    **_NOTICES,
    **_TOKENS,
    **_READING,
}
