"""Results of tournaments: computed from the ledger in a process of their own, and cached."""
