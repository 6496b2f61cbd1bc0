"""Damages by draw: chances fail, and the battle stays as it is."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.l2, pytest.mark.reference("showdown")]


def mon(species, ability, *moves):
    return f"{species}|||{ability}|{','.join(moves)}||85,85,85,85,85,85|M|||80|,,,,,Normal"


FLAREON = mon("Flareon", "guts", "flareblitz", "facade", "quickattack")
HYDRAPPLE = mon("Hydrapple", "regenerator", "ficklebeam", "leafstorm")


@pytest.fixture
def battle(driver):
    setting = {"seed": "1234", "teams": [FLAREON, HYDRAPPLE], "setup": [["status", 0, 0, "frz"]]}
    number = driver.request("open", battles=[setting])[0]["battle"]
    yield number
    driver.request("close", battles=[number])


def rolls(driver, battle, side, slot):
    attack = {"battle": battle, "side": side, "slot": slot, "critical": False}
    return driver.request("rolls", attacks=[attack])[0]


def test_a_move_that_thaws_its_user_leaves_it_frozen_afterwards(driver, battle):
    before = rolls(driver, battle, 0, 1)  # doubled by the status, and Guts
    rolls(driver, battle, 0, 0)
    assert rolls(driver, battle, 0, 1) == before


def test_a_chance_of_more_power_fails_each_time(driver, battle):
    once = rolls(driver, battle, 1, 0)
    assert once == sorted(once, reverse=True)
    assert all(rolls(driver, battle, 1, 0) == once for _ in range(8))
