"""What the service answers, address by address."""
