"""Static files under names with a hash of their content, compressed, so that browsers and proxies keep them for good."""

from __future__ import annotations

from whitenoise.storage import CompressedManifestStaticFilesStorage  # type: ignore[import-untyped]


class HashedFiles(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """The storage that `collectstatic` fills. Imports between our JavaScript modules lead to the hashed names too."""

    support_js_module_import_aggregation = True
