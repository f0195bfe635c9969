"""Types of all messages, one module for each concept.

Generated from the documents in openapi/ by `make contract`; do not edit.
"""
