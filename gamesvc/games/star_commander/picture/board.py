"""The board as SVG: the diamond, the bands of opponents and viewer, the viewer's hand, and the pending decision."""

from __future__ import annotations

from collections.abc import Sequence

from gamesvc.games.drawing.chart import HEADER, MARGIN, WIDTH, Chart, drawable_caption, wrap
from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.targets import FINGER, Picture
from gamesvc.games.kernel.wording import Speaker, seat_name, to_act
from gamesvc.games.star_commander.data import CATALOGS, DOMAINS
from gamesvc.games.star_commander.manifest import MANIFEST
from gamesvc.games.star_commander.picture.diagram import NARROW, Diamond, Layout
from gamesvc.games.star_commander.picture.glance import glance, now
from gamesvc.games.star_commander.picture.targets import MOST_ITEMS
from gamesvc.games.star_commander.state import corners
from gamesvc.games.star_commander.text.explain import DISCARD
from gamesvc.games.star_commander.text.lasting import lasting_words
from gamesvc.games.star_commander.text.naming import REASONS, WINDOW_WORDS, card_name
from gamesvc.json_types import JsonMapping

BAND = 74
HAND = 104
CARD = 124
LINE = 25
ALSO = FINGER + 2
ITEM = FINGER + 6
"""The height of a row of the stack, with the gap below it."""
SUPPLY = 82
ASKS = {
    "ready_draw": "Draw a card: choose a domain.",
    "command": "Move, build, develop, trade or play cards; then end the command phase.",
    "window": "Play a card, use an ability, or pass.",
    "combat_choose": "Choose the next combat, or end the phase.",
    "combat_assign": "Assign your damage.",
    "combat_retreat": "Retreat ships, or stay.",
}
CHOICES = {
    "draw_domain": "Choose the deck to draw from.",
    "keep_or_discard": "Keep or discard the top card.",
    "core_world": "Choose where the free development goes.",
    "take_card": "Choose a card to take.",
    "discard": "Choose a card to discard.",
}


def picture(view: Data, caption: Caption) -> Picture:
    """Draw what a viewer may see, 720 units wide."""
    return Sheet(view, caption).svg()


