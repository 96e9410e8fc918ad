"""The native part of Pliant, as editors and type checkers see it. A test compares it with what is compiled."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__version__: str


class Mesh:
    """A mesh of tets (a solid) or of triangles (a cloth), with named groups of vertices."""
    def __new__(
        cls,
        vertices: ArrayLike,
        tets: ArrayLike | None = None,
        triangles: ArrayLike | None = None,
        groups: Mapping[str, Any] | None = None,
        element_groups: Mapping[str, Any] | None = None,
    ) -> Mesh: ...
    @staticmethod
    def read(path: str | os.PathLike[str]) -> Mesh:
        """Reads a mesh file of any known format; unused vertices are left out."""
    def write(self, path: str | os.PathLike[str]) -> list[str]:
        """Writes the mesh to a file; its ending decides on the format. Returns notes about what the format could not keep."""
    def info(self) -> dict[str, Any]:
        """Everything there is to say about it: sizes, quality, defects with their places."""
    @property
    def groups(self) -> dict[str, NDArray[np.uint32]]:
        """Vertices of each named group."""
    @property
    def is_solid(self) -> bool:
        """Whether it is a solid of tets."""
    @property
    def element_groups(self) -> dict[str, NDArray[np.uint32]]:
        """Elements of each named group."""
    @property
    def elements(self) -> NDArray[np.uint32]:
        """Vertices of the tets, shape (m, 4), or of the triangles, shape (m, 3)."""
    @property
    def surface(self) -> NDArray[np.uint32]:
        """Triangles of the surface, shape (k, 3)."""
    @property
    def vertices(self) -> NDArray[np.float64]:
        """Positions of the vertices in m, shape (n, 3)."""


class Hold:
    """A spring that holds a point of a body."""


class Contacts:
    """The contacts of the last step that carry a force, one row each."""
    def __len__(self) -> int: ...
    @property
    def points(self) -> NDArray[np.float64]:
        """Where they are on the first side, m, shape (n, 3)."""
    @property
    def normals(self) -> NDArray[np.float64]:
        """Unit vectors from the second side to the first, shape (n, 3)."""
    @property
    def forces(self) -> NDArray[np.float64]:
        """Forces on the first side, N, shape (n, 3)."""
    @property
    def gaps(self) -> NDArray[np.float64]:
        """Distances that are left, m, negative where they overlap, shape (n,)."""
    @property
    def sliding(self) -> NDArray[np.bool_]:
        """Whether they slide, shape (n,)."""
    @property
    def first(self) -> list[str]:
        """Names of the first sides, which are bodies."""
    @property
    def second(self) -> list[str]:
        """Names of the second sides, bodies or obstacles."""


class Viewer:
    """A running viewer: a page at `url`. It ends when it is closed, or with Python."""
    def close(self) -> None:
        """Ends it."""
    def _repr_html_(self) -> str:
        """Shown inline in a notebook."""
    @property
    def url(self) -> str:
        """Where the page is."""
    @property
    def is_open(self) -> bool:
        """Whether it still serves the page."""


class World:
    """A running simulation. Made by `Scene.build()`.

    While a thread steps it, other threads get a `BusyError`: each thread should have a world of its own, or wait.
    """
    def render(
        self,
        width: int = 960,
        height: int = 720,
        *,
        field: str | None = None,
        marks: Sequence[str] = (),
        eye: ArrayLike | None = None,
        target: ArrayLike | None = None,
    ) -> NDArray[np.uint8]:
        """A picture: an array of red, green, blue from 0 to 255, shape (height, width, 3).

        `field` colours the bodies by "stress" or "strain"; `marks` are any of "contacts", "forces", "pins", "rest" and
        "wireframe"; `eye` and `target` are where the picture is taken from and what is in its middle, m.
        """
    def move_obstacle(self, name: str, position: ArrayLike | None = None, rotation: ArrayLike | None = None) -> None:
        """Moves an obstacle in the next step to a place, where it stays; bodies that touch it feel its velocity on the way.
        `rotation` is a matrix of shape (3, 3) or a quaternion (w, x, y, z); the present one if absent.
        """
    def set_pins(self, name: str, by: ArrayLike) -> None:
        """Moves the vertices of a pin in the next step by so much, in m, where they stay."""
    def set_motion(self, name: str, motion: Mapping[str, Any]) -> None:
        """Lets an obstacle or a pin follow a motion, from where it is. The motion has the keys of scene files, as in
        `{"kind": "velocity", "velocity": [0, 0, 1]}`.
        """
    def set_cable(self, name: str, *, length: float | None = None, pull: float | None = None) -> None:
        """Drives a cable: to a `length` in m, or by a `pull` in N."""
    def set_force(self, name: str, total: ArrayLike) -> None:
        """Changes the total of a force of the scene, N."""
    def set_pressure(self, name: str, value: float) -> None:
        """Changes a pressure of the scene, Pa."""
    def set_wind(self, velocity: ArrayLike) -> None:
        """Changes the wind, m/s. The scene must have air."""
    def set_gravity(self, gravity: ArrayLike) -> None:
        """Changes gravity, m/s^2."""
    def set_friction(self, name: str, friction: float) -> None:
        """Changes the coefficient of friction of a body or an obstacle."""
    def set_material(
        self,
        body: str | None = None,
        *,
        youngs: float | None = None,
        poisson: float | None = None,
        density: float | None = None,
    ) -> None:
        """Changes Young's modulus in Pa, Poisson's ratio or the density in kg/m^3 of a body. The solver factorises anew."""
    def set_state(self, positions: ArrayLike, velocities: ArrayLike | None = None) -> None:
        """Puts the vertices of all bodies somewhere else, in the order of `positions()`, with these velocities (zero if
        absent). Contacts and warm starts are forgotten; the time stays.
        """
    def hold_vertex(self, body: str, vertex: int, target: ArrayLike, stiffness: float) -> Hold:
        """Holds a vertex of a body by a spring to a place, from the next step on. `stiffness` is in N/m."""
    def move_hold(self, hold: Hold, target: ArrayLike) -> None:
        """Pulls a held vertex to another place."""
    def release(self, hold: Hold) -> bool:
        """Lets a held vertex go; false if it is not held any more."""
    def positions(self, body: str | None = None, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Positions of the vertices of a body in m, shape (n, 3); of all bodies, one after the other, without a name. A new
        array, or `out`, which must be float64, of this shape and in C order.
        """
    def velocities(self, body: str | None = None, out: NDArray[np.float64] | None = None) -> NDArray[np.float64]:
        """Velocities of the vertices of a body in m/s, like `positions`."""
    def start_positions(self, body: str | None = None) -> NDArray[np.float64]:
        """Positions of the vertices of a body at the start in m, shape (n, 3)."""
    def elements(self, body: str | None = None) -> NDArray[np.uint32]:
        """Vertices of the tets of a body, shape (m, 4), or of its triangles, shape (m, 3)."""
    def surface(self, body: str | None = None) -> NDArray[np.uint32]:
        """Triangles of the surface of a body, shape (k, 3)."""
    def stress(self, body: str | None = None) -> NDArray[np.float64]:
        """Cauchy stress of each element of a body in Pa, shape (m, 3, 3). NaN where an inverted element has none."""
    def von_mises(self, body: str | None = None) -> NDArray[np.float64]:
        """Von Mises stress of each element of a body in Pa, shape (m,)."""
    def strain(self, body: str | None = None) -> NDArray[np.float64]:
        """Equivalent strain of each element of a body, shape (m,)."""
    def contact_forces(self, body: str | None = None) -> NDArray[np.float64]:
        """Contact force on each vertex of a body in the last step in N, shape (n, 3)."""
    def contacts(self) -> Contacts:
        """The contacts of the last step that carry a force."""
    def contact_wrench(
        self,
        name: str,
        about: ArrayLike | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Total contact force in N and torque in N m about `about` on a body or an obstacle in the last step."""
    def pin_wrench(
        self,
        pin: str | None = None,
        about: ArrayLike | None = None,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Total force in N and torque in N m about `about` of a pin on its body in the last step; zero before the first step."""
    def pose(self, obstacle: str | None = None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Position in m, shape (3,), and rotation, shape (3, 3), of an obstacle now."""
    def probe(self, name: str) -> Any:
        """The value of a probe now: a number, or an array of three."""
    def cable(self, cable: str | None = None) -> tuple[float, float]:
        """Length in m and tension in N of a cable."""
    def energy(self, body: str | None = None) -> tuple[float, float]:
        """Kinetic and elastic energy of a body in J."""
    def mass(self, body: str | None = None) -> float:
        """Mass in kg of a body."""
    def center(self, body: str | None = None) -> NDArray[np.float64]:
        """Centre of mass of a body in m, shape (3,)."""
    def step(self, n: int = 1) -> None:
        """Takes `n` steps. Other Python threads run meanwhile. If a step fails, the world stays at its last good state and
        `StepError` is raised.
        """
    def save(self) -> bytes:
        """Everything that the next steps depend on, as bytes. What was set by hand is no part of it."""
    def restore(self, snapshot: bytes) -> None:
        """Goes back to where a world of the same scene and solver was when it was saved, bit for bit. What was set by hand stays
        as it is now, and the report counts all steps that were ever taken. If the bytes are of another world, nothing changes and
        `SnapshotError` is raised.
        """
    def clone(self) -> World:
        """A copy that goes on by itself, bit for bit. What never changes is shared with it."""
    def __copy__(self) -> World: ...
    def __deepcopy__(self, _memo: object) -> World: ...
    def close(self) -> None:
        """Gives its memory back. A closed world can do nothing."""
    def __enter__(self) -> World: ...
    def __exit__(self, _kind: object, _value: object, _trace: object) -> None: ...
    def report(self) -> dict[str, Any]:
        """The report so far, with the keys of `report.json`. A world that is not measured has none."""
    def view(self, port: int = 0, *, paused: bool = False, open: bool = True) -> Viewer:
        """Opens the viewer on a copy of the world, from where it is: in the browser, or inline in a notebook. What is done there
        does not change this world. The viewer ends with `close()`, or when nobody has it any more.
        """
    @property
    def dt(self) -> float:
        """Time step in s."""
    @property
    def solver(self) -> str:
        """Kind of the solver."""
    @property
    def state_hash(self) -> str:
        """Hash of positions and velocities, as in the report of a run."""
    @property
    def last_step(self) -> dict[str, Any]:
        """How the last step was solved: iterations, residual, whether it converged, and its time in ms."""
    @property
    def obstacles(self) -> list[str]:
        """Names of the obstacles."""
    @property
    def time(self) -> float:
        """Simulated time in s."""
    @property
    def pins(self) -> list[str]:
        """Names of the pins."""
    @property
    def total_steps(self) -> int:
        """Steps of the whole scene, by its duration."""
    @property
    def steps(self) -> int:
        """Steps taken."""
    @property
    def probes(self) -> dict[str, Any]:
        """The values of all probes now, by name."""
    @property
    def bodies(self) -> list[str]:
        """Names of the bodies, in the order of their vertices in `positions()`."""


class Batch:
    """`Batch(scene, n)`: n independent worlds of a scene, stepped side by side over the cores.

    They start alike and share all that is prepared: the assembled system, the factor, the topology of detection. They also share the
    memory that a solver needs during a step: there is as much of it as there are threads. Friction,
    gravity, loads, poses and states can differ between them, and need no new factor. Arrays have one row for each world; a
    single row counts for all. Each world ends with the same bits as if it were stepped alone.
    """
    def __new__(cls, scene: Any, n: int, *, threads: int | None = None) -> Batch: ...
    def __len__(self) -> int: ...
    def move_obstacle(
        self,
        name: str,
        position: ArrayLike,
        rotation: ArrayLike | None = None,
        indices: Sequence[int] | None = None,
    ) -> None:
        """Moves an obstacle in the next step to places, shape (worlds, 3) or (3,), where it stays; `rotation` are quaternions (w, x,
        y, z), shape (worlds, 4) or (4,), the present ones if absent. With `indices`, only these worlds, one row for each.
        """
    def set_pins(self, name: str, by: ArrayLike, indices: Sequence[int] | None = None) -> None:
        """Moves the vertices of a pin in the next step by so much, in m, shape (worlds, 3) or (3,), where they stay."""
    def set_force(self, name: str, total: ArrayLike, indices: Sequence[int] | None = None) -> None:
        """Changes the total of a force of the scene in N, shape (worlds, 3) or (3,)."""
    def set_cable(
        self,
        name: str,
        *,
        length: ArrayLike | None = None,
        pull: ArrayLike | None = None,
        indices: Sequence[int] | None = None,
    ) -> None:
        """Drives a cable to lengths in m, or by pulls in N, shape (worlds,) or one number."""
    def set_gravity(self, gravity: ArrayLike, indices: Sequence[int] | None = None) -> None:
        """Changes gravity in m/s^2, shape (worlds, 3) or (3,)."""
    def set_friction(self, name: str, friction: ArrayLike, indices: Sequence[int] | None = None) -> None:
        """Changes the friction of a body or an obstacle, shape (worlds,) or one number."""
    def set_wind(self, velocity: ArrayLike, indices: Sequence[int] | None = None) -> None:
        """Changes the wind in m/s, shape (worlds, 3) or (3,). The scene must have air."""
    def set_state(
        self,
        positions: ArrayLike,
        velocities: ArrayLike | None = None,
        indices: Sequence[int] | None = None,
    ) -> None:
        """Puts the vertices of all bodies somewhere else, shape (worlds, n, 3), with these velocities (zero if absent)."""
    def positions(self, body: str | None = None) -> NDArray[np.float64]:
        """Positions of the vertices of a body in m, shape (worlds, n, 3); of all bodies without a name."""
    def velocities(self, body: str | None = None) -> NDArray[np.float64]:
        """Velocities of the vertices of a body in m/s, shape (worlds, n, 3); of all bodies without a name."""
    def centers(self, body: str | None = None) -> NDArray[np.float64]:
        """Centres of mass of a body in m, shape (worlds, 3)."""
    def contact_forces(self, name: str) -> NDArray[np.float64]:
        """Total contact forces in N on a body or an obstacle in the last step, shape (worlds, 3)."""
    def contact_wrenches(self, name: str) -> NDArray[np.float64]:
        """Total contact forces in N and torques in N m about the origin on a body or an obstacle, shape (worlds, 6)."""
    def probe(self, name: str) -> NDArray[np.float64]:
        """Values of a probe, shape (worlds, k): one column, or three for a vector."""
    def step(self, n: int = 1, strict: bool = True) -> NDArray[np.bool_]:
        """Takes `n` steps with every world. Other Python threads run meanwhile.

        A world whose step fails stays at its last good state, and the others go on. Then `StepError` is raised, or with
        `strict=False` an array of shape (worlds,) says which have taken all steps; `errors` says why.
        """
    def reset(self, indices: Sequence[int] | None = None) -> None:
        """Puts worlds back to the start, all of them without `indices`. What was set by hand is forgotten with it."""
    def world(self, index: int) -> World:
        """A copy of one world, to look at closely. It goes on by itself."""
    def save(self, index: int) -> bytes:
        """Everything that the next steps of a world depend on, as bytes."""
    def restore(self, index: int, snapshot: bytes) -> None:
        """Puts a world to where another one of the same scene was when it was saved."""
    def close(self) -> None:
        """Gives its memory back."""
    @property
    def times(self) -> NDArray[np.float64]:
        """Simulated times in s, shape (worlds,)."""
    @property
    def state_hashes(self) -> list[str]:
        """Hashes of positions and velocities, as in the report of a run."""
    @property
    def errors(self) -> dict[int, str]:
        """Why worlds failed in the last call of `step`, by their numbers."""
    @property
    def dt(self) -> float:
        """Time step in s."""
    @property
    def steps(self) -> NDArray[np.uint64]:
        """Steps taken, shape (worlds,)."""


class NativeScene:
    """A scene file with its changes."""
    @staticmethod
    def parse(
        label: str,
        text: str,
        directory: str | os.PathLike[str],
        meshes: Mapping[str, Mesh],
        variant: str | None = None,
        solver: str | None = None,
        values: Sequence[tuple[str, str]] = [],
    ) -> NativeScene:
        """Reads a scene from text; meshes that are not in files come by name."""
    @staticmethod
    def read(path_or_name: str) -> tuple[str, str]:
        """Text and directory of a built-in scene or of a file."""
    def variants(self) -> list[str]:
        """Names of the variants."""
    def variant(self) -> str | None:
        """The variant in use."""
    def parameters(self) -> str:
        """The parameters and their values, as JSON."""
    def outline(self) -> str:
        """What the scene says about itself, as JSON; no mesh is made."""
    def check(self) -> None:
        """Checks everything short of running."""
    def dt(self) -> float:
        """Time step in s."""
    def mesh(self, body: str | None = None) -> Mesh:
        """The mesh of a body as it is placed; that of the first without a name."""
    def build(self, threads: int | None, measure: bool | None) -> World:
        """Builds the world."""
    def run(
        self,
        out: str | os.PathLike[str],
        steps: int | None,
        every: int | None,
        checkpoint_every: int | None,
        export: Sequence[str],
        threads: int | None,
    ) -> str:
        """Runs the scene to its end into a directory; gives the report as JSON."""


def scenes() -> list[str]:
    """Names of the built-in scenes."""


def solvers() -> list[str]:
    """Kinds of solvers, as the table of solvers has them."""


def formats() -> list[str]:
    """Names of the formats that runs are exported to."""


def schema() -> str:
    """The JSON Schema of scene files."""
