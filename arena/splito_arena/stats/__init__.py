"""Statistics of finished blocks: intervals, tables, ratings, head-to-head results and collusion flags."""
