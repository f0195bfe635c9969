"""Reports of a tournament: HTML page, plots, tables for export, and signed dumps."""
