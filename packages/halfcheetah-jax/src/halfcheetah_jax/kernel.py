"""A substep as three GPU kernels (Pallas, Triton), an environment in each thread, the solver's loop inside one of them.

XLA would cut a step into hundreds of kernels.  Here the numbers of an environment lie on a *desk*, rows of one array,
from which each kernel takes what it needs: `_prepare` forces and constraints, `_solve` accelerations, `_advance` the
Euler step.  Three kernels, because Triton's compiler takes time with the square of a kernel's operations.  For the same
reason both legs are one piece of code, on tiles with a row for each.

The formulas are those of the other modules; only the way through the tree is written anew.  The safeguard of the
solver differs, since a line search costs more than all full steps together: where full steps have not ended after
`FULL_STEPS`, the solver goes half the way until a set repeats.  Both end at the same accelerations, because an active
set that repeats has only one minimum.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from halfcheetah_jax import model
from halfcheetah_jax.bias import inertial, is_pushed, motor_force, pushed_back
from halfcheetah_jax.constraints import (
    ActiveSet,
    Contact,
    Limit,
    contact_friction,
    contact_scale,
    floor_contact,
    joint_bounds,
    joint_limit,
    push_body,
    push_hinge,
    signs,
)
from halfcheetah_jax.inertia import Hinge, Rigid, Sym3, add, fold, hinge_of, rigid_inertias, shift_wrench, solve_root
from halfcheetah_jax.integrator import Travel
from halfcheetah_jax.kinematics import Position, Scalar, Vector, carried, displaced, rotate
from halfcheetah_jax.softness import softness
from halfcheetah_jax.solver import same_set
from halfcheetah_jax.types import EnvParams, Nine, may_be_nonzero
from rlenv_shared.trig import sin_cos

BLOCK: Final = 32  # environments that wait for each other's solver: one warp
FULL_STEPS: Final = 12
SOLVES: Final = 12  # linear solves of a substep, at most, on average over the substeps of a step
LEGS: Final = 2
JOINTS: Final = 3  # of a leg; bodies too
ENDS: Final = 2  # of a capsule
TILES: Final = ENDS * (1 + JOINTS)  # of contacts; the first two are those of torso and head, a row for each
TORSO_ENDS: Final = model.NUM_CONTACTS - LEGS * JOINTS * ENDS
ROWS: Final = 256  # of the desk, a power of two so that addresses are constants apart
_TORSO_FIELDS: Final = {"place": 3, "rate": 3, "qacc": 3, "force": 3, "first": 2, "distance": 1}
_LEG_FIELDS: Final = {
    **dict.fromkeys(("angle", "speed", "hinge qacc", "torque", "hinge force"), JOINTS),
    **dict.fromkeys(("offset", "hinge first"), 2 * JOINTS),
    "limit": 3 * JOINTS,
    "contact": 5 * TILES,
}


def _rows() -> dict[str, tuple[int, int]]:
    """First row and rows of a number of each field."""
    rows, used = {}, 0
    for width, fields in ((1, _TORSO_FIELDS), (LEGS, _LEG_FIELDS)):
        for name, count in fields.items():
            rows[name] = used, width
            used += width * count
    assert used <= ROWS
    return rows


_PLACE: Final = _rows()
_WORDS: Final = {"solves left": 2 * LEGS, "converged": 2 * LEGS + 1, "diverged": 2 * LEGS + 2}  # behind the active set
NUM_WORDS: Final = 8  # a power of two


class _Desk:
    """The rows of a block of environments."""

    def __init__(self, numbers: Any, words: Any) -> None:
        self._numbers, self._words, self.dtype = numbers, words, numbers.dtype

    @staticmethod
    def _tile(row: int, width: int) -> tuple[Any, Any]:
        """Rows and lanes of a tile.

        The mask keeps Triton from seeing that the lanes follow one another: it would give a thread two neighbours,
        and other threads what belongs to the same environment.
        """
        down, across = (jax.lax.broadcasted_iota(jnp.int32, (width, BLOCK), axis) for axis in (0, 1))
        return row + down, across & (BLOCK - 1)

    def _place(self, name: str, i: int) -> tuple[Any, Any]:
        row, width = _PLACE[name]
        return self._tile(row + width * i, width)

    def read(self, name: str, i: int = 0) -> Scalar:
        """Number ``i`` of a field: [1, BLOCK] of the torso, [LEGS, BLOCK] of the legs."""
        return self._numbers[self._place(name, i)]

    def take(self, name: str, i: int, count: int) -> tuple[Scalar, ...]:
        """``count`` numbers that belong together."""
        return tuple(self.read(name, count * i + k) for k in range(count))

    def vector(self, name: str, i: int) -> Vector:
        """Two numbers that are ``(x, z)``."""
        return self.read(name, 2 * i), self.read(name, 2 * i + 1)

    def write(self, name: str, i: int, *values: Any) -> None:
        """Numbers that belong together."""
        width = _PLACE[name][1]
        for k, value in enumerate(values):
            self._numbers[self._place(name, len(values) * i + k)] = jnp.broadcast_to(value, (width, BLOCK))

    def contact(self, tile: int) -> Contact:
        """The contacts of a tile."""
        x, z, stiffness, normal, tangent = self.take("contact", tile, 5)
        return Contact((x, z), stiffness, normal, tangent)

    @property
    def active(self) -> ActiveSet:
        """Bit t of the words is tile t's, as in `constraints.ActiveSet`; each row has words of its own."""
        return ActiveSet(*(self._words[self._tile(LEGS * k, LEGS)] for k in range(2)))

    @active.setter
    def active(self, words: ActiveSet) -> None:
        for k, word in enumerate(words[:2]):  # the kernels know no dry friction
            self._words[self._tile(LEGS * k, LEGS)] = word

    def read_word(self, name: str) -> Scalar:
        """One of `_WORDS`, uint32 [1, BLOCK]."""
        return self._words[self._tile(_WORDS[name], 1)]

    def write_word(self, name: str, value: Scalar) -> None:
        """One of `_WORDS`."""
        self._words[self._tile(_WORDS[name], 1)] = value


