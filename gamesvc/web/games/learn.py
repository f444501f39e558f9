"""The lesson of a game: one step a page, without an account and without a trace. The address says how many steps are done."""

from __future__ import annotations

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.safestring import mark_safe
from django.views.decorators.http import require_safe

from gamesvc.games import lessons
from gamesvc.games.kernel import intake
from gamesvc.games.kernel.game import Caption, Refused
from gamesvc.web.common.engines import engine

NAMES = ("You", "Blue", "Yellow", "Green", "Plum", "White")


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
    caption = Caption("lesson", NAMES[: found.manifest.min_seats], header=False)
    context = {
        "manifest": found.manifest,
        "steps": list(enumerate(lesson.steps)),
        "done": done,
        "step": lesson.steps[done] if done < len(lesson.steps) else None,
        "picture": mark_safe(found.picture(view, caption)),
        "board_text": found.board_text(view, caption),
        "order": order,
        "refused": refused,
    }
    return render(request, "web/learn.html", context, status=422 if refused else 200)
