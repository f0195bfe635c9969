"""Redis: address, connection, client, scripts, notices, keyring and kinds of trouble."""