class _Rows:
    """Puts numbers of the back leg and of the front leg into the two rows of a tile."""

    def __init__(self, dtype: Any) -> None:
        self._is_first = jax.lax.broadcasted_iota(jnp.int32, (LEGS, BLOCK), 0) == 0
        self._dtype = dtype

    def pair(self, first: Any, second: Any) -> Any:
        if isinstance(first, tuple):
            return tuple(map(self.pair, first, second))
        return jnp.where(self._is_first, *(jnp.asarray(value, self._dtype) for value in (first, second)))

    def of_legs(self, values: Sequence[Any]) -> list[Any]:
        """Of six numbers of the hinges or bodies: three tiles."""
        return [self.pair(values[j], values[JOINTS + j]) for j in range(JOINTS)]


def _centres(params: EnvParams) -> tuple[Vector, ...]:
    """Centres of mass of the bodies."""
    return tuple(zip(params.centre_x, params.centre_z, strict=True))


def _rigid(desk: _Desk, rows: _Rows, params: EnvParams) -> tuple[Rigid, Rigid]:
    """``(the torso, the bodies of the legs)``, whose first moments lie on the desk."""
    second = [
        inertia + mass * (x * x + z * z)
        for mass, inertia, (x, z) in zip(params.mass, params.inertia, _centres(params), strict=True)
    ]
    torso = Rigid((params.mass[0],), (desk.vector("first", 0),), (second[0],))
    firsts = tuple(desk.vector("hinge first", j) for j in range(JOINTS))
    return torso, Rigid(tuple(rows.of_legs(params.mass[1:])), firsts, tuple(rows.of_legs(second[1:])))


