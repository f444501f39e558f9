"""User text extracted from mails of real programs: no order lost, no quoted order taken."""

from __future__ import annotations

import email
import email.policy
import json

import pytest

from notifications.inbound.proving.sender import sender_of
from notifications.parsing import markup, quotes, reading, robots, text
from notifications.parsing.limits import cpu_limit
from notifications.parsing.refusals import MailRefused
from tests.architecture.growth import calls
from tests.mailing import FIXTURES

EXPECTED = json.loads((FIXTURES / "expected.json").read_text(encoding="utf-8"))


def written(raw: bytes) -> list[str]:
    return [line.strip() for line in text.as_message(text.written(reading.parse(raw)).own).splitlines() if line.strip()]


def test_every_fixture_is_expected_and_names_its_client():
    assert {path.stem for path in FIXTURES.glob("*.eml")} == EXPECTED.keys()
    assert all(one["client"] and one["follows"] for one in EXPECTED.values())
    assert len(EXPECTED) >= 60
    assert len({name for name in EXPECTED if name.startswith("dsn_")}) >= 5
    assert len({name for name in EXPECTED if name.startswith("away_")}) >= 5


@pytest.mark.parametrize("name", [name for name, one in EXPECTED.items() if one.get("orders")])
def test_orders_are_found_and_quotes_are_not(name):
    assert written((FIXTURES / f"{name}.eml").read_bytes()) == EXPECTED[name]["orders"]


@pytest.mark.parametrize("name", [name for name, one in EXPECTED.items() if one.get("orders") == []])
def test_a_mail_with_nothing_of_its_own_is_empty(name):
    with pytest.raises(MailRefused) as refused:
        written((FIXTURES / f"{name}.eml").read_bytes())
    assert refused.value.code == "empty"


@pytest.mark.parametrize("name", [name for name, one in EXPECTED.items() if "refused" in one])
def test_robots_leave(name, settings):
    settings.REPLY_DOMAIN = "reply.games.example"
    message = reading.parse((FIXTURES / f"{name}.eml").read_bytes())
    with pytest.raises(MailRefused) as refused:
        robots.check_person(
            message, envelope_from=EXPECTED[name].get("envelope_from", "anna@x.example"), sender=sender_of(message)
        )
    assert refused.value.code == EXPECTED[name]["refused"]


def plain(body: str) -> email.message.EmailMessage:
    head = "From: a@x.example\nContent-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: 8bit\n\n"
    return email.message_from_bytes((head + body).encode(), policy=email.policy.default)


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("end\nEnd\n", "end\nEnd"),  # the games' own order; only capitals end a mail
        ("move A1\nEND\nmove B2", "move A1\nEND"),
        ("take 3\ntak 2", "take 3\ntak 2"),
        ("- move A1\n- move B2", "- move A1\n- move B2"),
        ("move A1\n\n--\nAnna\nmove B2", "move A1"),
        ("move A1\n##- Reply above this line -##\nmove B2", "move A1"),
        ("> ##- Reply above this line -##\n> move B2\nmove A1", "move A1"),
        ("From: PAR to BUR\nmove A1", "From: PAR to BUR\nmove A1"),
        ("move\u00a0A1\u200b", "move A1"),
        ("press all: write to me at <a@b.example>\n##- Reply above this line -##", "press all: write to me at <a@b.example>"),
        ("move A1\nOd: X <x@y.example>\nDo: A <a@b.example>\nTemat: x\n\n##- Reply above this line -##\nmove B2", "move A1"),
    ],
)
def test_stripping_loses_no_order(body, kept):
    assert text.written(plain(body)).own == kept


LONG = "> If it were my turn I would not wait for anyone else, and I would play this"


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (f"{LONG}\nmove A1", "move A1"),
        (f"On Fri, 20 Nov 2026 at 18:00, Ben <ben@x.example> wrote:\n\n{LONG}\nmove A1", "move A1"),
        (f"move B2\n\n{LONG}\nmove A1", "move B2"),
        (f"{LONG}\nmove A1\n> and so on", ""),
    ],
)
def test_what_stands_right_below_a_long_quoted_line(body: str, kept: str) -> None:
    """It is an answer where nothing is written above the quote, and else the end of a line that a program broke."""
    assert text.strip(body).strip() == kept


