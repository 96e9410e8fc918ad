use std::path::Path;
fn main() {
    for f in std::env::args().skip(1) {
        let c = pliant_mesh::read_contents(Path::new(&f));
        match c {
            Ok(mut c) => {
                let g: Vec<_> = c
                    .mesh
                    .groups()
                    .iter()
                    .map(|(n, g)| format!("{n}:{}/{}", g.vertices.len(), g.elements.len()))
                    .take(6)
                    .collect();
                print!(
                    "{f} {} v={} e={} notes={:?} groups={g:?}",
                    c.format,
                    c.mesh.vertices().len(),
                    c.mesh.element_count(),
                    c.notes
                );
                println!(
                    " tidy={:?} validate={:?}",
                    c.mesh.tidy(),
                    c.mesh.validate().map_err(|e| e.to_string())
                );
            }
            Err(e) => println!("ERR {e}"),
        }
    }
}
