"""The example environment: Gymnasium's checker, the same results again, no leak."""

import resource
import sys
from pathlib import Path

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
from push_block import PushBlock, PushBlocks, go_behind_and_push, play  # noqa: E402


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_checker_of_gymnasium_passes():
    check_env(PushBlock(render_mode="rgb_array"))


def test_the_same_seed_gives_the_same_episode():
    ended = []
    for threads in (1, 2):
        worlds = PushBlocks(3, threads=threads)
        worlds.action_space.seed(5)
        worlds.reset(seed=4)
        for _ in range(20):
            observation, reward, *_ = worlds.step(worlds.action_space.sample())
        ended.append((observation, reward))
    np.testing.assert_array_equal(ended[0][0], ended[1][0])
    np.testing.assert_array_equal(ended[0][1], ended[1][1])


def test_a_policy_by_hand_reaches_the_target():
    _, reached = play(go_behind_and_push, PushBlocks(4), 150)
    assert reached >= 3


def test_memory_stays_flat():
    worlds = PushBlocks(4)
    worlds.reset(seed=0)

    def run(steps):
        for _ in range(steps):
            worlds.step(worlds.action_space.sample())
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    warm = run(200)
    # 10,000 world-steps at two substeps each are in benches/gym_memory.py; here a part of it.
    assert run(400) - warm < 4096, "kB"