def html(body: str) -> email.message.EmailMessage:
    head = "From: a@x.example\nContent-Type: text/html; charset=utf-8\n\n"
    return email.message_from_bytes((head + body).encode(), policy=email.policy.default)


@pytest.mark.parametrize(
    ("tag", "quotes"),
    [
        ('<blockquote style="margin: 0 0 0 40px; border: none; padding: 0px;">', False),
        ('<blockquote class="webkit-indent-blockquote" style="margin:0 0 0 40px;border:none;padding:0px">', False),
        ("<BLOCKQUOTE STYLE='MARGIN:0 0 0 40PX;BORDER:NONE'>", False),
        ("<blockquote>", True),
        ('<blockquote type="cite">', True),
        ('<blockquote type="cite" style="border: none; padding: 0">', True),
        ('<blockquote style="border:none;border-left:solid #CCCCCC 1.0pt;padding:0cm 0cm 0cm 6.0pt">', True),
        ('<blockquote class="gmail_quote" style="margin:0 0 0 .8ex;border:none">', True),
    ],
)
def test_an_indented_block_is_the_senders_own_and_any_other_quotes(tag, quotes):
    message = html(f"<div>move A1</div>{tag}<div>move B2</div></blockquote>")
    assert text.written(message).own.split() == (["move", "A1"] if quotes else ["move", "A1", "move", "B2"])


QUOTE = "<blockquote>On Friday<blockquote>move C3</blockquote>move D4</blockquote>"


def test_what_stands_under_the_quotes_of_html_is_read():
    assert text.written(html(f"{QUOTE}<div>move A1</div><div>move B2</div>")).own == "move A1\nmove B2"
    assert text.written(html(f"{QUOTE}<br>{QUOTE}<div>move B2</div>")).own == "move B2"


@pytest.mark.parametrize("block", [QUOTE, '<blockquote style="margin:0 0 0 40px;border:none">move B2</blockquote>'])
def test_what_stands_between_the_quotes_of_html_is_asked_for_again(block):
    with pytest.raises(MailRefused, match="empty: written between quotes"):
        text.written(html(f"{QUOTE}<div>move A1</div>{block}<div>move B2</div>"))


@pytest.mark.timeout(60)
@pytest.mark.parametrize("piece", ["<div", "<div class=", "class=", "<blockquote", "<blockquote border:", "border: "])
def test_beginnings_of_tags_are_not_searched_for_minutes(piece):
    assert text.written(html(f"<p>move A1</p><div {piece * (text.LONGEST_SOURCE // len(piece))}")).own.startswith("move A1")


@pytest.mark.parametrize(
    "body",
    [
        '<div style="padding-left:20000em">' + "x<br>" * 20_000,
        "<p>x</p>" + '<p style="margin-top:99999em">x</p>' * 3000,
        "<table><tr><td>" + "x" * 90_000 + "</td></tr>" + "<tr><td>x</td></tr>" * 5000,
    ],
)
def test_html_does_not_grow_when_it_is_turned_into_text(body):
    assert len(markup.shown(body)) <= len(body)


def test_cells_of_a_table_are_words_and_its_rows_are_lines():
    assert (
        text.written(html("<table><tr><td>move</td><td>A1</td></tr><tr><td>move B2</td></tr></table>")).own == "move A1\nmove B2"
    )


