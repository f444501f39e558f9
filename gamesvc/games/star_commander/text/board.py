"""The position as plain text: at most 72 columns, complete without the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.telling import prompt_of
from gamesvc.games.kernel.wording import counted, opening
from gamesvc.games.star_commander.data import CATALOGS, DOMAINS
from gamesvc.games.star_commander.data.editions import EDITIONS
from gamesvc.games.star_commander.text.lasting import lasting_words
from gamesvc.games.star_commander.text.naming import PHASES, REASONS, WINDOW_WORDS, Teller, card_name
from gamesvc.games.star_commander.text.reference import card_line
from gamesvc.json_types import JsonMapping
from gamesvc.language import mark, say

WIDTH = 72


LEGEND = mark("Systems: developments/most, owner. Vessels: owner, name, attack/hit points/speed (stations have no speed), ids.")


def _wrap(text: str, indent: str = "    ") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent) or [""]


def board_text(view: Data, caption: Caption) -> str:
    """Return everything that the picture shows as lines of text."""
    t = Teller(view["seat"], caption.names)
    lines = _head(view, t)
    lines += ["", say("SYSTEMS (row,column; each touches those one row or one column away)"), *_wrap(say(LEGEND))]
    for name, cell in view["cells"].items():
        lines += _wrap(_cell_line(view, t, name, cell), "      ")
        lines += _vessel_lines(view, t, name)
    lines += ["", say("SEATS")]
    for at in range(len(view["seats"])):
        lines += _seat_lines(view, t, at)
    decks = ", ".join(
        say("{domain} {deck} (discards {discards})", domain=one, deck=view["decks"][one], discards=len(view["discards"][one]))
        for one in DOMAINS
    )
    lines += ["", *_wrap(say("Decks: {decks}.", decks=decks))]
    if able := _drawable(view):
        lines += _wrap(say("You can draw from: {able}.", able=", ".join(able)))
    lines += _supply_lines(view)
    lines += _stack_lines(view, t) + _combat_lines(view, t) + _offer_lines(view, t)
    if view["seat"] is not None:
        lines += ["", say("YOUR HAND")] + (_card_lines(view, view["hand"]) or [f"    {say('empty')}"])
    if shown := view["prompt"].get("cards"):
        lines += ["", say("TO CHOOSE FROM"), *_card_lines(view, shown)]
    return "\n".join(lines)


def _drawable(view: Data) -> list[str]:
    """Return the decks from which the viewer is asked to draw now: of the domains of their systems (RULES.md 8)."""
    prompt, seat = view["prompt"], view["seat"]
    if not prompt_of(view["awaited"], seat) or not (prompt["kind"] == "ready_draw" or prompt["what"] == "draw_domain"):
        return []
    held = {cell["domain"] for cell in view["cells"].values() if cell["card"] is not None and cell["controller"] == seat}
    refills = EDITIONS[view["edition"]].decks_reshuffle
    return [one for one in DOMAINS if one in held and (view["decks"][one] or (refills and view["discards"][one]))]


def _head(view: Data, t: Teller) -> list[str]:
    if view["result"]:
        places = "; ".join(f"{place}. {opening(t.all(group))}" for place, group in enumerate(view["result"]["ranking"], 1))
        reason = say(REASONS[view["result"]["reason"]])
        return _wrap(
            say("Star Commander, {edition}. Over: {reason}. {places}.", edition=view["edition"], reason=reason, places=places)
        )
    head = t.says(
        "Star Commander, {edition}. Turn {turn}, {whose} turn. {phase}.",
        whom=view["active"],
        edition=view["edition"],
        turn=view["turn"],
        phase=say(PHASES[view["phase"]]),
    )
    prompt = view["prompt"]
    asked = t.all(one["seat"] for one in view["awaited"])
    parts = [head, *([opening(say("{seats} to act.", seats=asked))] if asked else [])]
    if prompt["kind"] == "window":
        parts.append(say("Responses to {what}.", what=say(WINDOW_WORDS[prompt["what"]])))
    return _wrap(" ".join(parts))


def _cell_line(view: Data, t: Teller, name: str, cell: JsonMapping) -> str:
    if cell["card"] is None:
        return f"{name}  {say('unexplored')}"
    parts = [f"{name}  {cell['name']}"]
    if cell["domain"] in DOMAINS:
        parts.append(cell["domain"])
    if cell["grade"] == "capital":
        parts.append(say("capital"))
    owner = t.name(cell["controller"]) if cell["controller"] is not None else say("nobody")
    parts.append(f"{cell['devs']}/{cell['max']} {owner}")
    parts += [say("BESIEGED")] if cell["besieged"] else []
    parts += [say("CONTESTED")] if cell["contested"] else []
    return ", ".join(parts)


def _vessel_lines(view: Data, t: Teller, cell: str) -> list[str]:
    groups: dict[str, list[str]] = {}
    for at, one in view["vessels"].items():
        if one["cell"] == cell:
            groups.setdefault(_vessel_words(t, one), []).append(at)
    return [line for words, ids in groups.items() for line in _wrap(f"      {words}: {' '.join(ids)}", "        ")]


def _vessel_words(t: Teller, one: JsonMapping) -> str:
    figures = f"{one['attack']}/{one['hp']}" + (f"/{one['speed']}" if "speed" in one else "")
    notes = [say("damage {damage}", damage=one["damage"])] if "damage" in one else []
    notes += [say("jumped {jumps}", jumps=one["jumps"])] if one.get("jumps") else []
    notes += [say("new")] if one.get("new") else []
    notes += lasting_words(one["lasting"], t)
    return f"{t.name(one['seat'])} {one['name']} {figures}" + (f" ({', '.join(notes)})" if notes else "")


def _seat_lines(view: Data, t: Teller, at: int) -> list[str]:
    one = view["seats"][at]
    you = f" ({say('you')})" if at == view["seat"] else ""
    if not one["alive"]:
        return [say("{player}: out", player=f"{t.name(at)}{you}")]
    if one["limit_counts"] == "ships":
        limit = say("ships {ships}/{developments}", ships=one["ships"], developments=one["devs"])
    else:
        limit = say("fighters {fighters}/{developments}", fighters=one["fighters"], developments=one["devs"])
    line = say(
        "{player}: {credits}, hand {hand}/{hand_limit}, devs {developments}, {limit}",
        player=f"{t.name(at)}{you}",
        credits=counted(one["credits"], "credit"),
        hand=one["hand"],
        hand_limit=one["hand_limit"],
        developments=one["devs"],
        limit=limit,
    )
    techs = ", ".join(f"{card_name(card)} ({uid})" for uid, card in one["technologies"])
    return _wrap(line) + (_wrap(f"    {say('technology: {cards}', cards=techs)}", "      ") if techs else [])


def _card_lines(view: Data, cards: Sequence[Sequence[str]]) -> list[str]:
    catalog = CATALOGS[view["edition"]].cards
    return [line for uid, card in cards for line in _wrap(f"    {uid} {card_line(catalog[card])}", "        ")]


def _supply_lines(view: Data) -> list[str]:
    """Describe the vessels that anyone can build: price, figures, and how many are left."""
    catalog = CATALOGS[view["edition"]].cards
    lines = ["", say("SUPPLY (name: credits, attack/hit points/speed, left)")]
    for card, count in view["supply"].items():
        if (vessel := catalog[card]).buildable:
            figures = f"{vessel.attack}/{vessel.hp}" + (f"/{vessel.speed}" if vessel.kind == "ship" else "")
            left = say("{count} left", count=count)
            lines.append(f"    {f'{vessel.name}:':<17}{vessel.cost}, {figures}, {left}")
    return lines


def _stack_lines(view: Data, t: Teller) -> list[str]:
    if not view["stack"]:
        return []
    lines = ["", say("STACK, top first")]
    for item in reversed(view["stack"]):
        what = card_name(item["card"] or item["name"])
        aims = " ".join([*item["targets"].values(), *(str(v) for k, v in (item["params"] or {}).items() if k in ("to", "cell"))])
        shown = {"item": f"s{item['id']} {what}", "player": t.name(item["seat"]), "aims": aims}
        line = say("{item} by {player} on {aims}", **shown) if aims else say("{item} by {player}", **shown)
        lines += _wrap(say("{item}, cancelled", item=line) if item["cancelled"] else line)
    return lines


def _combat_lines(view: Data, t: Teller) -> list[str]:
    combat = view["combat"]
    if combat is None:
        return []
    lines = ["", say("COMBAT in {cell}", cell=combat["cell"])]
    for shot in combat["assigned"]:
        vessel = f"    {t.name(shot['seat'])} {shot['vessel']}"
        lines.append(say("{vessel}: {amount} on {target}", vessel=vessel, amount=shot["amount"], target=shot["target"]))
    return lines


def _offer_lines(view: Data, t: Teller) -> list[str]:
    lines: list[str] = []
    for offer in view["offers"]:
        text = say(
            "Offer {offer}: {maker} to {partner}", offer=offer["id"], maker=t.name(offer["maker"]), partner=t.name(offer["to"])
        )
        if "give" in offer:
            text += say("; gives {give}; wants {want}", give=_side(offer["give"]), want=_side(offer["want"]))
            text += say('; note: "{note}"', note=offer["note"]) if offer["note"] else ""
        lines += _wrap(text + ".")
    return ["", *lines] if lines else []


def _side(side: JsonMapping) -> str:
    parts = [counted(side["credits"], "credit")] if side["credits"] else []
    count = side["cards"] or len(side["hand"])
    parts += [counted(count, "card")] if count else []
    names: Sequence[str] = [*side["technologies"], *side["vessels"], *side["systems"]]
    return ", ".join([*parts, *names]) or say("nothing")
