"""This machine: embedded servers, secrets generated into the data folder (`gamesvc.embedded.environment`)."""

from gamesvc.settings.base import *  # noqa: F403

DEBUG = False