def test_style_that_decides_what_is_shown_is_kept():
    hidden = '<span style="color:red; display:none">move C3</span>'
    lines = "<div style='white-space:pre-wrap;margin:9em'>move A1\nmove B2</div>"
    assert text.written(html(hidden + lines)).own == "move A1\nmove B2"


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("move A1\n\nOn Friday, 20 November 2026\nat 18:00, Games\n<play@x.example>\nwrote:\n\nmove B2", "move A1"),
        ("On my turn I move A1\nOn Friday, Games wrote:\nmove B2", "On my turn I move A1"),
        ("move A1\nAm 20.11.2026 um 18:00 schrieb Games:\nmove B2", "move A1"),
        ("move A1\n*From:* Games\n*Sent:* Friday\nmove B2", "move A1"),
        ("move A1\nVon:\nGames\nGesendet: Freitag\nmove B2", "move A1"),
        ("move A1\nDo: B2", "move A1\nDo: B2"),  # one label alone is a line of the sender's own
        ("move A1\nBest regards\nAnna", "move A1"),
        ("best regards", "best regards"),
        ("Together?\nBest regards,\nBob Smith\nAcme Ltd\nRegistered office: 5 Park Lane, London.", "Together?"),
        ("Hello Marek\nThanks, I accept.\nI attack D4.", "Hello Marek\nThanks, I accept.\nI attack D4."),
        ("Hello Marek\nThanks, Marek\nI attack D4 when you do.", "Hello Marek\nThanks, Marek\nI attack D4 when you do."),
        ("move A1\nCAUTION: This e-mail comes from outside.\nmove B2", "move A1\n\nmove B2"),
    ],
)
def test_quotes_and_farewells_are_found_line_by_line(body, kept):
    assert text.as_message(text.written(plain(body)).own) == kept


def test_a_flood_of_text_is_too_long():
    with pytest.raises(MailRefused) as refused:
        text.written(plain("move A1\n" * 5000))
    assert refused.value.code == "too_long"


def flowed(body: str, more: str = "") -> email.message.EmailMessage:
    head = f"From: a@x.example\nContent-Type: text/plain; charset=utf-8; format=flowed{more}\nContent-Transfer-Encoding: 8bit\n\n"
    return email.message_from_bytes((head + body).encode(), policy=email.policy.default)


def test_lines_that_a_program_broke_are_joined_and_those_of_a_person_are_not():
    long = "support 2B disband " + "C4 1F " * 9
    assert text.written(flowed(f"{long.strip()} \nD5 2F\nmove A1\n")).own == f"{long.strip()} D5 2F\nmove A1"
    assert text.written(flowed(f"{long.strip()} \n D5\n", "; delsp=yes")).own == f"{long.strip()}D5"
    # a trailing blank after a short order was typed by a person, and a quote or an empty line ends a paragraph
    assert text.written(flowed("move A1 \nmove B2 \n")).own == "move A1\nmove B2"
    assert text.written(flowed(f"{long.strip()} \n> move B2\n")).own == long.strip()
    assert text.written(flowed(f"{long.strip()} \n\nmove B2\n")).own == f"{long.strip()}\n\nmove B2"
    assert text.written(plain(f"{long.strip()} \nmove B2\n")).own == f"{long.strip()}\nmove B2"


own = text.strip


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x0b", "\x0c", "\x1c", "\x1d", "\x1e", "\x85", "\r"])
def test_what_divides_a_quoted_line_leaves_it_quoted(end):
    assert own(f"move A1\n\n> Hi Anna,{end}move B4\n>\n> {end}move B5\n") == "move A1"
    assert own(f"move A1{end}move A2\n\n> Hi{end}") == "move A1\nmove A2"
    assert own(f"Hi{end}> move B4{end}move B5\nmove A1") == "Hi\n\nmove A1"


def test_bare_returns_alone_are_line_ends():
    assert own("move A1\r\r> move B4\rmove A2\r") == "move A1\n\nmove A2"


def test_a_bar_at_the_beginning_of_a_line_is_no_mark_below_the_writers_own_text():
    assert own("orders react 1 | stand any\n| flips 2\n| hold\npass") == "orders react 1 | stand any | flips 2 | hold\npass"
    assert own("pass\n\nOn Friday 20:00 Ben wrote:\n| move B4\n| move B5") == "pass"
    assert own("pass\n\n| move B4\n| move B5") == "pass"


def in_html(body, *, plain_part=""):
    return parts(*([("text/plain", plain_part)] if plain_part else []), ("text/html", body), kind="alternative")


