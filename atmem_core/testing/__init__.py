"""Fakes and conformance kits, one for each port."""
