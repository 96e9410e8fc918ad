//! Files that make the most of few bytes, as far as that is possible.

type Named = (&'static str, Vec<u8>);

/// Files with names. Some are refused, all must take little memory.
pub fn hostile() -> Vec<Named> {
    [gmsh_elements(), gmsh_tables(), vtk(), vtu()].concat()
}

fn gmsh(version: &str, rest: &str) -> Vec<u8> {
    format!("$MeshFormat\n{version} 0 8\n$EndMeshFormat\n{rest}").into_bytes()
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (1..=count).map(line).collect()
}

fn gmsh_elements() -> Vec<Named> {
    const COUNT: usize = 9000;
    let file = |element: &dyn Fn(usize) -> String| {
        let nodes = lines(9, |i| format!("{i} 0 0 0\n"));
        let elements = lines(COUNT, element);
        let text = format!("$Nodes\n9\n{nodes}$EndNodes\n$Elements\n{COUNT}\n{elements}$EndElements\n");
        gmsh("2.2", &text)
    };
    vec![
        ("hexahedra", file(&|_| "1 5 0 1 2 3 4 5 6 7 8\n".to_string())),
        ("a group for each tet", file(&|i| format!("1 4 1 {i} 1 2 3 4\n"))),
        ("a group for each point", file(&|i| format!("1 15 1 {i} 5\n"))),
    ]
}

fn gmsh_tables() -> Vec<Named> {
    let names = lines(30_000, |i| format!("0 {i} \"a\"\n"));
    let names = format!("$PhysicalNames\n30000\n{names}$EndPhysicalNames\n");
    let tags = lines(40_000, |i| format!("{} ", i % 10));
    let tags = format!("$Entities\n1 0 0 0\n1 0 0 0 40000 {tags}\n$EndEntities\n");
    let entities = "1 0 0 0 1 7\n".repeat(20_000);
    let entities = format!("$Entities\n20000 0 0 0\n{entities}$EndEntities\n");
    let sparse = lines(20_000, |i| format!("{} 0 0 0\n", 2 * i));
    let sparse = format!("$Nodes\n20000\n{sparse}$EndNodes\n");
    vec![
        ("names", gmsh("2.2", &names)),
        ("tags", gmsh("4.1", &tags)),
        ("entities", gmsh("4.1", &entities)),
        ("sparse nodes", gmsh("2.2", &sparse)),
    ]
}

fn vtk() -> Vec<Named> {
    const COUNT: usize = 9000;
    let file = |cell: &str, number: usize, rest: &str| {
        let numbers = COUNT * cell.split_whitespace().count();
        let (cells, types) = (cell.repeat(COUNT), format!("{number}\n").repeat(COUNT));
        let points = "0 ".repeat(24);
        format!(
            "# vtk DataFile Version 2.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 float\n{points}\n\
             CELLS {COUNT} {numbers}\n{cells}CELL_TYPES {COUNT}\n{types}CELL_DATA {COUNT}\n{rest}"
        )
        .into_bytes()
    };
    let masks = lines(40, |i| format!("group:{i} 1 {COUNT} char\n{}\n", "1 ".repeat(COUNT)));
    let labels = lines(COUNT, |i| format!("{i} "));
    vec![
        ("vtk hexahedra", file("8 0 1 2 3 4 5 6 7\n", 12, "")),
        ("vtk polygons", file("6 1 2 0 1 2 0\n", 7, "")),
        ("vtk groups", file("4 0 1 2 3\n", 10, &format!("FIELD f 40\n{masks}"))),
        ("vtk labels", file("4 0 1 2 3\n", 10, &format!("FIELD f 1\nmedit:ref 1 {COUNT} int\n{labels}\n"))),
    ]
}

fn vtu() -> Vec<Named> {
    let file = |inside: &str| {
        format!(
            "<VTKFile type=\"UnstructuredGrid\"><Piece NumberOfPoints=\"0\" NumberOfCells=\"0\">{inside}\
             </Piece></VTKFile>"
        )
        .into_bytes()
    };
    let data = |arrays: &str, count| file(&format!("<PointData>{}</PointData>", arrays.repeat(count)));
    vec![
        ("vtu arrays", data("<DataArray/>", 20_000)),
        ("vtu groups", data("<DataArray Name=\"group:\"/>", 10_000)),
        ("vtu elements", file(&"<a/>".repeat(50_000))),
    ]
}
