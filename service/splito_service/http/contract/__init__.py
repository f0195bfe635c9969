"""The OpenAPI documents of the service and of a bot, made from the endpoint declarations and the message Structs."""
