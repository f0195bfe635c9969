"""Registered bots: storage, consent of owners, reachability, and the asks of pull bots."""
