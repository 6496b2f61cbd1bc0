"""Rows of the data tables: what a move, an ability, an item and a Pokémon of a team are made of, field by field.

Tables are columns of uint32 words, one entry per row; row 0 is "none".  `Layout`s name the bits, for the export that
writes them and for the rules that read them.
"""

from __future__ import annotations

from typing import Any, Final

from rlenv_shared.packing import Layout, bits, flag

STATS: Final = ("hp", "atk", "def", "spa", "spd", "spe")
BOOSTS: Final = ("atk", "def", "spa", "spd", "spe", "accuracy", "evasion")
ATK, DEF, SPA, SPD, SPE, ACCURACY, EVASION = range(7)
GENDERS: Final = ("", "M", "F")
STATUSES: Final = ("", "brn", "par", "slp", "frz", "psn", "tox")
BRN, PAR, SLP, FRZ, PSN, TOX = range(1, 7)
BY_EITHER, BY_HOLDER = 1, 2
"""Whose species keeps an item from being taken: the holder's or the taker's, or the holder's alone."""
WEATHERS: Final = ("", "sunnyday", "raindance", "sandstorm", "snowscape")
SUN, RAIN, SAND, SNOW = range(1, 5)
TERRAINS: Final = ("", "electricterrain", "grassyterrain", "psychicterrain")
ELECTRIC_TERRAIN, GRASSY_TERRAIN, PSYCHIC_TERRAIN = range(1, 4)
PHYSICAL, SPECIAL, STATUS = 1, 2, 3
SUNLIGHT, CURRENT = 1, 2
"""What wakes a paradox ability."""
EVERYBODY, GROUNDED, STEEL = 1, 2, 3
"""Whom an ability traps."""
SIDE_CONDITIONS: Final = (
    "", "stealthrock", "spikes", "toxicspikes", "stickyweb", "reflect", "lightscreen", "auroraveil",
    "tailwind",
)  # fmt: skip
STEALTH_ROCK, SPIKES, TOXIC_SPIKES, STICKY_WEB, REFLECT, LIGHT_SCREEN, AURORA_VEIL, TAILWIND = range(1, 9)
VOLATILES: Final = (
    "", "flinch", "confusion", "leechseed", "taunt", "encore", "protect", "substitute", "healblock", "throatchop",
    "yawn", "curse", "saltcure", "sparklingaria", "noretreat",
    "destinybond", "magnetrise", "partiallytrapped", "trapped",
)  # fmt: skip
FLINCH, CONFUSION, LEECH_SEED, TAUNT, ENCORE, PROTECT, SUBSTITUTE = range(1, 8)
HEAL_BLOCK, THROAT_CHOP, YAWN, CURSE, SALT_CURE = range(8, 13)
DESTINY_BOND, MAGNET_RISE, BINDING, TRAPPED = range(15, 19)
AT_FOE, AT_SELF, AT_FIELD, AT_FOE_SIDE, AT_OWN_SIDE, AT_ALL_ADJACENT = range(6)
"""Targets in singles: one foe, the user, the whole field, a side, and whoever stands beside the user."""
FRACTIONS: Final = ((0, 1), (1, 2), (1, 3), (1, 4), (33, 100), (3, 4))
"""Of drain, recoil and healing."""
STAGE_BITS: Final = 4  # of one stat in seven packed stages
BEAK_BLAST, FOCUS_PUNCH, CHILLY_RECEPTION = range(1, 4)
"""Moves that are prepared before anybody moves."""
BY_WEIGHT, BY_WEIGHTS, BY_BOOSTS, BY_HP, BY_BLOWS = range(1, 6)
"""What makes the power of moves that have none of their own: the target's weight, both weights, the user's raised
stages, the user's hit points, how often the user has been struck."""
MOVE_FLAGS: Final = (
    "contact", "protect", "sound", "punch", "bite", "pulse", "slicing", "bullet", "powder", "defrost", "cantusetwice",
    "mustpressure", "bypasssub", "failencore", "heal", "wind", "nosleeptalk", "charge",
    "reflectable", "dance",
)  # fmt: skip


def _secondary(number: int) -> list[Any]:
    return [
        bits(f"chance{number}", 0, 100),
        bits(f"status{number}", 0, 6),
        bits(f"volatile{number}", 0, len(VOLATILES) - 1),
        bits(f"boosts{number}", 0, 127),
        bits(f"self_boosts{number}", 0, 127),
    ]


