//! Bodies that are pressed, twisted, dragged and thrown stay sound, and those that start inverted recover, at the default settings.

#[path = "common/torture.rs"]
mod ordeals;

#[test]
fn neo_hookean_elements_are_never_inverted() {
    for ordeal in (1..=120).map(ordeals::torture) {
        assert!(ordeal.survived(), "{}: min J {:e} {:?}", ordeal.what, ordeal.min_j, ordeal.error);
    }
}

#[test]
fn inverted_starts_recover() {
    for (what, strain) in (1..=100).map(ordeals::recover) {
        assert!(strain < 1e-3, "{what}: {strain:e}");
    }
}
