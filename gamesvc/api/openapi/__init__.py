"""The parts of the OpenAPI document that no serializer holds: words for fields and answers, and the step that adds them."""
