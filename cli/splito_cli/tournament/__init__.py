"""Commands for organisers: hold a tournament in a service, watch it, change its state, check its dump."""
