"""Why a command is refused."""