def _sum_rows(parts: Any) -> Any:
    """Sum of the two rows: [1, BLOCK]."""
    return jax.tree.map(lambda part: jnp.sum(part, axis=0, keepdims=True), parts)


class _Body(NamedTuple):
    """A body on the way from the torso to the feet."""

    pitch: Scalar
    height: Scalar
    linear: Vector
    angular: Scalar
    centripetal: Vector  # m/s^2, of its joint when no joint accelerates


def _turn(pitch: tuple[Scalar, Scalar], vector: tuple[Any, Any]) -> Vector:
    """A vector of a body's frame in world axes, by sine and cosine of its pitch."""
    return rotate(Position((pitch[0],), (pitch[1],), (), ()), 0, vector)


def _prepare(desk: _Desk, params: EnvParams) -> None:
    """Put down everything that stays fixed while the solver iterates."""
    rows = _Rows(desk.dtype)
    angles, speeds = ([desk.read(name, j) for j in range(JOINTS)] for name in ("angle", "speed"))
    _, z, pitch = map(displaced, desk.take("place", 0, 3), params.qpos0)
    moved = may_be_nonzero(params.qpos0[3:])
    turned = [a - rest for a, rest in zip(angles, rows.of_legs(params.qpos0[3:]), strict=True)] if moved else angles
    v_x, v_z, rate = desk.take("rate", 0, 3)
    zero = jnp.zeros_like(pitch)
    body = _Body(pitch, z + model.ROOT_HEIGHT, (v_x, v_z), rate, (zero, zero + params.gravity))
    scales = [contact_scale(contact_friction(params), weight) for weight in params.inverse_weight]
    ends = model.capsule_ends(params.half_length)
    soft = softness(params.contact_solref, params.contact_solimp, params.time_step)

    def put(body: _Body, turn: Any, first: tuple[int, int], tiles: int, scale: Any) -> None:
        radius = rows.pair(*(params.radius[model.END_GEOM[i]] for i in first))
        for k in range(ENDS):
            end = rows.pair(ends[first[0] + k], ends[first[1] + k])
            found = floor_contact(_turn(turn, end), body.height, body.linear, body.angular, scale, radius, soft)
            desk.write("contact", tiles + k, *found.point, *found[1:])

    turn = sin_cos(body.pitch)
    put(body, turn, (0, ENDS), 0, scales[0])
    desk.write("first", 0, *_turn(turn, tuple(params.mass[0] * c for c in _centres(params)[0])))
    bounds = joint_bounds(params, desk.dtype)
    mass, moment, scale = (rows.of_legs(values[1:]) for values in (params.mass, params.inertia, scales))
    centre, places, ranges = (rows.of_legs(v) for v in (_centres(params)[1:], model.HINGE_POS[1:], bounds))
    weights, springs, dampers = (
        rows.of_legs(v) for v in (params.hinge_inverse_weight, params.stiffness, params.damping)
    )
    limit_soft = softness(params.limit_solref, params.limit_solimp, params.time_step)
    for_torso = _rigid(desk, rows, params)[0]
    total = inertial(for_torso.mass[0], for_torso.first[0], body.centripetal, body.angular)
    pushes = tuple(zip(params.push_x, params.push_z, params.push_torque, strict=True))
    if is_pushed(params):
        total = add(total, pushed_back(for_torso, 0, pushes[0]))
    wrenches = []
    for j in range(JOINTS):
        offset = _turn(turn, places[j])
        desk.write("offset", j, *offset)
        spin = body.angular * body.angular
        a_x, a_z = body.centripetal
        body = _Body(
            body.pitch + turned[j],
            body.height + offset[1],
            carried(body.linear, body.angular, offset),
            body.angular + speeds[j],
            (a_x - spin * offset[0], a_z - spin * offset[1]),
        )
        turn = sin_cos(body.pitch)
        first = TORSO_ENDS + ENDS * j
        put(body, turn, (first, first + ENDS * JOINTS), ENDS * (1 + j), scale[j])
        x, z = centre[j]
        lever = _turn(turn, (mass[j] * x, mass[j] * z))
        desk.write("hinge first", j, *lever)
        rigid = Rigid((mass[j],), (lever,), (moment[j] + mass[j] * (x * x + z * z),))
        own = inertial(mass[j], lever, body.centripetal, body.angular)
        if is_pushed(params):
            own = add(own, pushed_back(rigid, 0, rows.of_legs(pushes[1:])[j]))
        wrenches.append((own, offset))
        desk.write("limit", j, *joint_limit(angles[j], speeds[j], ranges[j], weights[j], limit_soft))
    pending = None
    for j in reversed(range(JOINTS)):
        own, offset = wrenches[j]
        own = own if pending is None else add(own, pending)
        passive = -springs[j] * angles[j] - dampers[j] * speeds[j]
        desk.write("hinge force", j, passive + desk.read("torque", j) - own.w)
        pending = shift_wrench(own, offset)
    desk.write("force", 0, *(-component for component in add(total, _sum_rows(pending))))
    # The first active set is that of the accelerations of the substep before.
    desk.active = _active_set(
        desk, params, desk.take("qacc", 0, 3), [desk.read("hinge qacc", j) for j in range(JOINTS)]
    )


