"""`PyBoy.sgb`: as PyBoy shows it while Super Game Boy functions are off, which they always are here."""

from typing import NoReturn

from emurust.pyboy.errors import not_offered


class SGB:
    """Nothing is there."""

    enabled = detected = border_enabled = False

    def __getattr__(self, name: str) -> NoReturn:
        raise not_offered(f"sgb.{name}", "nothing: Super Game Boy functions are not emulated")
