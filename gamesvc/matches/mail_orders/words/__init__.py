"""Words with which players ask for texts and lists by mail, and open matches; and the texts that answer them."""
