"""HTTP: the application, its routes, limits and OpenAPI documents, and the server processes."""
