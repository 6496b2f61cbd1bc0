"""Constants of Acrobot-v1, with units and source.

Source of every value: ``gymnasium/envs/classic_control/acrobot.py:AcrobotEnv`` @ gymnasium 1.3.0.
"""

import math
from typing import Final

GRAVITY: Final = 9.8  # m/s^2 — ._dsdt, g
LINK_LENGTH_1: Final = 1.0  # m, of the upper link — .LINK_LENGTH_1; the lower link's length moves nothing
LINK_MASS_1: Final = 1.0  # kg — .LINK_MASS_1
LINK_MASS_2: Final = 1.0  # kg — .LINK_MASS_2
LINK_CENTRE_1: Final = 0.5  # m, joint to centre of mass — .LINK_COM_POS_1
LINK_CENTRE_2: Final = 0.5  # m, joint to centre of mass — .LINK_COM_POS_2
LINK_INERTIA: Final = 1.0  # kg m^2, of either link — .LINK_MOI
MAX_SPEED_1: Final = 4 * math.pi  # rad/s — .MAX_VEL_1
MAX_SPEED_2: Final = 9 * math.pi  # rad/s — .MAX_VEL_2
TORQUE: Final = 1.0  # N m on the joint between the links — .AVAIL_TORQUE
TIME_STEP: Final = 0.2  # s between states — .dt
HEIGHT: Final = 1.0  # m above the pivot, for links of 1 m; the free end must be higher — ._terminal
RESET_BOUND: Final = 0.1  # rad, rad/s; all four start in U(-bound, bound) — .reset
MAX_STEPS: Final = 500  # steps — gymnasium/envs/__init__.py, register(id="Acrobot-v1", max_episode_steps=500)

BACK: Final = 0  # action: torque -TORQUE — .step
NONE: Final = 1  # action: no torque — .step
FORTH: Final = 2  # action: torque +TORQUE — .step
