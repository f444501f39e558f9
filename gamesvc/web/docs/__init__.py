"""The documents of the API for developers: guides, a reference made from the OpenAPI document, and the codes of problems."""
