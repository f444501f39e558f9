"""What all pages share, and pages that belong to no match."""
