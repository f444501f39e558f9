"""Start-up of the heart: the Celery application, the notice renderers, the handler of answers, the check of the match keys."""

from django.apps import AppConfig


class MatchesConfig(AppConfig):
    name = "gamesvc.matches"
    label = "matches"

    def ready(self) -> None:
        # Not in gamesvc/__init__.py: an engine must load without Celery.
        import gamesvc.celery  # noqa: F401
        from gamesvc.matches import checks, notices, receipts, replies  # noqa: F401

        notices.register()
        receipts.register()
        replies.register()