class Sheet:
    """One picture: measured first, then drawn from top to bottom."""

    def __init__(self, view: Data, caption: Caption) -> None:
        self.view, self.told, self.caption = view, glance(view, caption), drawable_caption(caption)
        self.viewer: int | None = view["seat"]
        self.foot = self.viewer if self.viewer is not None else 0
        self.others = [seat for seat in range(len(view["seats"])) if seat != self.foot]
        self.layout = Layout.of(view["grid"], corners(view["grid"], len(view["seats"]))[self.foot])
        self.names = [seat_name(seat, self.caption.names) for seat in range(len(view["seats"]))]
        self.speaker = Speaker(self.viewer, self.names)

    def svg(self) -> Picture:
        probe = Diamond(Chart(WIDTH, 10, prefix="probe"), self.view, 0, self.speaker)
        probe.draw()
        self.also, self.lists = probe.overflow, self._lists()
        rows = (len(self.view["hand"]) + 4) // 5
        shown = (len(self.view["prompt"].get("cards", ())) + 4) // 5
        stack = (len(self._items()) + 1) // 2
        below = ALSO * len(self.also) + sum(LINE * (len(wrap(text, 590, 19, 400)) or 1) for _, text in self.lists)
        board = self.layout.height + 2 * self._inset()
        height = HEADER + (BAND + 8) * len(self.others) + 16 + board + 24 + BAND + 8
        height += below + (rows + shown) * HAND + (26 if rows else 0) + (26 if shown else 0) + 70
        height += SUPPLY + (26 + ITEM * stack if stack else 0)
        chart = Chart.captioned(MANIFEST.title, self.caption, self.told, height)
        chart.rect(0, 0, WIDTH, height, fill="paper")
        self.chart = chart
        self._header()
        # Bands lie below the map: so a phone shows the map whole, and at its foot what the viewer has.
        y = self._board(float(HEADER), board)
        with chart.beside("opponents", y - 4, y + (BAND + 8) * len(self.others)):
            for seat in self.others:
                self._band(seat, y)
                y += BAND + 8
        chart.fold(y - 4)
        self._band(self.foot, y)
        # What is answered or chosen comes next: a phone shows the top of this part at the foot of the screen.
        y = self._stack(y + BAND + 12)
        y = self._cards(y, "To choose from", self.view["prompt"].get("cards", ()))
        y = self._supply(self._cards(y, "Your hand", self.view["hand"]))
        y = self._texts(y)
        chart.closing(y + 14, self._closing(), calls=self.caption.calls(self.view["awaited"], self.viewer))
        return chart.svg()

    def _inset(self) -> float:
        """Return the room above and below the diamond that the piles need because its corners leave none."""
        return 6.0

    # --- the head ---

    def _awaited(self) -> list[int]:
        return [one["seat"] for one in self.view["awaited"]]

    def _header(self) -> None:
        prompt = self.view["prompt"]
        flag = acting = ""
        if self.caption.past:
            acting = "Earlier position"
        elif self.viewer in self._awaited():
            flag = {"window": "Your response", "choice": "Your choice"}.get(prompt["kind"], "Your move")
        else:
            acting = to_act(self.view["awaited"], self.names)
        self.chart.header(MANIFEST.title, self.caption.match, now(self.view, self.caption), flag=flag, acting=acting)

    def _closing(self) -> str:
        view, prompt = self.view, self.view["prompt"]
        if view["result"]:
            winners = " and ".join(self.names[seat] for seat in view["result"]["ranking"][0])
            return f"The match is over: {REASONS[view['result']['reason']]}. First: {winners}."
        if prompt["seat"] < 0:  # in the middle of a command, or before the set-up is complete
            return "No decision is open at this point."
        if self.viewer in self._awaited():
            ask = CHOICES[prompt["what"]] if prompt["kind"] == "choice" else ASKS[prompt["kind"]]
            return f"Respond to {WINDOW_WORDS[prompt['what']]}. {ask}" if prompt["kind"] == "window" else ask
        return "This is an earlier position." if self.caption.past else f"{to_act(view['awaited'], self.names)}."

    # --- seats ---

    def _band(self, seat: int, y: float) -> None:
        chart, one = self.chart, self.view["seats"][seat]
        chart.seat_band(
            seat,
            y,
            self.names[seat],
            height=BAND,
            you=seat == self.viewer,
            awaited=seat in self._awaited(),
            room=146,
        )
        if not one["alive"]:
            chart.label(36, y + 62, "Out of the match")
            return
        ships = "ships" if one["limit_counts"] == "ships" else "fighters"
        chart.fact(226, y + 33, "credit", one["credits"], "credits")
        chart.fact(352, y + 33, "hand", f"{one['hand']}/{one['hand_limit']}", "hand")
        chart.fact(472, y + 33, "development", one["devs"], "devs")
        chart.fact(580, y + 33, "spaceship", f"{one[ships]}/{one['devs']}", ships if ships == "ships" else "fight.")
        names: dict[str, int] = {}
        for _, card in one["technologies"]:
            names[card_name(card)] = names.get(card_name(card), 0) + 1
        row = " · ".join(f"{name} ×{count}" if count > 1 else name for name, count in names.items()) or "none"
        chart.label(36, y + 62, "Technology")
        chart.text(134, y + 62, row, size=20, room=560, smallest=15)

    # --- the map ---

    def _board(self, y: float, height: float) -> float:
        chart = self.chart
        chart.frame(MARGIN, y + 8, WIDTH - 2 * MARGIN, height, columns=14, rows=14)
        diamond = Diamond(chart, self.view, y + 8 + self._inset(), self.speaker)
        diamond.draw()
        self._piles(y + 8)
        return y + height + 24

    def _piles(self, top: float) -> None:
        square = self.layout.square
        size = (50.0, 66.0) if square else (60.0, 80.0)
        places = ((47.0, 16.0), (147.0, 16.0), (247.0, 16.0)) if square else ((32.0, 18.0), (112.0, 18.0), (620.0, 18.0))
        for domain, (x, dy) in zip(DOMAINS, places, strict=True):
            y = top + dy
            self.chart.pile(x, y, domain, width=size[0], height=size[1], count=self.view["decks"][domain])
            middle = x + size[0] / 2
            self.chart.text(
                middle, y + size[1] + 20, domain.capitalize(), size=17, weight=600, anchor="middle", room=88, smallest=15
            )
            self.chart.target(f"deck:{domain}", x, y - 5, size[0] + 5, size[1] + 5)
            discard = f"discard {len(self.view['discards'][domain])}"
            self.chart.target(f"pile:{DISCARD}{domain}", middle - 40, y + size[1] + 1, 80, FINGER)
            self.chart.text(middle, y + size[1] + 38, discard, size=17, colour="ink2", anchor="middle", room=88)

    # --- below the map ---

    def _items(self) -> Sequence[Data]:
        return list(reversed(self.view["stack"]))[:MOST_ITEMS]

    def _stack(self, y: float) -> float:
        """Draw the stack in two columns."""
        items, width = self._items(), 336.0
        if not items:
            return y
        self.chart.label(MARGIN, y + 16, "Stack, top first")
        for number, item in enumerate(items):
            left, top = MARGIN + number % 2 * (width + 8), y + 26 + number // 2 * ITEM
            self.chart.rect(left, top, width, FINGER, stroke="ink")
            self.chart.disc(left + 24, top + 24, number + 1)
            self.chart.badge(item["seat"], left + 58, top + 24, 24)
            self.chart.text(left + 80, top + 31, card_name(item["card"] or item["name"]), weight=700, room=width - 88)
            self.chart.target(f"stack:{item['id']}", left, top, width, FINGER)
            if item["cancelled"]:
                self.chart.struck(left + 76, top + 8, width - 84, 32)
        return y + 26 + ITEM * ((len(items) + 1) // 2)

    def _supply(self, y: float) -> float:
        """Draw the kinds of vessel that can be bought, in one row, each with the number left."""
        entries = [(card, left) for card, left in self.view["supply"].items() if card != "scout"]
        width = (WIDTH - 2 * MARGIN) / len(entries)
        self.chart.label(MARGIN, y + 16, "Supply")
        for at, (card, left) in enumerate(entries):
            x = MARGIN + at * width
            self.chart.rect(x, y + 24, width, FINGER, stroke="ink")
            name = card_name(card)
            self.chart.text(x + width / 2, y + 43, NARROW.get(name, name), size=17, anchor="middle", room=width - 8, smallest=15)
            self.chart.text(x + width / 2, y + 65, str(left), size=19, weight=700, anchor="middle")
            self.chart.target(f"supply:{card}", x, y + 24, width, FINGER)
        return y + SUPPLY

    def _lists(self) -> list[tuple[str, str]]:
        lists = []
        if lasting := self._lasting():
            lists.append(("Lasting", "; ".join(lasting)))
        combat = self.view["combat"]
        if combat and combat["assigned"]:
            named = {at: f"{one['name']} {at}" for at, one in self.view["vessels"].items()}
            shots = [
                f"{named[one['vessel']]} {one['amount']} on {named[one['target']]}"
                for one in combat["assigned"]
                if one["vessel"] in named and one["target"] in named
            ]
            lists.append(("Damage", "; ".join(shots)))
        for item in reversed(self.view["stack"]):
            aims = [*item["targets"].values(), *(str(v) for k, v in (item["params"] or {}).items() if k in ("to", "cell"))]
            if aims:
                what = card_name(item["card"] or item["name"])
                lists.append((f"s{item['id']}", f"{what} by {self.names[item['seat']]}: {', '.join(map(self._aim, aims))}"))
        for offer in self.view["offers"]:
            lists.append((f"Offer {offer['id']}", f"{self.names[offer['maker']]} to {self.names[offer['to']]}"))
        return lists

    def _lasting(self) -> list[str]:
        """Describe the lasting effects on vessels and when they end, one line for each effect."""
        by_words: dict[str, list[str]] = {}
        for at, one in self.view["vessels"].items():
            for words in lasting_words(one["lasting"], self.speaker):
                by_words.setdefault(words, []).append(f"{one['name']} {at}")
        return [f"{', '.join(vessels)} {words}" for words, vessels in by_words.items()]

    def _aim(self, value: str) -> str:
        vessels: JsonMapping = self.view["vessels"]
        if value in vessels:
            return f"{self.names[vessels[value]['seat']]}'s {vessels[value]['name']} {value} at {vessels[value]['cell']}"
        return self.names[int(value)] if value.isdecimal() else value

    def _texts(self, y: float) -> float:
        for at, (vessel, words) in enumerate(self.also):
            if not at:
                self.chart.label(MARGIN, y + 28, "Also")
            self.chart.text(MARGIN + 88, y + 28, words, size=19, room=590, smallest=12)
            self.chart.target(f"vessel:{vessel}", MARGIN + 80, y + 1, 598, FINGER)
            y += ALSO
        for head, text in self.lists:
            self.chart.label(MARGIN, y + 16, head)
            for line in wrap(text, 590, 19, 400):
                self.chart.text(MARGIN + 88, y + 16, line, size=19)
                y += LINE
        return y

    def _cards(self, y: float, label: str, cards: Sequence[tuple[str, str]]) -> float:
        if not cards:
            return y
        catalog = CATALOGS[self.view["edition"]]
        self.chart.label(MARGIN, y + 16, label)
        y += 26
        for index, (uid, at) in enumerate(cards):
            x, top = MARGIN + (CARD + 15) * (index % 5), y + HAND * (index // 5)
            card = catalog[at]
            self.chart.rect(x, top, CARD, HAND - 8, stroke="ink", line=2, rx=4)
            self.chart.rect(x, top, CARD, 28, fill="tint", stroke="ink", line=2, rx=4)
            self.chart.icon(card.domain, x + 8, top + 5, 18)
            self.chart.text(x + 32, top + 20.5, card.kind.capitalize(), size=17, colour="ink2", room=CARD - 38, smallest=15)
            for line, words in enumerate(wrap(card.name, CARD - 16, 19, 700, 2)):
                self.chart.text(x + 9, top + 50 + 19 * line, words, size=19, weight=700)
            self.chart.text(x + CARD - 8, top + 89, uid, size=16, colour="ink2", anchor="end")
            if card.is_vessel:
                figures = f"{card.attack}/{card.hp}" + (f"/{card.speed}" if card.kind == "ship" else "")
                self.chart.text(x + 9, top + 89, f"{card.cost} cr · {figures}", size=16, room=CARD - 50)
            self.chart.target(f"card:{uid}", x, top, CARD, HAND - 8)
        return y + HAND * ((len(cards) + 4) // 5)
