"""Request and response schemas of tournaments and experiments, and conversion of stored tournaments into them."""
