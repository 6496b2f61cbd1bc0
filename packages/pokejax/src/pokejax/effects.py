"""Which moves, abilities and items the engine plays, and what is special about them.

A move needs no entry if all its columns are understood and it has no callback.  An ability or item has an entry: fields
of its row (`rows`).  What only multiplies a number comes from the exported data and needs no field.  The export refuses
an entry whose fields do not account for every callback that Showdown's effect has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pokejax.rows import BRN, PAR, RAIN, SAND, SNOW, SUN

Fields = Mapping[str, Any]


def _absorb_hp(type_: str) -> Fields:
    return {"absorbs": type_, "absorbs_into_hp": True}


def _absorb_boost(type_: str, **boosts: int) -> Fields:
    return {"absorbs": type_, "absorbed_boosts": boosts}


def _immune(*statuses: int) -> Fields:
    return {"immune_statuses": sum(1 << status for status in statuses)}


def _keeps(*stats: str) -> Fields:
    return {"kept_stages": stats}


_EVERY_STAGE: Final = _keeps("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")

ABILITIES: Final[Mapping[str, Fields]] = {
    "adaptability": {"adaptability": True},
    "bigpecks": _keeps("def"),
    "blaze": {},
    "bulletproof": {"blocks_bullets": True},
    "chillingneigh": {"ko_boosts": {"atk": 1}},
    "chlorophyll": {},
    "clearbody": _EVERY_STAGE,
    "competitive": {"lowered_boosts": {"spa": 2}},
    "compoundeyes": {},
    "defiant": {"lowered_boosts": {"atk": 2}},
    "dragonsmaw": {},
    "drizzle": {"sets_weather": RAIN},
    "drought": {"sets_weather": SUN},
    "eartheater": _absorb_hp("Ground"),
    "filter": {},
    "flamebody": {"contact_status": BRN},
    "frisk": {"shows_item": True},
    "fullmetalbody": _EVERY_STAGE,
    "furcoat": {},
    "grimneigh": {"ko_boosts": {"spa": 1}},
    "guts": {"burn_spares": True},
    "hugepower": {},
    "icescales": {},
    "infiltrator": {"ignores_screens": True},
    "innerfocus": {"no_flinch": True, "ignores_intimidate": True},
    "intimidate": {"intimidates": True},
    "ironfist": {},
    "justified": {"hit_boosts": {"atk": 1}, "hit_type": "Dark"},
    "keeneye": {**_keeps("accuracy"), "ignores_evasion": True},
    "levitate": {"levitates": True},
    "limber": {**_immune(PAR), "cures_itself": True},
    "megalauncher": {},
    "motordrive": _absorb_boost("Electric", spe=1),
    "moxie": {"ko_boosts": {"atk": 1}},
    "multiscale": {},
    "naturalcure": {"heals_status_on_leaving": True},
    "overcoat": {"blocks_powder": True, "no_sand": True},
    "overgrow": {},
    "pressure": {"presses": True},
    "prismarmor": {},
    "punkrock": {},
    "purepower": {},
    "quickfeet": {"quick_feet": True},
    "reckless": {},
    "regenerator": {"regenerates": True},
    "rockhead": {"no_recoil": True},
    "rockypayload": {},
    "roughskin": {"contact_damage": 8},
    "sandrush": {"no_sand": True},
    "sandstream": {"sets_weather": SAND},
    "sapsipper": _absorb_boost("Grass", atk=1),
    "serenegrace": {"serene_grace": True},
    "shadowshield": {},
    "sharpness": {},
    "shellarmor": {"no_crits": True},
    "shielddust": {"no_secondaries": True},
    "slushrush": {},
    "sniper": {},
    "snowwarning": {"sets_weather": SNOW},
    "solidrock": {},
    "soundproof": {"blocks_sound": True},
    "speedboost": {"speeds_up": True},
    "stakeout": {},
    "stamina": {"hit_boosts": {"def": 1}},
    "static": {"contact_status": PAR},
    "strongjaw": {},
    "sturdy": {"sturdy": True},
    "swarm": {},
    "swiftswim": {},
    "technician": {"technician": True},
    "thickfat": {},
    "tintedlens": {},
    "torrent": {},
    "toughclaws": {},
    "toxicboost": {},
    "transistor": {},
    "voltabsorb": _absorb_hp("Electric"),
    "waterabsorb": _absorb_hp("Water"),
    "watercompaction": {"hit_boosts": {"def": 2}, "hit_type": "Water"},
    "weakarmor": {"hit_boosts": {"def": -1, "spe": 2}, "hit_physical": True},
    "wellbakedbody": _absorb_boost("Fire", **{"def": 2}),
}

ITEMS: Final[Mapping[str, Fields]] = {
    "assaultvest": {"assault_vest": True},
    "choiceband": {"choice": True},
    "choicescarf": {"choice": True},
    "choicespecs": {"choice": True},
    "eviolite": {},
    "expertbelt": {},
    "heavydutyboots": {"boots": True},
    "leftovers": {"leftovers": True},
    "lifeorb": {"life_orb": True},
    "magnet": {},
    "rockyhelmet": {"helmet": True},
    "silkscarf": {},
    "widelens": {},
}

SPECIES_LEFT_OUT: Final = ("ogerpon", "terapagos", "zacian", "zamazenta", "arceus", "palafin", "eternatus", "mimikyu")
"""Base species whose forme changes or locks belong to the species, not to an ability."""

CALLBACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "adaptability": ("onModifySTAB",),
    "absorbs": ("onTryHit", "onAllyTryHitSide"),
    "assault_vest": ("onDisableMove",),
    "blocks_bullets": ("onTryHit",),
    "blocks_powder": ("onTryHit",),
    "blocks_sound": ("onTryHit", "onAllyTryHitSide"),
    "choice": ("onStart", "onModifyMove"),
    "contact_damage": ("onDamagingHit",),
    "contact_status": ("onDamagingHit",),
    "cures_itself": ("onUpdate",),
    "heals_status_on_leaving": ("onSwitchOut", "onCheckShow"),
    "helmet": ("onDamagingHit",),
    "hit_boosts": ("onDamagingHit",),
    "ignores_evasion": ("onModifyMove",),
    "ignores_intimidate": ("onTryBoost",),
    "ignores_screens": ("onModifyMove",),
    "immune_statuses": ("onSetStatus",),
    "intimidates": ("onStart",),
    "kept_stages": ("onTryBoost",),
    "ko_boosts": ("onSourceAfterFaint",),
    "leftovers": ("onResidual",),
    "life_orb": ("onAfterMoveSecondarySelf",),
    "lowered_boosts": ("onAfterEachBoost",),
    "no_crits": ("onCriticalHit",),
    "no_flinch": ("onTryAddVolatile",),
    "no_recoil": ("onDamage",),
    "no_sand": ("onImmunity",),
    "no_secondaries": ("onModifySecondaries",),
    "presses": ("onDeductPP", "onStart"),
    "quick_feet": (),
    "regenerates": ("onSwitchOut",),
    "serene_grace": ("onModifyMove",),
    "sets_weather": ("onStart",),
    "shows_item": ("onStart",),
    "speeds_up": ("onResidual",),
    "sturdy": ("onTryHit", "onDamage"),
    "technician": ("onBasePower",),
}
"""Which callbacks of Showdown a field stands for, besides those that only multiply."""
