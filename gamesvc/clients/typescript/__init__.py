"""The client for JavaScript and TypeScript, an ES module typed in its comments."""
