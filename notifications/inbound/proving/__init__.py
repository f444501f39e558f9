"""Proof that a mail comes from the sender it names: SPF, DKIM, DMARC, and whom they speak of."""
