"""Settings, driven by the environment: `base` for all, `dev` (this machine), `test`, `prod`."""