def _active_set(desk: _Desk, params: EnvParams, root: Sequence[Scalar], hinges: Sequence[Scalar]) -> ActiveSet:
    """Which rows are negative, and so push, at some accelerations."""
    linear, angular = (root[0], root[1]), root[2]
    normal, tangent, limits = [], [], []
    for part in range(1 + JOINTS):
        if part:
            j = part - 1
            linear = carried(linear, angular, desk.vector("offset", j))
            angular = angular + hinges[j]
            sign, _, offset = desk.take("limit", j, 3)
            limits.append(sign * hinges[j] + offset)
        for k in range(ENDS):
            contact = desk.contact(ENDS * part + k)
            a_x, a_z = carried(linear, angular, contact.point)
            normal.append(a_z + contact.normal)
            tangent.append(contact_friction(params) * (a_x + contact.tangent))
    high = np.uint32(model.NUM_CONTACTS)
    plus = signs([n + t for n, t in zip(normal, tangent, strict=True)])
    minus = signs([n - t for n, t in zip(normal, tangent, strict=True)])
    return ActiveSet(signs(normal) | (signs(limits) << high), plus | (minus << high))


def _fold_legs(desk: _Desk, bodies: list[Sym3], diagonal: list[Any], force: list[Any], pending: list[Any]) -> Any:
    """Eliminate the hinges: ``(these, what is left of the legs at the torso, the wrench there)``.

    ``bodies`` become what they are when their hinges go; `_unfold_legs` needs them so.
    """
    hinges: list[Hinge] = []
    for j in reversed(range(JOINTS)):
        hinge = hinge_of(bodies[j], diagonal[j], force[j], pending[j])
        hinges.insert(0, hinge)
        folded, passed = fold(bodies[j], hinge, diagonal[j], pending[j], desk.vector("offset", j))
        if j:
            bodies[j - 1] = add(bodies[j - 1], folded)
            pending[j - 1] = passed if pending[j - 1] is None else add(pending[j - 1], passed)
    return hinges, _sum_rows(folded), _sum_rows(passed)


def _unfold_legs(
    desk: _Desk, root: tuple[Scalar, Scalar, Scalar], hinges: list[Hinge], bodies: list[Sym3]
) -> list[Scalar]:
    """Accelerations of the hinges, from the torso's."""
    linear, angular, found = root[:2], root[2], []
    for j, (hinge, body) in enumerate(zip(hinges, bodies, strict=True)):
        x, z = linear = carried(linear, angular, desk.vector("offset", j))
        found.append((hinge.drive - body.xw * x - body.zw * z - body.ww * angular) * hinge.inverse)
        angular = angular + found[-1]
    return found


