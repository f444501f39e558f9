"""Pages of deadlines, pauses and absences."""
