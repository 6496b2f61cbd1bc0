"""Which moves, abilities and items the engine plays, and what is special about them.

A move needs no entry if all its columns are understood and it has no callback.  An ability or item has an entry: fields
of its row (`rows`).  What only multiplies a number comes from the exported data and needs no field.  The export refuses
an entry whose fields do not account for every callback that Showdown's effect has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pokejax.rows import BRN, BY_BOOSTS, BY_HP, BY_WEIGHT, BY_WEIGHTS, PAR, PSN, RAIN, SAND, SLP, SNOW, SUN, TOX

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
    "contrary": {"inverts_stages": True},
    "defiant": {"lowered_boosts": {"atk": 2}},
    "dragonsmaw": {},
    "drizzle": {"sets_weather": RAIN},
    "drought": {"sets_weather": SUN},
    "earlybird": {"wakes_early": True},
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
    "infiltrator": {"infiltrates": True},
    "innerfocus": {"no_flinch": True, "ignores_intimidate": True},
    "insomnia": _immune(SLP),
    "intimidate": {"intimidates": True},
    "ironfist": {},
    "justified": {"hit_boosts": {"atk": 1}, "hit_type": "Dark"},
    "keeneye": {**_keeps("accuracy"), "ignores_evasion": True},
    "levitate": {"levitates": True},
    "lightningrod": _absorb_boost("Electric", spa=1),
    "limber": _immune(PAR),
    "magicguard": {"no_indirect_damage": True},
    "megalauncher": {},
    "motordrive": _absorb_boost("Electric", spe=1),
    "moxie": {"ko_boosts": {"atk": 1}},
    "multiscale": {},
    "naturalcure": {"heals_status_on_leaving": True},
    "overcoat": {"blocks_powder": True, "no_sand": True},
    "overgrow": {},
    "poisontouch": {"poisons_by_hitting": PSN, "poisons_by_contact_only": True},
    "prankster": {"quickens_status_moves": True},
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
    "sheerforce": {"forces": True},
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
    "stormdrain": _absorb_boost("Water", spa=1),
    "strongjaw": {},
    "sturdy": {"sturdy": True},
    "swarm": {},
    "swiftswim": {},
    "technician": {"technician": True},
    "thickfat": {},
    "tintedlens": {},
    "torrent": {},
    "toughclaws": {},
    "toxicchain": {"poisons_by_hitting": TOX},
    "toxicboost": {},
    "transistor": {},
    "vitalspirit": _immune(SLP),
    "voltabsorb": _absorb_hp("Electric"),
    "waterabsorb": _absorb_hp("Water"),
    "watercompaction": {"hit_boosts": {"def": 2}, "hit_type": "Water"},
    "waterveil": _immune(BRN),
    "weakarmor": {"hit_boosts": {"def": -1, "spe": 2}, "hit_physical": True},
    "wellbakedbody": _absorb_boost("Fire", **{"def": 2}),
}

MOVES: Final[Mapping[str, Fields]] = {
    "acrobatics": {"doubles_without_item": True},
    "brickbreak": {},  # no screens are played
    "blizzard": {"sure_in": SNOW},
    "collisioncourse": {"power_by": 5461, "power_fact": "super_effective"},
    "electrodrift": {"power_by": 5461, "power_fact": "super_effective"},
    "encore": {},
    "eruption": {"power_from": BY_HP},
    "facade": {"power_by": 8192, "power_fact": "ails_awake", "burn_spares": True},
    "fakeout": {"first_action_only": True},
    "firstimpression": {"first_action_only": True},
    "freezedry": {"strong_on_water": True},
    "grassknot": {"power_from": BY_WEIGHT},
    "haze": {"clears_stages": True},
    "heatcrash": {"power_from": BY_WEIGHTS},
    "heavyslam": {"power_from": BY_WEIGHTS},
    "hex": {"doubles_against_status": True},
    "highjumpkick": {"crashes": True},
    "hurricane": {"sure_in": RAIN, "unsure_in_sun": True},
    "icespinner": {},  # no terrains are played
    "knockoff": {"power_by": 6144, "power_fact": "target_has_item", "knocks_off": True},
    "leechseed": {},
    "lowkick": {"power_from": BY_WEIGHT},
    "moonlight": {"heals_by_weather": True},
    "morningsun": {"heals_by_weather": True},
    "painsplit": {"shares_hp": True},
    "poltergeist": {"needs_item": True},
    "powertrip": {"power_from": BY_BOOSTS},
    "protect": {},
    "psychicfangs": {},
    "rapidspin": {"spins": True},
    "rest": {"rests": True},
    "roost": {"roosts": True},
    "ruination": {"halves": True},
    "spikes": {},
    "stealthrock": {},
    "stickyweb": {},
    "stompingtantrum": {"doubles_after_failure": True},
    "storedpower": {"power_from": BY_BOOSTS},
    "substitute": {},
    "suckerpunch": {"needs_attack": True},
    "supercellslam": {"crashes": True},
    "superfang": {"halves": True},
    "synthesis": {"heals_by_weather": True},
    "taunt": {},
    "temperflare": {"doubles_after_failure": True},
    "terablast": {"becomes_tera": True},
    "thunder": {"sure_in": RAIN, "unsure_in_sun": True},
    "thunderclap": {"needs_attack": True},
    "toxicspikes": {},
    "waterspout": {"power_from": BY_HP},
}
"""Moves with callbacks or conditions of their own, all of which these fields stand for."""

ITEMS: Final[Mapping[str, Fields]] = {
    "assaultvest": {"assault_vest": True},
    "choiceband": {"choice": True},
    "choicescarf": {"choice": True},
    "choicespecs": {"choice": True},
    "eviolite": {},
    "expertbelt": {},
    "flameorb": {"orb": BRN},
    "heavydutyboots": {"boots": True},
    "leftovers": {"leftovers": True},
    "lifeorb": {"life_orb": True},
    "loadeddice": {"loaded_dice": True},
    "magnet": {},
    "rockyhelmet": {"helmet": True},
    "silkscarf": {},
    "toxicorb": {"orb": TOX},
    "widelens": {},
}

SPECIES_LEFT_OUT: Final = ("ogerpon", "terapagos", "zacian", "zamazenta", "arceus", "palafin", "eternatus", "mimikyu")
"""Base species whose forme changes or locks belong to the species, not to an ability."""

CALLBACKS: Final[Mapping[str, tuple[str, ...]]] = {
    "adaptability": ("onModifySTAB",),
    "absorbs": ("onTryHit", "onAllyTryHitSide", "onAnyRedirectTarget"),
    "assault_vest": ("onDisableMove",),
    "blocks_bullets": ("onTryHit",),
    "blocks_powder": ("onTryHit",),
    "blocks_sound": ("onTryHit", "onAllyTryHitSide"),
    "choice": ("onStart", "onModifyMove"),
    "contact_damage": ("onDamagingHit",),
    "contact_status": ("onDamagingHit",),
    "heals_status_on_leaving": ("onSwitchOut", "onCheckShow"),
    "helmet": ("onDamagingHit",),
    "hit_boosts": ("onDamagingHit",),
    "ignores_evasion": ("onModifyMove",),
    "ignores_intimidate": ("onTryBoost",),
    "infiltrates": ("onModifyMove",),
    "forces": ("onModifyMove",),
    "inverts_stages": ("onChangeBoost",),
    "no_indirect_damage": ("onDamage",),
    "orb": ("onResidual",),
    "loaded_dice": ("onModifyMove",),
    "poisons_by_hitting": ("onSourceDamagingHit",),
    "quickens_status_moves": ("onModifyPriority",),
    "immune_statuses": ("onSetStatus", "onUpdate", "onTryAddVolatile"),
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
