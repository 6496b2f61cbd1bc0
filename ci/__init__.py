"""Checks, reports and set-up of this repository; run as `python -m ci.<name>` from its root."""
