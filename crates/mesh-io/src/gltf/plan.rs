//! Goes through the scene and lists what is to be drawn, with its size, before any of it is unfolded.

use super::accessor::{Accessors, Checked, Use};
use super::buffer::Buffers;
use super::document::{Document, Mesh, Node, Primitive, SceneRoots, Tables};
use super::transform::Affine;
use crate::budget::Budget;
use crate::{ReadError, Source, counted};
use std::collections::BTreeMap;

/// How the corners of a primitive make triangles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    List,
    Strip,
    Fan,
}

impl Mode {
    fn new(code: u32) -> Option<Self> {
        match code {
            4 => Some(Self::List),
            5 => Some(Self::Strip),
            6 => Some(Self::Fan),
            _ => None,
        }
    }

    /// The number of triangles of so many corners.
    pub fn triangles(self, corners: usize) -> usize {
        match self {
            Self::List => corners / 3,
            Self::Strip | Self::Fan => corners.saturating_sub(2),
        }
    }
}

/// A primitive at its place.
pub(super) struct Draw {
    /// Place of the node in the list of nodes with meshes.
    pub node: u32,
    pub positions: u32,
    pub indices: Option<u32>,
    pub mode: Mode,
    /// Place of the mesh in the file.
    pub mesh: usize,
}

/// A node with a mesh.
pub(super) struct Placed {
    pub transform: Affine,
    pub name: Option<String>,
    /// Its number in the file; none for a library of meshes.
    pub index: Option<u32>,
    /// Place of its mesh in the file.
    pub mesh: usize,
}

/// Looks like a scene, takes no more room than its nodes.
pub(super) struct Plan<'t, 'a> {
    pub accessors: Accessors<'t, 'a>,
    pub memory: Budget,
    /// A bound on how much JSON is looked at again and again.
    pub work: Budget,
    pub draws: Vec<Draw>,
    pub placed: Vec<Placed>,
    /// Numbers of vertices and triangles.
    pub vertices: usize,
    pub triangles: usize,
    left_out: BTreeMap<&'static str, usize>,
}

impl<'t, 'a> Plan<'t, 'a> {
    pub fn new(
        document: &Document<'a>,
        tables: &'t Tables<'a>,
        source: &'a Source,
        embedded: Option<&'a [u8]>,
    ) -> Result<Self, ReadError> {
        let buffers = Buffers::new(source, embedded);
        let bytes = source.bytes().len();
        let mut plan = Self {
            accessors: Accessors { tables, buffers },
            memory: Budget::new(bytes),
            work: Budget::new(bytes),
            draws: Vec::new(),
            placed: Vec::new(),
            vertices: 0,
            triangles: 0,
            left_out: BTreeMap::new(),
        };
        // Going through the nodes takes some room for each.
        const NODE: usize = 40;
        plan.memory.take(tables.nodes.len().saturating_mul(NODE))?;
        if tables.nodes.len() == 0 {
            // A library of meshes without a scene.
            for mesh in 0..tables.meshes.len() {
                plan.mesh(mesh, Affine::IDENTITY, (None, None))?;
            }
        } else {
            let roots = plan.roots(document)?;
            plan.nodes(roots)?;
        }
        Ok(plan)
    }

    /// The roots of the scene to read: the default one, or the first, or else all nodes that are no children.
    fn roots(&mut self, document: &Document) -> Result<Vec<u32>, ReadError> {
        let tables = self.accessors.tables;
        if tables.scenes.len() > 0 {
            if document.scene.is_none() && tables.scenes.len() > 1 {
                self.leave_out("scene that is not the first", tables.scenes.len() - 1);
            }
            let scene: SceneRoots = tables.scenes.get(document.scene.unwrap_or(0), &mut self.work)?;
            return Ok(scene.nodes);
        }
        let mut is_child = vec![false; tables.nodes.len()];
        for index in 0..tables.nodes.len() {
            let node: Node = tables.nodes.get(index, &mut self.work)?;
            for child in node.children {
                if let Some(flag) = is_child.get_mut(child as usize) {
                    *flag = true;
                }
            }
        }
        Ok((0..).zip(is_child).filter_map(|(index, child)| (!child).then_some(index)).collect())
    }

