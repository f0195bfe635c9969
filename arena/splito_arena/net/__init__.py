"""HTTP between the arena and bots: allowed addresses, name resolution, client and signatures."""
