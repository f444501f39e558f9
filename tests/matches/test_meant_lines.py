"""Which lines of a mail are meant: headings, chatter between orders, messages that lost their end, and remarks below."""

from __future__ import annotations

from typing import Any

import pytest

from gamesvc.games import catalog
from gamesvc.games.kernel.game import Game
from gamesvc.games.stratastar import GAME as STRATASTAR
from gamesvc.matches.mail_orders import order_mail
from notifications.parsing.text import strip
from tests.mail_replies.positions import position
from tests.matches.test_order_words import positions

VIEW = position("stratastar").view
WAR = position("space_war")
ORDER, OTHER = "colonize C4", "fleet"

REMARKS = """
Do this next week.
Execute on Friday.
Am Montag ausführen
Postpone
Please postpone these.
Delay these.
I changed my plan.
Invalid
Superseded.
Replaced by my next mail.
See next mail.
Unfinished
my son typed this
Das war mein Sohn
Nicht von mir
Gilt nicht mehr
Gilt nicht
Das gilt nicht
Hat sich erledigt
Hinfällig
Überholt
Doch anders
Anders überlegt
Hab's mir anders überlegt
Im Falle eines Angriffs
Bei Zustimmung von Ben
N'exécute pas
Oublie ça
Olvida esto
Non eseguire
Niet uitvoeren
Vänta
nie wykonywać
More to come.
To be continued
Rest follows
Example only
Mockup
From Ben.
By Ben
Das ist von Ben
Revert.
Pls verify
Stand by for confirmation.
See my other mail
Use the other mail
Same as last time
my cat did this
my account was hacked
null and void
Je nachdem was Ben macht
Nach Bens Zug
Sekunde
FYI only.
Nur zur Info
Zur Info
For your information: this is what Ben plays.
Ohne Gewähr
Wrong button
On reflection I would like to do something else.
In the event that Ben attacks.
Whatever Ben did, copy it.
nachher
Ne pas exécuter
Attendez
No ejecutar
Espera
Annulla
Aspetta
Annuleer
Wacht
Avbryt
Inte än
Anuluj
Czekaj
Nie teraz
Nu inte
Zrušit
Počkej
Ikke endnu
Vent
Odota
Peruuta
Não executar
Отмена
Подожди
İptal
キャンセル
取消
취소
"""

PLEASANTRIES = """
See you on Friday!
Never give up!
Well played!
Das wär's für heute
Das wäre alles
Phew, just in time
OK then.
Bis Montag!
Have a nice week-end
Good luck!
Viel Glück!
Talk soon
Schönes Wochenende
Well played, Ben!
Gut gespielt!
Attack!
Enjoy your Sunday
"""


def read(text: str, below: str = "", game: Game = STRATASTAR, view: Any = VIEW) -> list[order_mail.Line]:
    return order_mail.read(text, game, view, ("anna", "ben"), below)


def done(text: str, below: str = "", game: Game = STRATASTAR, view: Any = VIEW) -> list[str] | str:
    """Return the orders and messages that a mail carries out; its first unreadable line if it carries out nothing."""
    lines = read(text, below, game, view)
    asked = next((line.text for line in lines if line.state == "unreadable"), None)
    acts = [line for line in lines if line.state == "read"]
    return f"? {asked}" if asked is not None else [line.understood or f"{line.word} {line.argument}" for line in acts]


@pytest.mark.parametrize("heading", ["Orders", "Orders:", "*Orders*", "ORDERS", "My orders:", "Moves:", "Befehle:", "Meine Züge"])
def test_a_heading_is_an_introduction(heading: str) -> None:
    assert done(f"{heading}\n{ORDER}\n{OTHER}") == [ORDER, OTHER]
    assert done(f"{heading}\n\n{ORDER}") == [ORDER]
    assert done(f"{heading}\nplay titan", game=WAR.game, view=WAR.view) == done("play titan", game=WAR.game, view=WAR.view)


@pytest.mark.parametrize("heading", ["Orders", "*Orders*", "orders:"])
def test_a_heading_without_orders_carries_out_nothing(heading: str) -> None:
    for game, view in ((STRATASTAR, VIEW), (WAR.game, WAR.view)):
        assert done(heading, game=game, view=view) == f"? {heading.strip('*')}"


@pytest.mark.parametrize(
    "line", ["At the end:", "For the fleet!", "In the end,", "Pass on", "The end", "com none", "Am Ende", "To all at the end"]
)
def test_a_line_that_begins_with_no_order_word_is_asked_about_between_orders(line: str) -> None:
    assert done(f"{ORDER}\n{line}\n{OTHER}") == f"? {line}"
    assert line.startswith("com") or done(f"{ORDER}\n{line}\n{OTHER}\nEND") == f"? {line}", "above END a shortened word is one"


