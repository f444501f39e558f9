"""Letters to the standing address: players write words there without being in a match. Orders are refused with the way to go."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from accounts.models import User
from gamesvc.games import catalog
from gamesvc.games.kernel.game import Refused
from gamesvc.json_types import JsonObject
from gamesvc.matches.mail_orders import headlines, order_mail, receipts, remarks, service_words, tolerance
from gamesvc.matches.mail_orders.order_mail import Line
from gamesvc.matches.mail_orders.words import leaflets, lines, openings
from gamesvc.matches.mail_orders.words.leaflets import Leaflet
from gamesvc.matches.story import moments
from notifications import registry
from notifications.inbound import purposes, standing
from notifications.inbound.purposes import Handled, Letter
from notifications.models import InboundMail, Outbox
from notifications.outbox import Notice
from notifications.parsing.limits import cpu_limit
from notifications.parsing.quotes import is_farewell
from notifications.parsing.refusals import MailRefused
from notifications.parsing.text import END, MARK
from notifications.registry import Message

KIND = "words_answered"
MOST_WORDS = 20
HELP = gettext_noop("""list           your matches: whose turn it is, and until when
games          the games that you can play
rules GAME     the rules of a game in short
new GAME       opens a match; options behind it: seats=2 hours=48 bots=greedy
invite ADDRESS invites to your open match: a mail address or a player
help           these words
END            alone in a line below the words: nothing after it is read""")
_DOING = ("new", "invite")
_OF_A_MATCH = ("card", "forms", "rematch")
_SUGGESTED = ("help", "hilfe", *(written for word in ("rules", "list", "games") for written in lines.WRITTEN[word]))


def register() -> None:
    """Register the handler of letters to the standing address, and the wording of the answers."""
    purposes.register(standing.PURPOSE, handle, weighs=True)
    registry.register(KIND, words_answered, label="Answers to words sent by mail", essential=True)


def handle(letter: Letter) -> Handled:
    """Carry out the words of a letter and report them. There is always an answer."""
    if letter.automatic and not letter.confirmed:
        raise MailRefused("automatic")
    notice = Notice(KIND, letter.user.pk, payload={"mail": str(letter.id)})
    if letter.refusal:
        return Handled({"problem": letter.refusal, "lines": [], "sections": []}, notice)
    with cpu_limit():
        found = read(letter.text)
    for line in found:
        if line.state == "read" and line.word == "new":
            _check(line)
    problem = _problem(found)
    sections = [] if problem else _carry_out(letter, found)
    if problem:
        sections = [Leaflet(_("Words for this address"), _(HELP)).as_section()]
        for line in found:
            line.state = "not_done" if line.state == "read" else line.state
    return Handled({"problem": problem, "lines": [line.as_json() for line in found], "sections": sections}, notice)


def read(text: str) -> list[Line]:
    """Return the lines with their words: a greeting above them and a closing below them are no words, everything else is read."""
    raws = [tolerance.bare(raw) for raw in _above_end(text) if raw.strip()]
    meant = [_means_word(raw) for raw in raws]
    first = next((at for at, means in enumerate(meant) if means), 0)
    last = max((at for at, means in enumerate(meant) if means), default=len(raws) - 1)
    found = []
    for number, raw in enumerate(raws[: MOST_WORDS + 1], 1):
        at = number - 1
        aside = not first <= at <= last and not _is_order(raw) and not _takes_back(raw) and not lines.is_options(raw)
        found.append(Line(number, raw, "courtesy", state="ignored") if aside else _line(number, raw))
    if len(raws) > MOST_WORDS:
        found[-1].state, found[-1].detail = "unreadable", _("A mail takes at most %(count)s lines.") % {"count": MOST_WORDS}
    return found


def _above_end(text: str) -> Iterable[str]:
    for raw in text.split("\n"):
        if raw.strip() == END:
            return
        yield raw


def _means_word(raw: str) -> bool:
    return _help_on(raw) is not None or lines.find(raw) is not None


def _help_on(raw: str) -> str | None:
    """Return what `help` asks about, empty for all; None for another line."""
    first, _blank, rest = raw.partition(" ")
    if order_mail.canonical(first.rstrip(".:!?")) != "help" or len(rest.split()) > 1:
        return None
    return rest.rstrip(".!?")


def _is_order(raw: str) -> bool:
    """Return True if a line begins with an order word of a game."""
    word = tolerance.first_word(raw)
    return bool(word) and not is_farewell(raw) and any(word in game.verbs for game in catalog.games())


def _takes_back(raw: str) -> bool:
    return remarks.is_doubtful(raw) or remarks.is_revocation(raw)


def _line(number: int, raw: str) -> Line:
    asked, found = _help_on(raw), lines.find(raw)
    if asked is not None:
        return Line(number, raw, "help", asked)
    if found is not None:
        word, argument = found
        line = Line(number, raw, word, argument)
        if word in _OF_A_MATCH:
            line.state = "unreadable"
            line.detail = _("This belongs to one match. Write it as an answer to a mail about that match.")
        return line
    line = Line(number, raw, "order", state="unreadable")
    nearest = lines.nearest(tolerance.first_word(raw), _SUGGESTED)
    if nearest and not _is_order(raw):
        told = _("There is no word “%(word)s”. Did you mean: %(nearest)s")
        line.detail = told % {"word": tolerance.first_word(raw), "nearest": nearest}
    elif _is_order(raw):
        line.detail = _("Orders are not taken here. Answer the mail of the match, or the newest receipt.")
    else:
        line.detail = _("This is none of the words for this address.")
    return line


def _check(line: Line) -> None:
    try:
        openings.check_new(line.argument)
    except Refused as refused:
        line.state, line.detail = "unreadable", refused.sentence


def _problem(found: Sequence[Line]) -> str:
    if not found or all(line.state == "ignored" for line in found):
        return "empty"
    if order_mail.unreadable(found):
        return "unreadable"
    return ""


def _carry_out(letter: Letter, found: Sequence[Line]) -> list[dict[str, str]]:
    """Do what the lines say, each once, and return the answers."""
    sections: list[dict[str, str]] = []
    for line in found:
        if line.word in _DOING:
            service_words.once(letter.id, line, _act(letter.user, line), again=letter.again)
        elif line.state == "read":
            if (section := _leaflet(letter.user, line).as_section()) not in sections:
                sections.append(section)
            line.state = "answered"
    return sections


def _act(user: User, line: Line) -> service_words.Act:
    act = openings.open_match if line.word == "new" else openings.invite
    return lambda: act(user, line.argument)


def _leaflet(user: User, line: Line) -> Leaflet:
    match line.word:
        case "list":
            return leaflets.matches_of(user)
        case "games":
            return leaflets.games()
        case "rules" if line.argument:
            return leaflets.rules(catalog.game(lines.game_named(line.argument) or catalog.OFFERED[0]))
        case "rules":
            told = _("Name a game, as in: rules %(game)s") % {"game": catalog.OFFERED[0]}
            return Leaflet(_("Rules"), f"{told}\n{', '.join(catalog.OFFERED)}")
    asked = leaflets.lines_on(order_mail.canonical(line.argument), _(HELP)) if line.argument else ""
    return Leaflet(line.argument if asked else _("Words for this address"), asked or _(HELP))


# --- the answer ---


def words_answered(row: Outbox) -> Message | None:
    """Compose the answer to a mail to the standing address; None if the mail has been deleted since."""
    mail = InboundMail.objects.filter(pk=row.payload["mail"]).first()
    if mail is None or mail.report is None:
        return None
    headline = _headline(mail.report)
    context = {
        "mark": MARK,
        "headline": headline,
        "received": moments.local_time(mail.counts_at, row.user),
        "lines": [receipts.line_shown(line) for line in mail.report["lines"] if line["state"] != "ignored"],
        "sections": mail.report["sections"],
        "link": settings.BASE_URL,
    }
    return Message(
        subject=headline,
        text=render_to_string("notices/words_answered.txt", context),
        reason="words-answered",
        reply_to=standing.address(),
        in_reply_to=mail.message_id,
        auto_replied=True,
    )


def _headline(report: JsonObject) -> str:
    if report["problem"] in ("empty", "too_long"):
        return _("No word found in your mail")
    return headlines.headline(report)
