"""Statistics on NumPy and SciPy."""
