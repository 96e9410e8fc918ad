"""A vector environment for Gymnasium: push a soft block to a target with a ball, gently.

Each world has a soft block on a floor of its own friction and a ball that the action moves in the plane. The reward is the way
that the block came nearer to its target, less what the contact force on the ball is above a limit: only an engine with true contact forces
can give it. All worlds share one factor.

    python push_block.py          # a hand-written policy that reaches the target, and a random one for comparison
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

import pliant

SIDE = 0.1  # of the block, m
RADIUS = 0.03  # of the ball, m
HEIGHT = 0.05  # of its centre, m
SPEED = 0.5  # of the ball at most, m/s
REACH = 0.4  # how far the ball may go from the middle, m
GENTLE = 8.0  # force that costs nothing, N
NEAR = 0.02  # distance that counts as reached, m
SUBSTEPS = 2
LENGTH = 150  # steps of an episode


def block_scene(cells: int = 3) -> pliant.Scene:
    """A soft block in the middle, and a ball beside it."""
    scene = pliant.Scene("push_block", duration=10.0, dt=0.01)
    scene.add_body(
        pliant.block([SIDE] * 3, [cells] * 3),
        name="block",
        material=pliant.material("stable_neo_hookean", youngs=5e4, poisson=0.4),
        density=200.0,
        damping={"mass": 0.5},
        transform={"translate": [-SIDE / 2, -SIDE / 2, 0]},
    )
    scene.add_obstacle({"kind": "plane"}, name="floor", friction=0.4)
    place = {"translate": [-SIDE / 2 - RADIUS - 0.02, 0, HEIGHT]}
    scene.add_obstacle({"kind": "sphere", "radius": RADIUS}, name="ball", transform=place, friction=0.3)
    return scene


class PushBlocks(gym.vector.VectorEnv):
    """``num_envs`` worlds with a block, a ball and a target each.

    An observation has the way to the target (x, y), the velocity of the block (x, y), the ball seen from the block (x, y) and the
    force on the ball (x, y) in units of the gentle force. An action is the velocity of the ball (x, y) from -1 to 1.
    """

    metadata = {"render_modes": ["rgb_array"], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, num_envs: int = 16, *, render_mode: str | None = None, threads: int | None = None) -> None:
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = gym.spaces.Box(-np.inf, np.inf, (8,), np.float64)
        self.single_action_space = gym.spaces.Box(-1.0, 1.0, (2,), np.float32)
        self.observation_space = gym.vector.utils.batch_space(self.single_observation_space, num_envs)
        self.action_space = gym.vector.utils.batch_space(self.single_action_space, num_envs)
        self.batch = pliant.Batch(block_scene(), num_envs, threads=threads)
        self._start = np.array([-SIDE / 2 - RADIUS - 0.02, 0.0])
        self._ball = np.tile(self._start, (num_envs, 1))
        self._target = np.zeros((num_envs, 2))
        self._taken = np.zeros(num_envs, dtype=int)
        self._ended = np.zeros(num_envs, dtype=bool)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        self._restart(np.arange(self.num_envs))
        observation = self._observe()
        return observation, {}

    def step(self, actions: np.ndarray):
        actions = np.clip(np.asarray(actions, dtype=float).reshape(self.num_envs, 2), -1, 1)
        fresh = self._ended.copy()
        if fresh.any():
            self._restart(np.flatnonzero(fresh))
        before = self._distance()
        force = np.zeros((self.num_envs, 2))
        actions[fresh] = 0
        broken = np.zeros(self.num_envs, dtype=bool)
        for _ in range(SUBSTEPS):
            self._ball = np.clip(self._ball + SPEED * self.batch.dt * actions, -REACH, REACH)
            self.batch.move_obstacle("ball", np.column_stack([self._ball, np.full(self.num_envs, HEIGHT)]))
            broken |= ~self.batch.step(strict=False)
            force = np.maximum(force, np.abs(self.batch.contact_forces("ball")[:, :2]))
        observation = self._observe()
        distance = self._distance()
        pressed = np.linalg.norm(force, axis=1)
        reward = 100.0 * (before - distance) - np.maximum(0.0, pressed / GENTLE - 1.0)
        terminated = (distance < NEAR) | broken
        reward[(distance < NEAR) & ~broken] += 10.0
        self._taken += 1
        truncated = (self._taken >= LENGTH) & ~terminated
        # A world that has just started again only shows its first observation.
        reward[fresh] = 0.0
        terminated[fresh] = truncated[fresh] = False
        self._ended = terminated | truncated
        return observation, reward, terminated, truncated, {"force": pressed, "distance": distance}

    def render(self):
        if self.render_mode != "rgb_array":
            return None
        return tuple(self.batch.world(i).render(320, 240) for i in range(min(self.num_envs, 4)))

    def close_extras(self, **_: Any) -> None:
        self.batch.close()

    def _restart(self, indices: np.ndarray) -> None:
        self.batch.reset(indices.tolist())
        friction = self.np_random.uniform(0.2, 0.6, len(indices))
        self.batch.set_friction("floor", friction, indices=indices.tolist())
        self._ball[indices] = self._start
        angle = self.np_random.uniform(-0.5, 0.5, len(indices))
        self._target[indices] = 0.15 * np.column_stack([np.cos(angle), np.sin(angle)])
        self._taken[indices] = 0
        self._ended[indices] = False

    def _distance(self) -> np.ndarray:
        return np.linalg.norm(self._target - self.batch.centers("block")[:, :2], axis=1)

    def _observe(self) -> np.ndarray:
        center = self.batch.centers("block")[:, :2]
        velocity = self.batch.velocities("block").mean(axis=1)[:, :2]
        force = self.batch.contact_forces("ball")[:, :2] / GENTLE
        return np.column_stack([self._target - center, velocity, self._ball - center, force])


class PushBlock(gym.Env):
    """One such world as an ordinary environment."""

    metadata = {"render_modes": ["rgb_array"], "render_fps": 50}

    def __init__(self, render_mode: str | None = None) -> None:
        self.render_mode = render_mode
        self._worlds = PushBlocks(1, render_mode=render_mode, threads=1)
        self.observation_space = self._worlds.single_observation_space
        self.action_space = self._worlds.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None):
        super().reset(seed=seed)
        observation, _ = self._worlds.reset(seed=None if seed is None else int(self.np_random.integers(2**31)))
        return observation[0], {}

    def step(self, action: np.ndarray):
        observation, reward, terminated, truncated, info = self._worlds.step(np.asarray(action)[None])
        single = {name: float(values[0]) for name, values in info.items()}
        return observation[0], float(reward[0]), bool(terminated[0]), bool(truncated[0]), single

    def render(self):
        pictures = self._worlds.render()
        return pictures[0] if pictures else None

    def close(self) -> None:
        self._worlds.close()


def go_behind_and_push(observation: np.ndarray) -> np.ndarray:
    """A policy by hand: get behind the block as seen from the target, then push slowly."""
    way, ball = observation[:, :2], observation[:, 4:6]
    ahead = way / np.linalg.norm(way, axis=1, keepdims=True)
    behind = -(SIDE / 2 + RADIUS) * ahead
    aside = ball - behind
    across = aside - (aside * ahead).sum(axis=1, keepdims=True) * ahead
    aligned = np.clip(1 - np.linalg.norm(across, axis=1, keepdims=True) / 0.01, -0.2, 1)
    return np.clip(0.3 * aligned * ahead - 20.0 * across, -1, 1)


def play(policy, worlds: PushBlocks, steps: int) -> tuple[float, int]:
    """Mean reward of a step, and how often the target was reached."""
    observation, _ = worlds.reset(seed=1)
    total, reached = 0.0, 0
    for _ in range(steps):
        observation, reward, terminated, _, _ = worlds.step(policy(observation))
        total += reward.mean()
        reached += int(terminated.sum())
    return total / steps, reached


def main(steps: int = LENGTH) -> None:
    worlds = PushBlocks(8)
    skilled, reached = play(go_behind_and_push, worlds, steps)
    random, _ = play(lambda _: worlds.action_space.sample(), worlds, steps)
    print(f"by hand: reward {skilled:.3f} a step, target reached {reached} times; at random: {random:.3f}")
    assert reached >= 8, reached
    assert skilled > random + 0.05


if __name__ == "__main__":
    main()
