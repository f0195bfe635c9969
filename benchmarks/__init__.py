"""`make bench`: how fast, as ratios measured side by side in one run."""
