"""Players among each other: blocks, reports, and the terms of conduct."""
