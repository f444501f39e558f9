"""Authentication of the sender of a mail: DKIM, DMARC, and the one address that they prove."""