MOVE: Final = Layout(
    "move",
    [
        bits("type", 0, 19), bits("category", 0, 3), bits("power", 0, 255), bits("accuracy", 0, 100),
        bits("priority", -7, 5), bits("target", 0, 5), bits("crit_ratio", 0, 6), flag("always_crits"),
        bits("least_hits", 1, 10), bits("most_hits", 1, 10), bits("drain", 0, 5), bits("recoil", 0, 5),
        bits("heal_share", 0, 5), flag("self_switch"), bits("status", 0, 6), bits("weather", 0, 4),
        bits("volatile", 0, len(VOLATILES) - 1), flag("level_damage"), flag("defends_physically"),
        flag("attacks_with_defense"), flag("attacks_with_targets"), flag("ignores_defense_boosts"),
        flag("ignores_evasion"), flag("thaws_target"), flag("toxic"), bits("boosts", 0, 127),
        bits("self_boosts", 0, 127), bits("once_boosts", 0, 127), bits("self_chance", 0, 100),
        flag("ignores_immunity"), flag("struggle"), flag("hydro_steam"),
        bits("side_condition", 0, len(SIDE_CONDITIONS) - 1), flag("knock_off"), flag("spins"),
        flag("heals_by_weather"), flag("needs_attack"), flag("first_action_only"), flag("tera_blast"), flag("halves"),
        flag("acrobatics"), flag("hex"), bits("power_by", 0, 8192), bits("power_fact", 0, 63), bits("sure_in", 0, 4),
        flag("unsure_in_sun"), flag("facade"), flag("roost"), flag("rest"), flag("poltergeist"), flag("crashes"),
        flag("freeze_dry"), bits("power_from", 0, 5), flag("doubles_after_failure"), flag("haze"), flag("pain_split"),
        flag("defog"), flag("wish"), flag("drags"), flag("swaps_items"), flag("strength_sap"), flag("forced"),
        flag("rampages"), flag("multiaccuracy"), flag("triple_axel"), flag("only_raised"), flag("curse"),
        flag("belly_drum"), flag("weather_ball"), flag("ignores_abilities"), flag("photon_geyser"), flag("shore_up"),
        flag("take_heart"), flag("sleep_talk"), flag("tidy_up"), flag("parting_shot"), bits("samples", 0, 2),
        bits("strews", 0, len(SIDE_CONDITIONS) - 1), flag("endeavor"), flag("payback"), flag("fickle_beam"),
        flag("clear_smog"), flag("sparkling_aria"), flag("judgment"), flag("explosion"), flag("heal_bell"),
        bits("pays", 0, 50), flag("court_change"), flag("hyperspace_fury"), flag("teleport"), flag("avalanche"),
        flag("glaive_rush"), flag("retyped"), flag("breaks_screens"), flag("no_retreat"), flag("giga_impact"),
        flag("charges"), flag("meteor_beam"), flag("solar_beam"), flag("trick_room"), bits("fuses", 0, 2),
        bits("follows_breed", 0, 1023), flag("shed_tail"), flag("bug_bite"), flag("quakes"), flag("grassy_glide"),
        flag("expanding_force"), flag("ice_spinner"), flag("surf"), flag("aura_wheel"), flag("revelation_dance"),
        bits("readies", 0, 3), flag("relic_song"), flag("beat_up"), flag("mirror_coat"), flag("shell_side_arm"),
        flag("revival_blessing"), flag("healing_wish"), flag("double_shock"), flag("future_sight"),
        flag("tera_starstorm"), flag("transform"), bits("secondaries", 0, 2), *_secondary(0), *_secondary(1),
        *(flag(name) for name in MOVE_FLAGS),
    ],
)  # fmt: skip
"""A flag with a move's name says that it is this move.  ``boosts`` and the like are rows of the table of stage
changes; 0 changes nothing.  Accuracy 0 never misses.  A ``self_chance`` of 0 is none given: the change always comes,
after a draw all the same.  ``power_by`` multiplies the power in 4096ths where the fact of number ``power_fact - 1``
holds; a move is sure in the weather ``sure_in``.  ``only_raised`` keeps the secondary effect for targets whose stages
rose in this turn.  ``forced`` and ``retyped`` are only set while Sheer Force or Pixilate uses a move.  ``fuses``
numbers Fusion Flare and Fusion Bolt, ``follows_breed`` is the base species with the last of whose types it strikes.
``strews`` is a hazard that a blow leaves on the target's ground, ``pays`` percent of hit points that stages cost."""

