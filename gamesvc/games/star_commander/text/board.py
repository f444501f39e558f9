"""The position as plain text: at most 72 columns, complete without the picture."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from gamesvc.games.kernel.game import Caption, Data
from gamesvc.games.kernel.wording import counted, opening
from gamesvc.games.star_commander.data import DOMAINS
from gamesvc.games.star_commander.rules.effects.lasting import lasting_words
from gamesvc.games.star_commander.text.narrate import PHASES, REASONS, WINDOW_WORDS, Teller, card_name
from gamesvc.json_types import JsonMapping

WIDTH = 72


def _wrap(text: str, indent: str = "    ") -> list[str]:
    return textwrap.wrap(text, WIDTH, subsequent_indent=indent) or [""]


def board_text(view: Data, caption: Caption) -> str:
    """Return everything that the picture shows as lines of text."""
    t = Teller(view["seat"], caption.names)
    lines = _head(view, t)
    lines += ["", "SYSTEMS (row,column)"]
    for name, cell in view["cells"].items():
        lines += _wrap(_cell_line(view, t, name, cell), "      ")
        lines += _vessel_lines(view, t, name)
    lines += ["", "SEATS"]
    for at in range(len(view["seats"])):
        lines += _seat_lines(view, t, at)
    decks = ", ".join(f"{domain} {view['decks'][domain]} (discards {len(view['discards'][domain])})" for domain in DOMAINS)
    lines += ["", *_wrap(f"Decks: {decks}.")]
    left = [f"{card_name(card)} {count}" for card, count in view["supply"].items() if card != "scout"]
    lines += _wrap(f"Supply: {', '.join(left)}.")
    lines += _stack_lines(view, t) + _combat_lines(view, t) + _offer_lines(view, t)
    if view["seat"] is not None:
        hand = ", ".join(f"{uid} {card_name(card)}" for uid, card in view["hand"]) or "empty"
        lines += ["", *_wrap(f"YOUR HAND: {hand}.")]
    shown = view["prompt"].get("cards")
    if shown:
        lines += _wrap("TO CHOOSE FROM: " + ", ".join(f"{uid} {card_name(card)}" for uid, card in shown) + ".")
    return "\n".join(lines)


def _head(view: Data, t: Teller) -> list[str]:
    if view["result"]:
        places = "; ".join(f"{place}. {opening(t.all(group))}" for place, group in enumerate(view["result"]["ranking"], 1))
        return _wrap(f"Star Commander, {view['edition']}. Over: {REASONS[view['result']['reason']]}. {places}.")
    head = f"Star Commander, {view['edition']}. Turn {view['turn']}, {t.whose(view['active'])} turn. {PHASES[view['phase']]}."
    prompt = view["prompt"]
    who = f"{opening(t.all(one['seat'] for one in view['awaited']))} to act." if view["awaited"] else ""
    if prompt["kind"] == "window":
        who += f" Responses to {WINDOW_WORDS[prompt['what']]}."
    return _wrap(f"{head} {who}")


def _cell_line(view: Data, t: Teller, name: str, cell: JsonMapping) -> str:
    if cell["card"] is None:
        return f"{name}  unexplored"
    parts = [f"{name}  {cell['name']}"]
    if cell["domain"] in DOMAINS:
        parts.append(cell["domain"])
    if cell["grade"] == "capital":
        parts.append("capital")
    owner = t.name(cell["controller"]) if cell["controller"] is not None else "nobody"
    parts.append(f"{cell['devs']}/{cell['max']} {owner}")
    parts += [word.upper() for word in ("besieged", "contested") if cell[word]]
    return ", ".join(parts)


def _vessel_lines(view: Data, t: Teller, cell: str) -> list[str]:
    groups: dict[str, list[str]] = {}
    for at, one in view["vessels"].items():
        if one["cell"] == cell:
            groups.setdefault(_vessel_words(t, one), []).append(at)
    return [line for words, ids in groups.items() for line in _wrap(f"      {words}: {' '.join(ids)}", "        ")]


def _vessel_words(t: Teller, one: JsonMapping) -> str:
    figures = f"{one['attack']}/{one['hp']}" + (f"/{one['speed']}" if "speed" in one else "")
    notes = [f"damage {one['damage']}"] if "damage" in one else []
    notes += [f"jumped {one['jumps']}"] if one.get("jumps") else []
    notes += ["new"] if one.get("new") else []
    notes += lasting_words(one["lasting"], t.whose)
    return f"{t.name(one['seat'])} {one['name']} {figures}" + (f" ({', '.join(notes)})" if notes else "")


def _seat_lines(view: Data, t: Teller, at: int) -> list[str]:
    one = view["seats"][at]
    you = " (you)" if at == view["seat"] else ""
    if not one["alive"]:
        return [f"{t.name(at)}{you}: out"]
    limit = (
        f"ships {one['ships']}/{one['devs']}" if one["limit_counts"] == "ships" else f"fighters {one['fighters']}/{one['devs']}"
    )
    credits = counted(one["credits"], "credit")
    line = f"{t.name(at)}{you}: {credits}, hand {one['hand']}/{one['hand_limit']}, devs {one['devs']}, {limit}"
    techs = ", ".join(f"{card_name(card)} ({uid})" for uid, card in one["technologies"])
    return _wrap(line) + (_wrap(f"    technology: {techs}", "      ") if techs else [])


def _stack_lines(view: Data, t: Teller) -> list[str]:
    if not view["stack"]:
        return []
    lines = ["", "STACK, top first"]
    for item in reversed(view["stack"]):
        what = card_name(item["card"] or item["name"])
        aims = " ".join([*item["targets"].values(), *(str(v) for k, v in (item["params"] or {}).items() if k in ("to", "cell"))])
        note = ", cancelled" if item["cancelled"] else ""
        lines += _wrap(f"s{item['id']} {what} by {t.name(item['seat'])}{' on ' + aims if aims else ''}{note}")
    return lines


def _combat_lines(view: Data, t: Teller) -> list[str]:
    combat = view["combat"]
    if combat is None:
        return []
    lines = ["", f"COMBAT in {combat['cell']}"]
    for shot in combat["assigned"]:
        lines.append(f"    {t.name(shot['seat'])} {shot['vessel']}: {shot['amount']} on {shot['target']}")
    return lines


def _offer_lines(view: Data, t: Teller) -> list[str]:
    lines: list[str] = []
    for offer in view["offers"]:
        text = f"Offer {offer['id']}: {t.name(offer['maker'])} to {t.name(offer['to'])}"
        if "give" in offer:
            text += f"; gives {_side(offer['give'])}; wants {_side(offer['want'])}"
            text += f'; note: "{offer["note"]}"' if offer["note"] else ""
        lines += _wrap(text + ".")
    return ["", *lines] if lines else []


def _side(side: JsonMapping) -> str:
    parts = [counted(side["credits"], "credit")] if side["credits"] else []
    count = side["cards"] or len(side["hand"])
    parts += [counted(count, "card")] if count else []
    names: Sequence[str] = [*side["technologies"], *side["vessels"], *side["systems"]]
    return ", ".join([*parts, *names]) or "nothing"