def parts(*texts, kind="mixed"):
    raw = f"From: a@x.example\nMIME-Version: 1.0\nContent-Type: multipart/{kind}; boundary=b\n\n"
    for content_type, said in texts:
        raw += f"--b\nContent-Type: {content_type}; charset=utf-8\n\n{said}\n"
    return reading.parse(f"{raw}--b--\n".encode())


@pytest.mark.parametrize(
    "struck",
    [
        "<s>move A1</s>",
        "<del><div>move A1</div></del>",
        "<strike>move A1</strike>",
        '<span style="color:red; text-decoration: line-through">move A1</span>',
        "<span style='text-decoration-line:line-through'><b>move A1</b></span>",
    ],
)
def test_what_is_struck_out_is_no_order(struck):
    body = f"<div>{struck}</div><div>move A2</div><blockquote><s>move A2</s></blockquote>"
    for mail in (in_html(body), in_html(body, plain_part="move A1\nmove A2\n\n> move A2")):
        lines = text.written(mail).own.split("\n")
        assert "move A1" not in lines
        assert any("~~" in line for line in lines)
        assert "move A2" in lines


@pytest.mark.parametrize(
    ("plain_part", "body"),
    [
        ("move A1\nmove A2 with\nall\n", "<p>move A1</p><p><s>move A2 with all</s></p>"),
        ("> hold\n\nmove A1\nmove A2", "<blockquote>hold</blockquote><p>move A1</p><p><s>move A2</s></p>"),
        ("move A1\nhold", "<p>move A1</p><p>ho<s>ld</s></p>"),
        ("move A1\nhold", "<p>move A1</p><p><s>ho</s><s>ld</s></p>"),
        ("move A1\nhold", "<style>p.x, .old {text-decoration:line-through}</style><p>move A1</p><p class='a old'>hold</p>"),
        ("move A1\n> hold", "<p>move A1</p><p><s>hold</s></p>"),
    ],
)
def test_what_is_struck_out_elsewhere_than_in_a_whole_line_is_told_too(plain_part, body):
    assert any("~~" in line for line in text.written(in_html(body, plain_part=plain_part)).own.split("\n"))


def test_strikes_in_quotes_and_unused_styles_mean_nothing():
    style = "<style>.old {text-decoration:line-through}</style>"
    body = f"{style}<p class=new>move A1</p><p>hold</p><blockquote><s>move B4</s></blockquote>"
    assert text.written(in_html(body, plain_part="move A1\nhold\n\n> move B4")).own == "move A1\nhold"


@pytest.mark.parametrize(
    "hidden",
    [
        '<div style="visibility: hidden">move B4</div>',
        "<div hidden>move B4</div>",
        "<p style=display:none>move B4</p>",
        '<div style="font-size:0px">move B4</div>',
        '<div style="mso-hide:all">move B4</div>',
        "<select><option>move B4</option></select>",
    ],
)
def test_what_html_hides_is_not_read(hidden):
    assert "B4" not in text.written(in_html(f"<p>move A1</p>{hidden}")).own
    shown = '<p style="font-size:0.9em" data-hidden="x" class="hidden">move A2</p>'
    assert "move A2" in text.written(in_html(f"<p>move A1</p>{hidden}{shown}")).own


@pytest.mark.parametrize(
    "mark",
    [
        'class="yahoo_quoted"',
        'id="divRplyFwdMsg"',
        'id="appendonsend"',
        'id="x_divRplyFwdMsg"',
        'id="x_x_mail-editor-reference-message-container"',
        "id=x_appendonsend",
    ],
)
def test_a_quote_without_an_end_reaches_to_the_end(mark):
    with pytest.raises(MailRefused, match="empty"):
        text.written(in_html(f"<div {mark}>Hi <blockquote>old</blockquote>move B4</div>"))


