use pliant_mesh::*;
use std::path::Path;
fn main() {
    let dir = std::env::args().nth(1).unwrap();
    let mut m = block([1.0, 2.0, 3.0], [3, 2, 2]).unwrap();
    for (k, g) in m.groups.values_mut().enumerate() {
        if k % 2 == 0 {
            g.elements = (0..m.tets.len() as u32).filter(|t| t % 3 == k as u32 % 3).collect();
        }
    }
    let corner = m.vertices.len() as u32 - 1;
    m.groups.insert("a \"q\" ü 50%".into(), Group { vertices: vec![0, corner], elements: vec![] });
    let tri = Mesh::Tri(cloth([1.0, 1.0], 3).unwrap());
    let tet = Mesh::Tet(m);
    for f in formats() {
        write_mesh(&Path::new(&dir).join(format!("tet_{}.{}", f.name, f.ending())), &tet, Some(f)).unwrap();
        write_mesh(&Path::new(&dir).join(format!("tri_{}.{}", f.name, f.ending())), &tri, Some(f)).unwrap();
    }
}
