"""Start-up of the heart: the Celery application, the notice renderers, the handler of answers, the check of the match keys."""

from django.apps import AppConfig


class MatchesConfig(AppConfig):
    name = "gamesvc.matches"
    label = "matches"

    def ready(self) -> None:
        # Not in gamesvc/__init__.py: an engine must load without Celery.
        import gamesvc.celery  # noqa: F401
        from gamesvc.matches import (
            absence_notices,
            checks,  # noqa: F401
            erasing,
            held_orders,
            invited,
            notices,
            organising_notices,
            press_mail,
            receipts,
            reminding,
            replies,
            retention,
            rulings,
            standing_notices,
            statistics,
            substitute_mail,
            tenures,
            undo_notices,
        )

        notices.register()
        absence_notices.register()
        erasing.register()
        held_orders.register()
        invited.register()
        organising_notices.register()
        press_mail.register()
        receipts.register()
        reminding.register()
        replies.register()
        retention.register()
        rulings.register()
        standing_notices.register()
        substitute_mail.register()
        tenures.register()
        undo_notices.register()
        statistics.register()