def _minimum(desk: _Desk, params: EnvParams, active: ActiveSet) -> tuple[Any, list[Scalar]]:
    """Accelerations ``(of the torso, of the hinges)`` that minimise the quadratic of one active set."""
    rows, friction = _Rows(desk.dtype), contact_friction(params)
    torso, legs = _rigid(desk, rows, params)
    armature = rows.of_legs(params.armature)
    none = Sym3(*[jnp.zeros((LEGS, BLOCK), desk.dtype)] * 6)
    pushed = push_body({t: desk.contact(t) for t in range(ENDS)}, active, friction, none)
    body, wrench = add(rigid_inertias(torso)[0], _sum_rows(pushed[0])), _sum_rows(pushed[1])
    bodies, pending, diagonal, force = [], [], [], []
    for j, rigid in enumerate(rigid_inertias(legs)):
        here = {t: desk.contact(t) for t in range(ENDS * (1 + j), ENDS * (2 + j))}
        pushed = push_body(here, active, friction, rigid)
        bodies.append(pushed[0])
        pending.append(pushed[1])
        stiffness, torque = push_hinge(Limit(*desk.take("limit", j, 3)), active, j)
        diagonal.append(armature[j] + stiffness)
        force.append(desk.read("hinge force", j) + torque)
    hinges, folded, passed = _fold_legs(desk, bodies, diagonal, force, pending)
    known = add(wrench, passed)
    root = solve_root(add(body, folded), [f - w for f, w in zip(desk.take("force", 0, 3), known, strict=True)])
    return root, _unfold_legs(desk, root, hinges, bodies)


class _Search(NamedTuple):
    solves: Any  # int32 ()
    active: ActiveSet
    root: tuple[Scalar, ...]  # accelerations of the torso
    hinges: tuple[Scalar, ...]  # and of the hinges
    stayed: Scalar  # int32 [1, BLOCK]: the last step left the active set as it was
    converged: Scalar  # int32 [1, BLOCK]: and that step was a full one


def _solve(desk: _Desk, params: EnvParams) -> None:
    """The accelerations of a substep."""
    left = desk.read_word("solves left")
    none = jnp.zeros((1, BLOCK), jnp.int32)

    def running(search: _Search) -> Any:
        waits = jnp.where(search.solves.astype(jnp.uint32) < left, 1 - search.converged, 0)
        return jnp.max(jnp.max(waits, axis=0)) > 0

    def step(search: _Search) -> _Search:
        # Environments that have converged find the same accelerations again, bit for bit.
        half = jnp.where((search.solves >= FULL_STEPS) & (search.stayed == 0), np.float32(0.5), np.float32(0))
        half = half.astype(desk.dtype)
        root, hinges = (
            tuple(b - half * (b - a) for a, b in zip(before, minimum, strict=True))
            for before, minimum in zip((search.root, search.hinges), _minimum(desk, params, search.active), strict=True)
        )
        active = _active_set(desk, params, root, hinges)
        stayed = jnp.min(same_set(active, search.active).astype(jnp.int32), axis=0, keepdims=True)
        converged = jnp.where(half == 0, stayed, 0)
        return _Search(search.solves + np.int32(1), active, root, hinges, stayed, converged)

    start = desk.take("qacc", 0, JOINTS), desk.take("hinge qacc", 0, JOINTS)
    found = jax.lax.while_loop(running, step, _Search(jnp.int32(0), desk.active, *start, none, none))
    desk.write("qacc", 0, *found.root)
    desk.write("hinge qacc", 0, *found.hinges)
    desk.write_word("solves left", left - found.solves.astype(jnp.uint32))
    desk.write_word("converged", desk.read_word("converged") & found.converged.astype(jnp.uint32))