@pytest.mark.parametrize("game_id", catalog.OFFERED)
@pytest.mark.parametrize("line", ["At the end", "The end", "In the hospital", "For the fleet", "From the end of the turn"])
def test_no_game_reads_a_line_that_begins_otherwise(game_id: str, line: str) -> None:
    for view in positions(game_id)[::15]:
        assert done(line, game=catalog.game(game_id), view=view) == f"? {line}"


LONG = "press ben: I will attack your homeworld in the north with all that I have left and"


def test_a_message_that_a_program_broke_is_sent_whole() -> None:
    assert done(f"{LONG}\nthat is a promise.\n{ORDER}") == [f"press {LONG[6:]} that is a promise.", ORDER]
    assert done(f"{LONG}\nthat is a promise.\n\n{ORDER}") == [f"press {LONG[6:]} that is a promise.", ORDER]
    assert done(f"{LONG} more.\n{ORDER}") == [f"press {LONG[6:]} more.", ORDER]
    assert done(f"press ben: hello\n{ORDER}") == ["press ben: hello", ORDER]


FLEET = "fleet 0 destroyer 2-3, 3 prison_barge 4, 5 dreadnaught 5, 4 drone_boat 6"


@pytest.mark.parametrize("begins", ["", "preview ", "- ", "Vorschau "])
def test_an_order_that_a_program_broke_is_one_order_also_where_its_rest_could_be_another(begins: str) -> None:
    """A fleet without its upgrade would be confirmed, and of a preview the rest would be carried out."""
    game = catalog.game("space_fleet_commander")
    view = positions(game.id)[0]
    assert done(f"{begins}{FLEET},\nupgrade 6 5", game=game, view=view) == [f"{FLEET}, upgrade 6 5"]
    assert done(f"{begins}{FLEET}\nkeep", game=game, view=view) == [FLEET, "keep"]


def test_the_rest_of_a_broken_preview_is_no_order() -> None:
    game = catalog.game("star_commander")
    fire = "fire v3>v7=2 v4>v8=1 v5>v9=3 v6>v9=1 v10>v11=2 v12>v13=1"
    assert done(f"preview {fire}\npass", game=game, view=positions(game.id)[0]) == [f"{fire} pass"]


@pytest.mark.parametrize("who", ["Blue", "Annabella"])
def test_a_broken_order_is_one_also_where_it_names_a_player(who: str) -> None:
    """The last word of the offer would hold all orders of the mail until the deadline."""
    offer = f"offer {who} give 2 Trade 1 Move 1 Build want 1 Research 1 Attack keep"
    lines = order_mail.read(f"{offer}\nwait", STRATASTAR, VIEW, ("anna", "Annabella"))
    assert [line.understood for line in lines] == ["offer Blue give 2T 1M 1B want 1R 1A keep wait"]


@pytest.mark.parametrize("rest", ["anonymous=yes", "entry=invited, anonymous=yes"])
def test_options_below_a_match_to_be_opened_are_asked_about(rest: str) -> None:
    for opening in ("new stratastar seats=2", "new stratastar seats=2 hours=48 watch=nobody press=none undo=never"):
        assert done(f"{opening}\n{rest}") == f"? {rest}"


@pytest.mark.parametrize("rest", ["colonize C4", "end turn", "undo"])
def test_an_order_below_a_conditional_one_that_may_go_on_is_asked_about(rest: str) -> None:
    begun = "standing if colony_placed seat=1 space=D4 and round.number >= 12 then fleet;"
    assert done(f"{begun}\n{rest}") == f"? {begun}\n{rest}"
    assert done(f"{begun}\ncol C4") == [f"{begun} col C4"]
    assert done(f"standing if turn_started then fleet;\n{ORDER}") == ["standing if turn_started then fleet;", ORDER]


@pytest.mark.parametrize("below", ["pass", "fleet", "colonize C4", "undo", "end of it all"])
def test_an_order_below_a_message_that_may_go_on_is_asked_about(below: str) -> None:
    assert done(f"{LONG}\n{below}") == f"? {LONG}\n{below}"
    assert done(f"{LONG}\n\n{ORDER}") == [f"press {LONG[6:]}", ORDER]


