"""One match between bots: messages, questions, players, the clock of a seat and the referee."""
