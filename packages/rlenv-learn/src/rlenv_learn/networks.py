"""Actor-critic networks: convolutions for pixels, dense layers, optionally a GRU, a policy and a value head."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Real

from rlenv_learn.config import PPOConfig
from rlenv_learn.interface import Interface
from rlenv_learn.presets import ACTIVATIONS, PRESETS, Convolution
from rlenv_shared.errors import InvalidParamsError

_BYTE: Final = np.float32(1 / 255)


def _dense(features: int, scale: float, name: str) -> nn.Dense:
    return nn.Dense(features, kernel_init=nn.initializers.orthogonal(scale), name=name, param_dtype=jnp.float32)


def image_layout(shape: tuple[int, ...]) -> tuple[tuple[int, ...], bool]:
    """``(shape of an image with a channel axis, whether that axis comes first)``.

    ``(H, W)`` is one channel.  Of three axes the smaller of the first and the last counts channels, the last where they
    are equal: RGB images end with theirs, stacks of frames begin with theirs.  Raises InvalidParamsError: neither two
    nor three axes.
    """
    if len(shape) not in (2, 3):
        expected = "an image: (height, width), (height, width, channels) or (channels, height, width)"
        remedy = "choose an mlp or gru preset, or let the environment show pixels"
        raise InvalidParamsError("observation of a convolutional network", f"shape {shape}", expected, remedy)
    return ((*shape, 1), False) if len(shape) == 2 else (shape, shape[0] < shape[2])


class ConvolutionalTorso(nn.Module):
    """Convolutions over images, flattened.  Bytes are scaled to 0…1 here, minibatch by minibatch."""

    shape: tuple[int, ...]
    convolutions: tuple[Convolution, ...]
    activation: Callable[[Any], Any]

    @nn.compact
    def __call__(self, obs: Real[Array, "time batch size"]) -> Float[Array, "time batch features"]:
        """Features of flattened images."""
        shape, channels_first = image_layout(self.shape)
        time, batch, _ = obs.shape
        hidden = jnp.reshape(obs, (time * batch, *shape))
        if channels_first:
            hidden = jnp.moveaxis(hidden, 1, -1)
        hidden = hidden.astype(jnp.float32) * _BYTE if obs.dtype == jnp.uint8 else hidden
        for layer, convolution in enumerate(self.convolutions):
            hidden = self.activation(
                nn.Conv(
                    convolution.features,
                    (convolution.kernel, convolution.kernel),
                    (convolution.stride, convolution.stride),
                    padding="SAME",
                    kernel_init=nn.initializers.orthogonal(math.sqrt(2)),
                    param_dtype=jnp.float32,
                    name=f"conv_{layer}",
                )(hidden)
            )
        return jnp.reshape(hidden, (time, batch, -1))


class ResettingGRU(nn.Module):
    """A GRU over time whose state is zeroed where an episode begins, and held where nothing is decided.

    The products with the inputs are formed for all steps at once; only those with the state are sequential.
    """

    width: int

    @nn.compact
    def __call__(
        self,
        carry: Float[Array, "batch width"],
        inputs: Float[Array, "time batch features"],
        resets: Bool[Array, "time batch"],
        asked: Bool[Array, "time batch"],
    ) -> tuple[Float[Array, "batch width"], Float[Array, "time batch width"]]:
        """Run over the whole sequence; ``resets[t]``: ``inputs[t]`` begins an episode, ``asked[t]``: it is read."""
        projected = _dense(3 * self.width, 1.0, "input")(inputs)
        kernel = self.param("kernel", nn.initializers.orthogonal(), (self.width, 3 * self.width), jnp.float32)
        candidate_bias = self.param("candidate_bias", nn.initializers.zeros, (self.width,), jnp.float32)

        def step(hidden: Any, step_inputs: Any) -> tuple[Any, Any]:
            x, reset, reads = step_inputs
            hidden = jnp.where(reset[:, None], jnp.zeros_like(hidden), hidden)
            x_update, x_reset, x_candidate = jnp.split(x, 3, axis=-1)
            h_update, h_reset, h_candidate = jnp.split(hidden @ kernel, 3, axis=-1)
            update = nn.sigmoid(x_update + h_update)
            candidate = jnp.tanh(x_candidate + nn.sigmoid(x_reset + h_reset) * (h_candidate + candidate_bias))
            new = update * hidden + (jnp.ones_like(update) - update) * candidate
            return jnp.where(reads[:, None], new, hidden), new

        return jax.lax.scan(step, carry, (projected, resets, asked))


class Embedding(nn.Module):
    """Flattened observations with every id replaced by a learned vector."""

    interface: Interface
    size: int

    @nn.compact
    def __call__(self, obs: Float[Array, "time batch size"]) -> tuple[Float[Array, "time batch features"], list[Any]]:
        """Numbers as they are, an id or a set of them as ``size`` numbers; and what is said of each action.

        Of each action ``[..., action, F]``.
        """
        found: list[Any] = []
        of_actions: list[Any] = []
        begin = 0
        for number, part in enumerate(self.interface.parts):
            entry, about = obs[..., begin : begin + part.size], self.interface.says_of_actions(part)
            begin += part.size
            if part.ids:
                table = nn.Embed(part.ids, self.size, param_dtype=jnp.float32, name=f"ids_{number}")
                ids = entry.astype(jnp.int32)
                entry = table(ids)
                if self.interface.is_of_sets(part):
                    members = jnp.where(ids[..., None] > 0, entry, jnp.float32(0))
                    entry = jnp.reshape(members, (*members.shape[:2], *part.shape, self.size)).sum(axis=-2)
            rows = part.shape[:1] if about else ()
            (of_actions if about else found).append(jnp.reshape(entry, (*obs.shape[:2], *rows, -1)))
        return jnp.concatenate(found, axis=-1), of_actions


class ActorCritic(nn.Module):
    """Shared trunk with a policy head and a value head."""

    interface: Interface  # sizes of observation and action
    preset: str  # name in :data:`rlenv_learn.presets.PRESETS`
    activation: str = "tanh"  # name in :data:`rlenv_learn.presets.ACTIVATIONS`
    initial_log_std: float = 0.0  # initial log standard deviation of a Gaussian policy
    embedding: int = 16  # numbers that stand for an id

    @property
    def recurrent(self) -> bool:
        """True if there is a state to carry."""
        return PRESETS[self.preset].recurrent

    def initial_carry(self, batch: int) -> Float[Array, "batch width"]:
        """Zero state; its width is 0 without a GRU, so callers need not tell the cases apart."""
        return jnp.zeros((batch, PRESETS[self.preset].width if self.recurrent else 0), jnp.float32)

    @nn.compact
    def __call__(
        self,
        carry: Float[Array, "batch width"],
        obs: Real[Array, "time batch size"],
        resets: Bool[Array, "time batch"],
        asked: Bool[Array, "time batch"] | None = None,
    ) -> tuple[Float[Array, "batch width"], Any, Float[Array, "time batch"]]:
        """Evaluate sequences: ``(carry, outputs, value)``; outputs are logits, or ``(mean, log_std [size])``.

        ``obs`` is flattened and normalised, uint8 where the environment's is and nothing normalises it; ``resets[t]``:
        it begins an episode; ``asked[t]``: a decision is made there (everywhere where None), else the state is held.
        """
        shape, activation = PRESETS[self.preset], ACTIVATIONS[self.activation]
        of_actions: list[Any] = []
        if shape.convolutions:
            image = self.interface.observation_shape
            hidden = ConvolutionalTorso(image, shape.convolutions, activation, name="torso")(obs)
        else:
            hidden = obs.astype(jnp.float32)
            if any(part.ids or self.interface.says_of_actions(part) for part in self.interface.parts):
                hidden, of_actions = Embedding(self.interface, self.embedding, name="embedding")(hidden)
        for layer in range(shape.depth):
            hidden = activation(_dense(shape.width, math.sqrt(2), f"dense_{layer}")(hidden))
        if shape.recurrent:
            asked = jnp.ones_like(resets) if asked is None else asked
            carry, hidden = ResettingGRU(shape.width, name="gru")(carry, hidden, resets, asked)
        value = _dense(1, 1.0, "value")(hidden)[..., 0]
        outputs = _dense(self.interface.action_size, 0.01, "policy")(hidden)
        if of_actions:  # the same layer for every action, weighed by what is seen
            rows = activation(_dense(shape.width // 2, math.sqrt(2), "actions")(jnp.concatenate(of_actions, axis=-1)))
            outputs = outputs + jnp.einsum("...af,...f->...a", rows, _dense(shape.width // 2, 0.01, "query")(hidden))
        if not self.interface.discrete:
            start = nn.initializers.constant(self.initial_log_std)
            outputs = (outputs, self.param("log_std", start, (self.interface.action_size,), jnp.float32))
        return carry, outputs, value

    def step(self, params: Any, carry: Any, obs: Any, resets: Any, asked: Any = None) -> tuple[Any, Any, Any]:
        """One time step: as ``apply``, without the time axis."""
        result: Any = self.apply(params, carry, obs[None], resets[None], None if asked is None else asked[None])
        carry, outputs, value = result
        outputs = outputs[0] if self.interface.discrete else (outputs[0][0], outputs[1])
        return carry, outputs, value[0]

    def init_params(self, key: Any) -> Any:
        """Fresh parameters."""
        obs = jnp.zeros((1, 1, self.interface.observation_size), jnp.float32)
        return self.init(key, self.initial_carry(1), obs, jnp.zeros((1, 1), jnp.bool_))

    def parameter_count(self) -> int:
        """Number of parameters, found without allocating them."""
        shapes = jax.eval_shape(self.init_params, jax.random.key(0))
        return sum(math.prod(leaf.shape) for leaf in jax.tree.leaves(shapes))


def build(interface: Interface, config: PPOConfig) -> ActorCritic:
    """The network a configuration asks for.  Raises InvalidParamsError: convolutions for what is no image."""
    if PRESETS[config.preset].convolutions:
        image_layout(interface.observation_shape)
    return ActorCritic(interface, config.preset, config.activation, config.initial_log_std, config.embedding)
