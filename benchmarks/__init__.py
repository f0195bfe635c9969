"""`make bench`: speed, as ratios that are measured side by side in one run."""