def _bad(desk: _Desk) -> Scalar:
    """1 where a number of the state or of its accelerations makes MuJoCo restart, see `integrator.is_bad`; uint32."""
    good = jnp.ones((1, BLOCK), jnp.int32)
    for names in _STATE:
        for name in names:
            for i in range(JOINTS):
                fine = (jnp.abs(desk.read(name, i)) <= model.MAX_VALUE).astype(jnp.int32)
                good = good & jnp.min(fine, axis=0, keepdims=True)
    return (1 - good).astype(jnp.uint32)


def _advance(desk: _Desk, params: EnvParams) -> None:
    """Euler step, see `integrator.advance`."""
    h, rows = params.time_step, _Rows(desk.dtype)
    desk.write_word("diverged", desk.read_word("diverged") | _bad(desk))
    torso, legs = _rigid(desk, rows, params)
    lost = [h * damping for damping in rows.of_legs(params.damping)]
    diagonal = [armature + hb for armature, hb in zip(rows.of_legs(params.armature), lost, strict=True)]
    root_qacc, qacc = desk.take("qacc", 0, 3), [desk.read("hinge qacc", j) for j in range(JOINTS)]
    force = [hb * a for hb, a in zip(lost, qacc, strict=True)]
    bodies = rigid_inertias(legs)
    hinges, folded, passed = _fold_legs(desk, bodies, diagonal, force, [None] * JOINTS)
    slower = solve_root(add(rigid_inertias(torso)[0], folded), [-w for w in passed])
    rates = [v + h * (a - y) for v, a, y in zip(desk.take("rate", 0, 3), root_qacc, slower, strict=True)]
    desk.write("rate", 0, *rates)
    desk.write("place", 0, *(q + h * v for q, v in zip(desk.take("place", 0, 3), rates, strict=True)))
    desk.write("distance", 0, desk.read("distance") + h * rates[0])
    for j, y in enumerate(_unfold_legs(desk, slower, hinges, bodies)):
        speed = desk.read("speed", j) + h * (qacc[j] - y)
        desk.write("speed", j, speed)
        desk.write("angle", j, desk.read("angle", j) + h * speed)


_STATE: Final = (("place", "angle"), ("rate", "speed"), ("qacc", "hinge qacc"))
"""Fields of qpos, qvel and warm start: of the torso and of the hinges."""


def _rows_of_nine(names: tuple[str, str]) -> list[int]:
    """Rows of nine numbers in the order of the degrees of freedom."""
    (torso, _), (hinges, _) = (_PLACE[name] for name in names)
    return [*(torso + i for i in range(3)), *(hinges + LEGS * j + leg for leg in range(LEGS) for j in range(JOINTS))]


def _load(substeps: int, *refs: Any) -> None:
    """Kernel: put a state on an empty desk."""
    *state, numbers, words = refs
    first, _ = _PLACE["torque"]
    torques = [first + LEGS * j + leg for leg in range(LEGS) for j in range(JOINTS)]
    for row, ref in zip([row for names in _STATE for row in _rows_of_nine(names)] + torques, state, strict=True):
        numbers[row, :] = ref[...]
    numbers[_PLACE["distance"][0], :] = jnp.zeros((BLOCK,), numbers.dtype)
    for name, value in (("solves left", SOLVES * substeps), ("converged", 1), ("diverged", 0)):
        words[_WORDS[name], :] = jnp.full((BLOCK,), value, jnp.uint32)


def _unload(numbers: Any, words: Any, *refs: Any) -> None:
    """Kernel: take the state, the distance, whether the solver ended and whether all broke down from the desk."""
    rows = [*(row for names in _STATE for row in _rows_of_nine(names)), _PLACE["distance"][0]]
    for row, ref in zip(rows, refs[:-2], strict=True):
        ref[...] = numbers[row, :]
    for name, ref in zip(("converged", "diverged"), refs[-2:], strict=True):
        ref[...] = words[_WORDS[name], :]


