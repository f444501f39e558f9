"""Mail that did not arrive: reports that came back, and the addresses that get no more."""
