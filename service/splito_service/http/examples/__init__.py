"""Examples of requests and answers, one module per concept; the endpoint declarations name them."""