def travel_in_kernel(
    qpos: Nine,
    qvel: Nine,
    control: tuple[Scalar, ...],
    warmstart: Nine,
    params: EnvParams,
    substeps: int,
    interpret: bool = False,
) -> Travel:
    """As `integrator.travel`, of arrays ``[B]``; ``interpret`` runs the kernels' programs without a GPU.

    The substeps together do at most ``SOLVES * substeps`` solves; an environment that has not converged by then says
    so.
    """
    from jax.experimental import pallas as pl  # takes half a second, which the other backend need not spend
    from jax.experimental.pallas import triton as plgpu

    batch, dtype = qpos[0].shape[0], qpos[0].dtype
    blocks = -(-batch // BLOCK)
    leaves, tree = jax.tree.flatten(params)
    traced = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]

    def whole(array: Any) -> Any:
        return jnp.pad(array, (0, blocks * BLOCK - batch), mode="edge")

    def call(name: str, kernel: Any, inputs: Sequence[Any], outputs: Sequence[Any], **options: Any) -> Any:
        """Launch a kernel over all blocks of environments."""

        def spec(array: Any) -> Any:
            if array.ndim == 2:
                return pl.BlockSpec((array.shape[0] // blocks, BLOCK), lambda i: (i, 0))
            size = min(BLOCK, array.shape[0])  # one number for all, or one for each environment
            return pl.BlockSpec((size,), (lambda i: (0,)) if size == 1 else (lambda i: (i,)))

        return pl.pallas_call(
            kernel,
            out_shape=outputs,
            grid=(blocks,),
            in_specs=[spec(array) for array in inputs],
            out_specs=[spec(array) for array in outputs],
            compiler_params=plgpu.CompilerParams(num_warps=1, num_stages=1),
            interpret=interpret,
            name=name,
            **options,
        )(*inputs)

    numbers = [whole(leaves[i]).reshape(blocks, BLOCK) if leaves[i].ndim else leaves[i][None] for i in traced]
    desk_shape = [
        jax.ShapeDtypeStruct((blocks * ROWS, BLOCK), dtype),
        jax.ShapeDtypeStruct((blocks * NUM_WORDS, BLOCK), jnp.uint32),
    ]

    def on_desk(work: Callable[[_Desk, EnvParams], None], desk: Sequence[Any]) -> Any:
        def kernel(*refs: Any) -> None:
            filled = list(leaves)
            for i, ref in zip(traced, refs, strict=False):
                filled[i] = ref[0] if len(ref.shape) == 1 else ref[...]
            work(_Desk(*refs[-2:]), jax.tree.unflatten(tree, filled))

        aliases = {len(numbers) + i: i for i in range(len(desk))}
        return call(work.__name__.lstrip("_"), kernel, [*numbers, *desk], desk_shape, input_output_aliases=aliases)

    def substep(_: Any, desk: Any) -> Any:
        for work in (_prepare, _solve, _advance):
            desk = on_desk(work, desk)
        return desk

    state = [whole(array) for array in (*qpos, *qvel, *warmstart, *motor_force(control, params))]
    desk = call("load", functools.partial(_load, substeps), state, desk_shape)
    desk = jax.lax.fori_loop(0, substeps, substep, desk)
    lane, flag = (jax.ShapeDtypeStruct((blocks * BLOCK,), kind) for kind in (dtype, jnp.uint32))
    found = [leaf[:batch] for leaf in call("unload", _unload, desk, [*[lane] * (3 * model.NUM_DOF + 1), flag, flag])]
    nine = model.NUM_DOF
    qpos, qvel, qacc = (tuple(found[k * nine : (k + 1) * nine]) for k in range(3))
    return Travel(qpos, qvel, qacc, distance=found[-3], converged=found[-2] != 0, diverged=found[-1] != 0)
