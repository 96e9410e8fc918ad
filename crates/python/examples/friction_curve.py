"""A sweep reproduces Coulomb's law: a stiff block on a slope sticks above the friction tan(angle), and slides below it by
1/2 g (sin(angle) - friction cos(angle)) t (t + dt), which is what implicit Euler makes of the parabola.

    python friction_curve.py            # on the processes of this machine
    python friction_curve.py --ray      # on a Ray cluster
"""

from __future__ import annotations

import sys

import numpy as np

import pliant

ANGLE = 20.0  # degrees


def curve(frictions: list[float], backend: str = "local", **options) -> tuple[np.ndarray, np.ndarray, pliant.SweepTable]:
    """How far the block slid for each friction, and how far it should have."""
    scene = pliant.Scene.builtin("stick_slide", angle=ANGLE)
    table = pliant.sweep(scene, {"friction": frictions}, backend=backend, **options)
    seconds, steps = table.reports[0]["simulated_s"], table.reports[0]["steps"]
    angle = np.radians(ANGLE)
    pull = np.sin(angle) - np.array(frictions) * np.cos(angle)
    return table["slide"], 0.5 * 9.81 * np.maximum(pull, 0) * seconds * (seconds + seconds / steps), table


def main() -> None:
    backend = "ray" if "--ray" in sys.argv else "local"
    frictions = [0.1, 0.2, 0.3, 0.35, 0.36, 0.37, 0.38, 0.4, 0.5]  # tan(20 degrees) = 0.364
    progress = lambda done, count: print(f"\r{done} of {count} runs", end="", flush=True)  # noqa: E731
    slid, theory, table = curve(frictions, backend, progress=progress)
    print("\nfriction  slid (m)  theory (m)")
    for friction, found, wanted in zip(frictions, slid, theory):
        print(f"{friction:8.2f}  {found:8.5f}  {wanted:10.5f}")
    stick = np.array(frictions) > np.tan(np.radians(ANGLE))
    assert np.abs(slid[stick]).max() < 1e-4, "it must not creep where it sticks"
    np.testing.assert_allclose(slid[~stick], theory[~stick], rtol=1e-3, atol=1e-5)
    assert list(table["verdict"]) == ["ok"] * len(frictions)


if __name__ == "__main__":
    main()