ATTACK_RANKS: Final = {
    (5, "onModify"): "strengthens", (5, "onSourceModify"): "resists", (0, "onModify"): "strengthens_last",
}  # fmt: skip
"""Fields for handlers of ``ModifyAtk`` (bit 0) and ``ModifySpA`` (bit 1) by priority and callback, where those of two
Pokémon can be equals; abilities of ruin are such, too, of priority 0."""
ABILITY: Final = Layout(
    "ability",
    [
        bits("absorbs", 0, 19), flag("absorbs_into_hp"), bits("absorbed_boosts", 0, 127), flag("soundproof"),
        flag("bulletproof"), flag("overcoat"), bits("contact_status", 0, 6), bits("contact_damage", 0, 8),
        bits("hit_boosts", 0, 127), bits("hit_types", 0, 2**20 - 1), flag("weak_armor"), bits("sets_weather", 0, 4),
        flag("intimidate"), flag("ignores_intimidate"), flag("regenerator"), flag("natural_cure"),
        bits("lowered_boosts", 0, 127), bits("kept_stages", 0, 127), bits("ko_boosts", 0, 127),
        bits("immune_statuses", 0, 127), flag("inner_focus"), flag("sturdy"), flag("serene_grace"),
        flag("adaptability"), flag("technician"), flag("levitate"), flag("pressure"), flag("speed_boost"),
        flag("shield_dust"), flag("rock_head"), flag("no_sand"), flag("shell_armor"), flag("guts"), flag("quick_feet"),
        flag("ignores_evasion"), flag("changes_damage"), flag("changes_damage_taken"), flag("infiltrator"),
        flag("magic_guard"), flag("prankster"), flag("contrary"), bits("paradox", 0, 2), flag("cures_itself"),
        flag("good_as_gold"), flag("aroma_veil"), flag("unnerves"), bits("halvings", 0, 1), bits("doublings", 0, 1),
        flag("unseen_fist"), flag("corrosion"), flag("supreme_overlord"), flag("soul_heart"), flag("own_tempo"),
        flag("oblivious"), bits("ruins", 0, 4), flag("aftermath"), flag("download"), flag("bad_dreams"),
        flag("synchronize"), flag("harvest"), flag("breakable"), flag("unaware"), flag("breaks_abilities"),
        flag("unburden"), flag("shed_skin"), flag("hydration"), flag("hustle"), flag("scrappy"), flag("no_guard"),
        bits("healing_priority", 0, 3), flag("heatproof"), flag("fluffy"), flag("gooey"), flag("ice_body"),
        flag("poison_heal"), bits("berry_heals", 0, 3), flag("skill_link"), flag("liquid_ooze"), flag("cursed_body"),
        flag("wind_rider"), flag("sheer_force"), flag("early_bird"), bits("poisons_by_hitting", 0, 6),
        flag("poison_touch"), flag("frisk"), flag("analytic"), flag("dry_skin"), flag("effect_spore"),
        flag("gale_wings"), flag("leaf_guard"), flag("pulses"), flag("queenly_majesty"), flag("rattled"),
        flag("sticky_hold"), flag("toxic_debris"), flag("comatose"), bits("retypes", 0, 19), flag("liquid_voice"),
        flag("proteans"), bits("traps", 0, 3), flag("magic_bounce"), flag("slow_start"), flag("truant"),
        flag("flower_veil"), flag("electromorphosis"), flag("magician"), flag("pickpocket"), flag("mycelium_might"),
        flag("poison_puppeteer"), bits("entry_boosts", 0, 127), flag("damp"), bits("once", 0, 2),
        bits("halfway_boosts", 0, 127), flag("suppresses"), bits("sets_terrain", 0, 3), flag("seed_sower"),
        flag("disguise"), flag("gulp_missile"), flag("hunger_switch"), flag("dancer"), flag("zero_to_hero"),
        flag("ice_face"), flag("shields_down"), flag("trace"), flag("untraceable"), flag("mirror_armor"),
        flag("cud_chew"), flag("cute_charm"), flag("sand_force"), flag("power_spot"), flag("teraform_zero"),
        flag("tera_shell"), flag("tera_shift"), flag("imposter"), flag("inborn"), flag("illusion"), flag("stays"),
        flag("checks_form"), *(bits(name, 0, 3) for name in ATTACK_RANKS.values()),
    ],
)  # fmt: skip
"""A flag with an ability's name says that it is this one.  ``ruins`` is one plus the number of a stat that the other
Pokémon has less of; ``absorbs`` is a type of which moves do nothing but help; ``hit_boosts`` come when hit, by some
types; ``kept_stages``, ``immune_statuses`` and ``hit_types`` have a bit per stat, per status and per type.
``retypes`` is the type that moves of type Normal take on; what comes ``once`` in a battle is kept in the state, in
one of two places; what is ``inborn`` does nothing for who has transformed; who ``stays`` what it is can be traced in
vain; what ``checks_form`` is asked at the end of a turn; ``halfway_boosts`` come when a move leaves half of the hit
points or less."""

