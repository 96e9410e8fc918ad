//! Undirected graphs with weights, in compressed rows.

/// Label of vertices that belong to no part.
pub(super) const NO_PART: u32 = u32::MAX;

/// A graph without loops; every edge is stored at both of its ends.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Graph {
    /// Start of each vertex's edges; one more entry than vertices.
    pub start: Vec<usize>,
    /// The other end of each edge.
    pub neighbours: Vec<u32>,
    /// How many edges of the finest graph each edge stands for; empty where each stands for one.
    pub edge_weights: Vec<u32>,
    /// How many vertices of the finest graph each vertex stands for.
    pub vertex_weights: Vec<u32>,
}

/// Part of a graph, with the vertex of the whole graph for each of its vertices.
#[derive(Debug)]
pub(super) struct Part {
    pub graph: Graph,
    pub vertices: Vec<u32>,
}

impl Graph {
    /// A graph whose vertices and edges all weigh one.
    pub fn unweighted(start: Vec<usize>, neighbours: Vec<u32>) -> Graph {
        let n = start.len() - 1;
        Graph { start, neighbours, edge_weights: Vec::new(), vertex_weights: vec![1; n] }
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.vertex_weights.len()
    }

    /// The vertices that share an edge with `v`.
    pub fn neighbours_of(&self, v: u32) -> &[u32] {
        let v = v as usize;
        &self.neighbours[self.start[v]..self.start[v + 1]]
    }

    /// Weight of vertex `v`.
    pub fn weight(&self, v: u32) -> i64 {
        i64::from(self.vertex_weights[v as usize])
    }

    /// Weight of all vertices.
    pub fn total_weight(&self) -> i64 {
        self.vertex_weights.iter().map(|&w| i64::from(w)).sum()
    }

    /// A label for each connected component of the vertices that are `inside`, in the order of their first vertices,
    /// and the number of components. Other vertices get [`NO_PART`].
    pub fn components(&self, inside: impl Fn(u32) -> bool) -> (Vec<u32>, usize) {
        let mut label = vec![NO_PART; self.len()];
        let mut count = 0;
        let mut stack = Vec::new();
        for seed in 0..self.len() as u32 {
            if label[seed as usize] != NO_PART || !inside(seed) {
                continue;
            }
            label[seed as usize] = count;
            stack.push(seed);
            while let Some(v) = stack.pop() {
                for &w in self.neighbours_of(v) {
                    if label[w as usize] == NO_PART && inside(w) {
                        label[w as usize] = count;
                        stack.push(w);
                    }
                }
            }
            count += 1;
        }
        (label, count as usize)
    }

    /// The subgraphs of the vertices with each label `0..count`; vertices keep their relative order. No edge may join
    /// two labels. All edges must weigh one.
    pub fn parts(&self, label: &[u32], count: usize) -> Vec<Part> {
        debug_assert!(self.edge_weights.is_empty());
        let mut parts: Vec<Part> = self.sizes(label, count).into_iter().map(Part::with_capacity).collect();
        let mut local = vec![0u32; self.len()];
        for (v, &l) in label.iter().enumerate() {
            if l != NO_PART {
                let part = &mut parts[l as usize];
                local[v] = part.vertices.len() as u32;
                part.vertices.push(v as u32);
                part.graph.vertex_weights.push(self.vertex_weights[v]);
            }
        }
        for (v, &l) in label.iter().enumerate() {
            if l != NO_PART {
                let Graph { start, neighbours, .. } = &mut parts[l as usize].graph;
                let kept = self.neighbours_of(v as u32).iter().filter(|&&w| label[w as usize] == l);
                neighbours.extend(kept.map(|&w| local[w as usize]));
                start.push(neighbours.len());
            }
        }
        parts
    }

    /// Vertices and edges with each label; edges to other labels are counted as well.
    fn sizes(&self, label: &[u32], count: usize) -> Vec<(usize, usize)> {
        let mut sizes = vec![(0, 0); count];
        for (v, &l) in label.iter().enumerate() {
            if l != NO_PART {
                let (vertices, edges) = &mut sizes[l as usize];
                *vertices += 1;
                *edges += self.start[v + 1] - self.start[v];
            }
        }
        sizes
    }
}

impl Part {
    fn with_capacity((vertices, edges): (usize, usize)) -> Part {
        let mut start = Vec::with_capacity(vertices + 1);
        start.push(0);
        let graph = Graph {
            start,
            neighbours: Vec::with_capacity(edges),
            edge_weights: Vec::new(),
            vertex_weights: Vec::with_capacity(vertices),
        };
        Part { graph, vertices: Vec::with_capacity(vertices) }
    }
}