@pytest.mark.parametrize("order", ["colonize C4", "- colonize C4", "end phase", "Fleet"])
def test_orders_in_a_message_are_asked_about(order: str) -> None:
    message = f"press all:\nGood luck everyone\n{order}"
    assert done(f"{message}\nend phase") == f"? {message}\nend phase"
    assert done(f"press all:\nGood luck everyone\n\n{ORDER}") == ["press all:\nGood luck everyone", ORDER]
    assert done(f"Nachricht alle:\nViel Glück\n{order}") == f"? Nachricht alle:\nViel Glück\n{order}"
    assert done(f"Nachricht alle:\nViel Glück\n\n{ORDER}") == ["press alle:\nViel Glück", ORDER]
    wish = "press all:\nGood luck everyone,\nI hope that you colonize C4 soon."
    assert done(wish) == [wish]


@pytest.mark.parametrize(
    "below",
    [
        "Wait, do not do that yet!",
        "No, cancel that.",
        "Stop, wrong match",
        "Bitte doch nicht ausführen",
        "Sorry, please ignore my last mail, I have thought about it for much longer than I wanted to.",
    ],
)
def test_a_revocation_below_the_quote_is_asked_about(below: str) -> None:
    assert done(ORDER, below) == f"? {below}"


@pytest.mark.parametrize(
    "below", ["Anna", "See you on Friday!", "Thanks, that was quick", "It is your turn, until Friday 12:00."]
)
def test_other_text_below_the_quote_is_not(below: str) -> None:
    assert done(ORDER, below) == [ORDER]


@pytest.mark.parametrize(
    "below",
    [
        "Please don't actually send these orders yet because I still have to talk with Ben about the treaty we made.",
        "Those were the orders from last turn, I pasted them by mistake; I will send you the right ones when I am home.",
        "Bitte führt das erst aus, wenn Ben geantwortet hat, sonst stehe ich nachher wieder ganz allein gegen alle da.",
        "It was nice to meet you all on Saturday in that old house by the lake. Do not do this yet. We should do it again.",
        "What a day! I am not sure about this. The snow is high, the trains are late and nobody knows when they run again.",
    ],
)
def test_a_long_remark_is_judged_by_its_sentences(below: str) -> None:
    assert str(done(f"{ORDER}\n\n{below}")).startswith("?")


@pytest.mark.parametrize(
    "below",
    [
        "It was nice to meet you all in that old house by the lake. The snow is high here and the trains are late. See you!",
        "We had a wonderful week in the mountains with the children and the dogs, the weather was kind and the food was good.",
        "Wir waren eine Woche in den Bergen, mit den Kindern und den Hunden, und das Wetter war gut. Bis Freitag!",
    ],
)
def test_long_chatter_is_none(below: str) -> None:
    assert done(f"{ORDER}\n\n{below}") == [ORDER]


@pytest.mark.parametrize(
    "remark",
    REMARKS.strip().splitlines(),
)
def test_a_short_remark_that_may_revoke_the_orders_does_so(remark: str) -> None:
    assert str(done(f"{ORDER}\n{OTHER}\n\n{remark}")).startswith("?")


@pytest.mark.parametrize(
    "pleasantry",
    PLEASANTRIES.strip().splitlines(),
)
def test_a_pleasantry_below_the_orders_is_none(pleasantry: str) -> None:
    assert done(f"{ORDER}\n{OTHER}\n\n{pleasantry}") == [ORDER, OTHER]


@pytest.mark.parametrize(
    "above", ["Turn 7", "Turn 7:", "Round 3:", "Runde 3", "OK then.", "As discussed:", "Never give up!", "Wie besprochen:"]
)
def test_an_introduction_is_none_either(above: str) -> None:
    assert done(f"{above}\n{ORDER}\n{OTHER}") == [ORDER, OTHER]
    assert done(f"{above}\n\n{ORDER}\n{OTHER}") == [ORDER, OTHER]


FOREIGN = """
Bens Züge:
Befehle von Ben:
Enemy orders:
Old orders:
Old orders
Previous orders:
Alte Befehle:
Possible orders:
Illegal orders:
Example orders:
My orders in the other game:
Match 12
Match 12:
Game 12:
"""


@pytest.mark.parametrize("heading", FOREIGN.strip().split("\n"))
def test_a_heading_of_other_orders_is_asked_about(heading: str) -> None:
    for between in ("\n", "\n\n"):
        assert str(done(f"{heading}{between}{ORDER}\n{OTHER}")).startswith("?")


HEADINGS = """
Hi Ben, here are my orders:
Here come the orders
Good morning, my next moves:
My orders for this turn:
Hier sind meine Befehle für die Runde:
"""


