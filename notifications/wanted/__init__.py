"""Notification settings of receivers: channels, times, reminders, mutes, presence."""