    /// Goes through nodes, depth first in the order of the file.
    fn nodes(&mut self, roots: Vec<u32>) -> Result<(), ReadError> {
        let tables = self.accessors.tables;
        let mut seen = vec![false; tables.nodes.len()];
        let mut transforms = vec![Affine::IDENTITY];
        let mut stack: Vec<(u32, u32)> = Vec::new();
        let mut children = roots;
        let mut parent = 0;
        loop {
            for &child in children.iter().rev() {
                let twice = seen.get_mut(child as usize).is_some_and(|seen| std::mem::replace(seen, true));
                if twice {
                    let cause = "it has two parents, or is its own".to_string();
                    return Err(tables.nodes.error(child as usize, cause));
                }
                stack.push((child, parent));
            }
            let Some((index, above)) = stack.pop() else { break };
            let node: Node = tables.nodes.get(index as usize, &mut self.work)?;
            let transform = transforms[above as usize].after(&Affine::of(&node));
            if let Some(mesh) = node.mesh {
                self.leave_out("skin", usize::from(node.skin.is_some()));
                self.leave_out("set of instances", usize::from(node.extensions.instancing.is_some()));
                self.mesh(mesh, transform, (node.name, Some(index)))?;
            }
            children = node.children;
            if !children.is_empty() {
                parent = transforms.len() as u32;
                self.memory.take(3 * size_of::<Affine>())?;
                transforms.push(transform);
            }
        }
        Ok(())
    }

    fn mesh(
        &mut self,
        index: usize,
        transform: Affine,
        (name, of_node): (Option<String>, Option<u32>),
    ) -> Result<(), ReadError> {
        let mesh: Mesh = self.accessors.tables.meshes.get(index, &mut self.work)?;
        let node = u32::try_from(self.placed.len()).map_err(|_| ReadError::TooLarge)?;
        let name = name.or(mesh.name);
        self.memory.take(2 * size_of::<Placed>() + name.as_ref().map_or(0, String::len))?;
        self.placed.push(Placed { transform, name, index: of_node, mesh: index });
        // Primitives of a mesh may share their vertices.
        let mut shared = BTreeMap::new();
        for primitive in mesh.primitives {
            self.primitive(&primitive, (node, index), &mut shared)?;
        }
        Ok(())
    }

    fn primitive(
        &mut self,
        primitive: &Primitive,
        (node, mesh): (u32, usize),
        shared: &mut BTreeMap<u32, usize>,
    ) -> Result<(), ReadError> {
        let (Some(mode), Some(positions)) = (Mode::new(primitive.mode), primitive.attributes.position) else {
            self.leave_out("primitive that is no triangles", 1);
            return Ok(());
        };
        self.leave_out("primitive's morph target", usize::from(primitive.targets.is_some()));
        let count = match shared.get(&positions) {
            Some(&count) => count,
            None => {
                let count = self.check(positions, Use::Positions)?.count;
                self.vertices = self.vertices.saturating_add(count);
                shared.insert(positions, count);
                count
            }
        };
        let corners = match primitive.indices {
            Some(indices) => self.check(indices, Use::Indices)?.count,
            None => count,
        };
        if mode == Mode::List && corners % 3 != 0 {
            let cause = format!("a list of triangles has {corners} corners");
            return Err(self.accessors.tables.meshes.error(mesh, cause));
        }
        self.triangles = self.triangles.saturating_add(mode.triangles(corners));
        self.memory.take(2 * size_of::<Draw>())?;
        self.draws.push(Draw { node, positions, indices: primitive.indices, mode, mesh });
        Ok(())
    }

    /// An accessor with its data loaded.
    pub fn check(&mut self, index: u32, used: Use) -> Result<Checked, ReadError> {
        self.accessors.check(index, used, (&mut self.memory, &mut self.work))
    }

    fn leave_out(&mut self, noun: &'static str, count: usize) {
        if count > 0 {
            *self.left_out.entry(noun).or_default() += count;
        }
    }

    pub fn notes(&self) -> impl Iterator<Item = String> {
        self.left_out.iter().map(|(noun, &count)| match noun.split_once(' ') {
            None => format!("{} left out", counted(count, noun)),
            Some((first, rest)) => format!("{} {rest} left out", counted(count, first)),
        })
    }
}
