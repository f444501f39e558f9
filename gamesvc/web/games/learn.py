"""The lesson of a game: one step a page, without an account and without a trace. The address says how many steps are done."""

from __future__ import annotations

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from gamesvc.games import lessons
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Caption, Refused
from gamesvc.games.kernel.wording import SEAT_NAMES
from gamesvc.language import mark, say
from gamesvc.web.common.engines import engine

NAMES = (mark("You"), *SEAT_NAMES[1:])


@require_safe
def learn(request: HttpRequest, game: str) -> HttpResponse:
    """Show a step, or check the `order` of the reader and go on to the next."""
    found = engine(game)
    lesson = lessons.lesson(found.id)
    if lesson is None:
        raise Http404("There is no lesson for this game yet.")
    done = min(intake.whole(request.GET.get("step", ""), 3) or 0, len(lesson.steps))
    order, refused = request.GET.get("order", ""), ""
    if order and done < len(lesson.steps):
        try:
            lessons.check(found.id, done, order)
            return redirect(f"{reverse('web:learn', args=[found.id])}?step={done + 1}")
        except Refused as error:
            refused = error.sentence
    view = found.view(lessons.position(found.id, done).state, lessons.LEARNER)
    caption = Caption("lesson", tuple(say(name) for name in NAMES[: found.manifest.min_seats]), header=False)
    steps = [replace(step, title=say(step.title), text=say(step.text)) for step in lesson.steps]
    context = {
        "manifest": found.manifest,
        "steps": list(enumerate(steps)),
        "done": done,
        "step": steps[done] if done < len(steps) else None,
        "picture": mark_safe(found.picture(view, caption)),
        "board_text": found.board_text(view, caption),
        "order": order,
        "refused": refused,
    }
    return render(request, "web/learn.html", context, status=422 if refused else 200)
