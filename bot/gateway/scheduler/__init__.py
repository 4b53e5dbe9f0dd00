"""Run work at the times at which it is due: reminders, releases, statistics, clean-up."""
