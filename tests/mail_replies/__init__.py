"""Graded answers to turn mails, as real mail programs write them. All sentences and addresses are invented."""

from __future__ import annotations

import os

import django
from django.apps import apps

if not apps.ready:
    # Run as a program, not by the test runner. The settings want servers, but nothing here asks one.
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "gamesvc.settings.test")
    os.environ.setdefault("DATABASE_URL", "postgres://nobody@127.0.0.1:1/none")
    os.environ.setdefault("REDIS_URL", "redis://127.0.0.1:1/0")
    os.environ.setdefault("SECRET_KEY", "grading only".ljust(50, "."))
    django.setup()
