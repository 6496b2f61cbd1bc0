"""Constants of CartPole-v1, with units and source.

Source of every value: ``gymnasium/envs/classic_control/cartpole.py:CartPoleEnv`` @ gymnasium 1.3.0.
"""

import math
from typing import Final

GRAVITY: Final = 9.8  # m/s^2 — .gravity
MASS_CART: Final = 1.0  # kg — .masscart
MASS_POLE: Final = 0.1  # kg — .masspole
HALF_POLE_LENGTH: Final = 0.5  # m, pivot to centre of mass — .length ("actually half the pole's length")
FORCE: Final = 10.0  # N, pushed left or right — .force_mag
TIME_STEP: Final = 0.02  # s between states — .tau
X_THRESHOLD: Final = 2.4  # m; |x| beyond this terminates — .x_threshold
THETA_THRESHOLD: Final = 12 * 2 * math.pi / 360  # rad, 12 degrees; likewise for |theta| — .theta_threshold_radians
RESET_BOUND: Final = 0.05  # m, m/s, rad, rad/s; all four start in U(-bound, bound) — .reset
MAX_STEPS: Final = 500  # steps — gymnasium/envs/__init__.py, register(id="CartPole-v1", max_episode_steps=500)

LEFT: Final = 0  # action: push with -FORCE — .step
RIGHT: Final = 1  # action: push with +FORCE — .step
