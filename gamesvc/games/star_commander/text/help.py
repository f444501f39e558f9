"""Help for writing orders at each prompt, and our own summary of the rules."""

from __future__ import annotations

_HELP = {
    "ready_draw": ["draw science", "draw science discard=c12   (full hand, classic)"],
    "choice": ["choose science   choose 2,1   choose c12", "keep   discard"],
    "command": [
        "move v3 v4 2,1          move v9 2,1 carry v9=v5+v6",
        "build corvette 2,2      build refinery 1,1      develop 1,1",
        "play barrage v3 v7      use railgun v3 x=2      tech c12",
        "buy science             sell c12 c40            scrap v3 (classic)",
        "offer Blue give credits=4 want systems=1,1      accept 1",
        "orders commands=ask draw=science+industry       resign",
        "end phase               (end the command phase)",
    ],
    "window": [
        "pass",
        "pass rest               (and for the rest of this turn)",
        "play evasion v3         play intercept_orders s4",
        "use railgun v3 x=2      add hold to be asked again",
    ],
    "combat_choose": ["fight 1,1", "end phase", "build corvette 2,2   (with Forsei)"],
    "combat_assign": [
        "fire v3>v7=2 v4>v8      (vessel > target = amount)",
        "fire nothing            add more to go on assigning",
        "add no-pass to be asked again before damage is dealt",
        "add stay not to be asked about a retreat",
    ],
    "combat_retreat": ["retreat v3>2,1 v9>2,1+v5+v6   (+ carried fighters)", "stay"],
}


def order_help(prompt: str | None) -> str:
    """Return the orders that answer a prompt, or all orders without one."""
    if prompt is None:
        return "\n".join(line for lines in _HELP.values() for line in lines)
    return "\n".join(_HELP.get(prompt, ["orders commands=ask", "resign"]))
