"""Which pages of other sites may call the service: all of them."""

from litestar.config.cors import CORSConfig

CORS = CORSConfig(
    allow_origins=["*"],
    allow_headers=["Authorization", "Content-Type", "If-None-Match", "Last-Event-ID", "Accept-Language"],
    allow_methods=["GET", "POST", "PUT", "DELETE"],
    expose_headers=["ETag", "Location", "RateLimit", "RateLimit-Policy", "Retry-After", "Content-Language"],
)
"""Any site may embed a table, because tokens are in a header that its page must add, never in a cookie."""
