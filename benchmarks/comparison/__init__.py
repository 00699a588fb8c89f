"""How benchmarks/peers.py compares spcart with others."""
