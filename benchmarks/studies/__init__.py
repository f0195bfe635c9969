"""Studies of the statistics by simulation: false alarms and power."""
