"""A random policy for 10,000 steps: memory must stay flat.

    python gym_memory.py [STEPS]
"""

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "examples"))
from push_block import PushBlocks  # noqa: E402


def memory() -> float:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    worlds = PushBlocks(2)
    worlds.action_space.seed(0)
    worlds.reset(seed=0)
    seen = []
    for step in range(steps):
        worlds.step(worlds.action_space.sample())
        if (step + 1) % (steps // 10) == 0:
            seen.append(memory())
            print(f"step {step + 1}: {seen[-1]:.1f} MB", flush=True)
    assert seen[-1] - seen[1] < 2.0, "memory grows"


if __name__ == "__main__":
    main()
