"""Webhooks of owners: storage, proof of addresses, events and their delivery."""