def test_a_footer_below_the_mail_is_not_the_mail():
    assert text.written(parts(("text/html", "<p>move A1</p>"), ("text/plain", "Sent to the list\nhold"))).own == "move A1"
    assert text.written(parts(("text/plain", " \n"), ("text/plain", "move A1"))).own == "move A1"
    assert text.written(parts(("text/plain", "move A1"), ("text/html", "<p>Checked for viruses</p>"))).own == "move A1"
    assert text.written(parts(("text/markdown", "move A1"))).own == "move A1"


def test_a_table_of_bars_is_read_in_time_that_grows_with_it():
    lines = ["move A1", *["| x"] * 40_000]
    read = text._with_bars(lines)
    assert "".join(read).count("|") == 40_000
    assert max(map(len, read)) < 1_010


@pytest.mark.parametrize("kind", ["image/png", "application/pdf", "video/mp4", "application/octet-stream"])
@pytest.mark.parametrize("count", [1, 2])
def test_a_text_with_several_files_in_it_is_read_to_its_end(kind, count):
    files = [(kind, "AAAA")] * count
    mail = parts(("text/plain", "move A1"), *files, ("text/plain", "move A2"), *files, ("text/plain", "move A3"))
    assert text.written(mail).own.split() == ["move", "A1", "move", "A2", "move", "A3"]


@pytest.mark.parametrize(
    ("body", "below"),
    [
        (f"hold\n\n> {'Long words ' * 8}\nmove A1", "move A1"),
        ("move A1\n--\nhold", "hold"),
        ("move A1\n—\nhold", "hold"),
        ("move A1\nSent from my iPhone\nhold", "hold"),
        ("move A1\n\nSent from my iPhone\n\nhold\n\nAnna", "hold\n\nAnna"),
        ("move A1\n\n-- \nAnna\n\nhold\n\n> move B4\n\nBen", "Anna\n\nhold\n\nBen"),
    ],
)
def test_what_stands_below_a_quote_or_signature_is_told_of(body, below):
    written = text.written(plain(body))
    assert written.below == below
    assert text.written(plain("move A1\n--\n" + "hold\n" * 10_000)).below.count("\n") < 60


def test_long_struck_out_pieces_do_not_use_up_the_time_of_a_mail():
    """Each is looked for in a line that almost has it everywhere."""
    pieces = "".join(f"<s>{'!' * (3000 + at)}a</s>x" for at in range(50))
    mail = in_html(pieces, plain_part=f"move A1\n{'!' * 199_000}")
    with pytest.raises(MailRefused, match="too_long"), cpu_limit():
        text.written(mail)


def test_struck_out_pieces_within_the_words_of_many_lines_take_few_steps():
    """A page shows a held mail to whoever has its link, beyond the time limit of the workers."""
    pieces = "".join(f"<s>{'a' * size}</s>" for size in range(100, 150))
    mail = in_html(f"<p>hold</p>{pieces}", plain_part="hold\nEND\n" + ("a" * 1200 + "\n") * 160)
    assert calls(text.written, mail) < 1_000_000
    own = text.written(mail).own.split("\n")
    assert own[-2:] == ["hold", "END"]
    assert own[0] == f"~~{'a' * 100}~~"


def test_each_line_is_looked_at_once_for_the_beginning_of_a_quote():
    """Four lines may end the introduction that begins in one, in each of many languages."""
    assert calls(quotes.before_quote, ["1 a:"] * 2_000) < 150 * 2_000


@pytest.mark.parametrize(("quote", "looks"), [("", 1), ("<blockquote>old</blockquote>", 2)])
def test_each_html_is_drawn_once(monkeypatch, quote, looks):
    """The library takes a second for lists within lists, also on the page that shows a held mail."""
    drawn = []
    real = markup.get_text
    monkeypatch.setattr(markup, "get_text", lambda html: drawn.append(html) or real(html))
    mail = in_html(f"<ul><li>hold</ul>{quote}")
    assert "hold" in text.written(mail).own
    assert len(drawn) == looks


def test_a_struck_out_piece_within_other_words_is_told_too():
    mail = in_html("<p>hold</p><p><s>old</s></p>", plain_part="hold, old, bold\nolder")
    assert text.written(mail).own == "hold, ~~old~~, bold\nolder"
