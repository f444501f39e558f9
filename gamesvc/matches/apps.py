"""Start-up of matches: the Celery application, the wording of notices, the mail handlers, the check of the match keys."""

from django.apps import AppConfig
from django.utils.translation import get_language


class MatchesConfig(AppConfig):
    name = "gamesvc.matches"
    label = "matches"

    def ready(self) -> None:
        # Not in gamesvc/__init__.py: an engine must load without Celery.
        import gamesvc.celery  # noqa: F401
        from gamesvc import language
        from gamesvc.matches import checks, erasing, retention  # noqa: F401
        from gamesvc.matches.access import tenures
        from gamesvc.matches.mail_orders import held_orders, press_mail, receipts, replies, standing_mail
        from gamesvc.matches.mail_orders.joining import invitation_mail, substitute_mail
        from gamesvc.matches.notices import (
            absence_notices,
            conduct_notices,
            ending,
            match_hooks,
            measure_notices,
            reminding,
            standing_notices,
            undo_notices,
            wording,
        )
        from gamesvc.matches.organising import rewinds
        from gamesvc.matches.record import loading
        from gamesvc.matches.statistics import totals

        language.follow(get_language)
        # The page of notification settings lists their kinds in this order.
        for part in (wording, absence_notices, conduct_notices, erasing, held_orders, invitation_mail, ending, match_hooks):
            part.register()
        for part in (measure_notices, press_mail, receipts, reminding, replies, retention, rewinds, standing_mail):
            part.register()
        for part in (standing_notices, substitute_mail, tenures, undo_notices, totals, loading):
            part.register()