ITEM: Final = Layout(
    "item",
    [
        flag("leftovers"), flag("life_orb"), flag("choice"), flag("assault_vest"), flag("heavy_duty_boots"),
        flag("rocky_helmet"), flag("loaded_dice"), bits("orb", 0, 6), flag("berry"), flag("sitrus_berry"),
        flag("chesto_berry"), flag("lum_berry"), flag("focus_sash"), flag("weakness_policy"), flag("white_herb"),
        flag("booster_energy"), bits("kept", 0, 2), flag("scope_lens"), flag("throat_spray"), flag("light_clay"),
        flag("power_herb"), flag("air_balloon"), flag("custap_berry"), bits("plate", 0, 19), bits("suits", 0, 1023),
        bits("suits_too", 0, 1023), flag("leppa_berry"),
    ],
)  # fmt: skip
"""``suits`` and ``suits_too`` are the base species in whose hands an item does something, if it is not for all; what is
``kept`` nobody can take away from one of them, nor one of them from anybody if it is kept `BY_EITHER`."""

POKEMON: Final = Layout(
    "pokemon",
    [
        bits("max_hp", 1, 1023, empty=1), bits("atk", 0, 1023), bits("def_", 0, 1023), bits("spa", 0, 1023),
        bits("spd", 0, 1023), bits("spe", 0, 1023), bits("level", 1, 100, empty=1), bits("species", 0, 1023),
        bits("ability", 0, 255), bits("item", 0, 63), bits("type1", 0, 19), bits("type2", 0, 19),
        bits("tera_type", 0, 19), flag("can_evolve"), bits("weight", 0, 16383), bits("moves", 0, 511, count=4),
        bits("base", 0, 1023), flag("reverts"), flag("masked"), flag("paradox"), bits("beat_power", 0, 31),
        bits("shown", 0, 1023), bits("gender", 0, len(GENDERS) - 1), bits("base_spe", 0, 255),
        bits("spe_effort", 0, 94), bits("spe_nature", 0, 2),
    ],
)  # fmt: skip
"""A Pokémon of the pool as it was before the battle, or as what it may become (`effects.CHANGES`, `effects.TERASTALS`):
``masked`` when it Terastallizes; from who is ``paradox`` nobody takes Booster Energy.  ``shown`` is the species that
messages name, ``beat_power`` that of its blow in Beat Up; ``base_spe`` is its species' Speed, ``spe_effort`` what it
adds to twice that, by its individual value and effort, and ``spe_nature`` whether its nature raises (1) or lowers (2)
it."""
POKEMON_WORDS: Final = POKEMON.num_words
KEPT: Final = frozenset({
    "max_hp", "level", "tera_type", "can_evolve", "beat_power", "gender", "spe_effort", "spe_nature",
})  # fmt: skip
"""What of its own a Pokémon keeps when it transforms into another one."""

EVENTS: Final = (
    "BasePower", "ModifyAtk", "ModifySpA", "ModifyDef", "ModifySpD", "ModifySpe", "ModifyDamage",
    "SourceModifyAtk", "SourceModifySpA", "SourceModifyDamage", "SourceModifyAccuracy",
)  # fmt: skip
"""Events that multiply a number.  Those that begin with Source are asked of the other Pokémon than the event's own:
of the target's effects when the user's attack is looked at, of the user's when the target's evasion is."""
ROWS_PER_EVENT: Final = 2
FACTS: Final = (
    "physical", "special", "contact", "sound", "punch", "bite", "pulse", "slicing", "recoil", "super_effective",
    "not_very_effective", "critical", "third_of_hp", "has_status", "poisoned", "target_full_hp", "target_fresh",
    "sun", "rain", "sand", "snow", "can_evolve", "has_accuracy",
    "target_has_item", "ails_awake", "forced", "stats_lowered", "item_suits", "retyped", "slow", "dull",
    "current",
)  # fmt: skip
"""What a modifier may ask; the words of a modifier's row have one bit for each."""
MODIFIER: Final = Layout(
    "modifier",
    [bits("by", 0, 16384), bits("type", 0, 19), flag("direct"), bits("facts", 0, 2 ** len(FACTS) - 1, alone=True)],
)
"""Multiplies by ``by / 4096`` if the move has the type (0: any) and every fact holds; ``direct`` rounds at once."""