@pytest.mark.parametrize("heading", HEADINGS.strip().split("\n"))
def test_a_heading_of_the_writers_own_orders_is_an_introduction(heading: str) -> None:
    assert done(f"{heading}\n{ORDER}\n{OTHER}") == [ORDER, OTHER]


@pytest.mark.parametrize(
    "written",
    [
        *("1.) {}", "1) {}", "a) {}", "(a) {}", "[x] {}", "✔ {}", "👉 {}", "➡️ {}", "{} :)", "{} ;-)", "{}...", "{}…"),
        *("{} 🙂", "🚀 {} 🚀", "{} 👍🏽"),
    ],
)
def test_marks_around_an_order_mean_nothing(written: str) -> None:
    assert done("\n".join(map(written.format, (ORDER, OTHER)))) == [ORDER, OTHER]


@pytest.mark.parametrize("box", ["[ ]", "[]", "☐"])
def test_an_empty_box_is_not_chosen(box: str) -> None:
    for text in (f"[x] {ORDER}\n{box} {OTHER}", f"{box} {ORDER}\n[x] {OTHER}", f"[x] {ORDER}\n\n{box} {OTHER}", f"{box} {ORDER}"):
        assert str(done(text)).startswith("?"), text


COMMENTS = (
    "leave this one out",
    "rejected",
    "second choice",
    "commented out",
    "or D5",
    "weglassen",
    "Ben's idea",
    "just a thought",
)


@pytest.mark.parametrize("comment", COMMENTS)
def test_a_comment_that_describes_nothing_is_asked_about(comment: str) -> None:
    for mark in ("#", "//"):
        assert str(done(f"{ORDER}\n{OTHER} {mark} {comment}")).startswith("?")


@pytest.mark.parametrize("comment", ["to the nebula", "for the third world", "great!", "with a card", "für die Flotte", ":)"])
def test_a_comment_that_describes_an_order_is_left_out(comment: str) -> None:
    assert done(f"{ORDER}\n{OTHER} # {comment}") == [ORDER, OTHER]


@pytest.mark.parametrize("written", ["(fleet)", "[colonize C4]", "(colonize C4)", "[fleet]"])
def test_an_order_in_brackets_is_asked_about(written: str) -> None:
    assert str(done(f"{ORDER}\n{written}")).startswith("?")
    assert str(done(written)).startswith("?")


@pytest.mark.parametrize("name", ["Ally", "Scout", "Home", "Place"])
def test_a_name_below_the_orders_is_no_order(name: str) -> None:
    assert done(f"{ORDER}\n{OTHER}\n\n{name}") == [ORDER, OTHER]


def test_a_name_that_is_an_order_is_asked_about() -> None:
    assert done(f"{ORDER}\n{OTHER}\n\nBlock") == "? Block"
    assert done("play titan\n\nMill", game=WAR.game, view=WAR.view) == "? Mill"
    assert done("play titan\n\nCommander Anna", game=WAR.game, view=WAR.view) == done("play titan", game=WAR.game, view=WAR.view)
    assert done("Colonize C4\n\nFleet\n\nEnd phase") == [ORDER, OTHER, "end phase"]
    assert done("Colonize C4\n\nFleet") == [ORDER, OTHER], "a phone writes each line so"
    assert done(f"{ORDER}\n\nFleet\nEND") == [ORDER, OTHER]


def test_stop_below_an_order_is_no_order() -> None:
    game = catalog.game("space_fleet_commander")
    view = next(view for view in positions("space_fleet_commander") if done("keep", game=game, view=view) == ["keep"])
    assert done("stop", game=game, view=view) == ["end turn"]
    for stop in ("Stop!", "stop", "STOP"):
        assert done(f"keep\n{stop}", game=game, view=view) == f"? {stop}"
        assert done(f"{stop}\nkeep", game=game, view=view) == f"? {stop}"
    assert done("keep\nend turn", game=game, view=view) == ["keep", "end turn"]


QUOTED = f"On Friday, Ben wrote:\n\n> {'x' * 40} and I would not wait for anyone else here\n"


def test_text_below_the_broken_end_of_a_quote_is_asked_about() -> None:
    with pytest.raises(Exception, match="empty"):
        strip(f"{QUOTED}colonize B4\n\nfleet")
    assert strip(f"{QUOTED}\nfleet") == "fleet"
    assert strip(f"{QUOTED}colonize C4\nfleet") == "colonize C4\nfleet"


def test_end_in_an_unmarked_quote_takes_no_question() -> None:
    text = "colonize C4\n\nOn Friday, 20 November 2026 at 12:00, Ben wrote:\nHere they are:\ncolonize B4\nEND\n"
    assert strip(text) == "colonize C4"
