//! Times the panel solve on the bars.
use pliant_linalg::*;
use pliant_linalg::panels::*;
use std::time::Instant;
fn bar(c: [usize; 3], w: f64) -> (SymmetricCsc, Vec<[f64; 3]>) {
    let n = [c[0] + 1, c[1] + 1, c[2] + 1];
    let idx = |p: [usize; 3]| (p[0] + n[0] * (p[1] + n[1] * p[2])) as u32;
    let mut t = Vec::new();
    let h = 0.1 / c[0] as f64;
    let mut pts = vec![];
    for z in 0..n[2] { for y in 0..n[1] { for x in 0..n[0] { pts.push([x as f64*h, y as f64*h, z as f64*h]); t.push((idx([x,y,z]), idx([x,y,z]), 1000.0*h*h*h)); }}}
    let perms = [[0,1,2],[0,2,1],[1,0,2],[1,2,0],[2,0,1],[2,1,0]];
    for z in 0..c[2] { for y in 0..c[1] { for x in 0..c[0] { for p in perms {
        let mut q = [x,y,z]; let mut v = vec![idx(q)];
        for k in p { q[k]+=1; v.push(idx(q)); }
        for k in 0..3 { let (a,b)=(v[k],v[k+1]); let g = w*h/6.0; t.extend([(a,a,g),(b,b,g),(a,b,-g)]); }
        // also couple the rest of the tet's edges weakly so that the pattern is full
        for (i,j) in [(0,2),(0,3),(1,3)] { t.push((v[i],v[j],0.0)); }
    }}}}
    (SymmetricCsc::from_triplets(n[0]*n[1]*n[2], &t), pts)
}
fn best(mut f: impl FnMut()) -> f64 { let mut b = f64::MAX; let s = Instant::now(); while s.elapsed().as_secs_f64() < 1.0 { let t = Instant::now(); f(); b = b.min(t.elapsed().as_secs_f64()*1e3); } b }
fn main() {
    for c in [[13,13,26],[17,17,34],[21,21,42]] {
        let (a, _pts) = bar(c, 1e4 * 1e-4 * 6.9e8/1e4);
        let order = ordering::nested_dissection(&a, None);
        for (name, relax) in [("panels", RELAX_PANELS)] {
            let l = SymbolicCholesky::new(&a, order.clone(), relax).factor(&a).unwrap();
            stats(&l); let mut s = PanelSolver::new(&l);
            let mut t = vec![];
            for threads in [1,2] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                t.push(pool.install(|| best(|| { for x in s.vector_mut() { *x = [1.0,2.0,3.0,0.0]; } s.solve() })));
            }
            let mut x = vec![1.0; 3*a.n()];
            let f = best(|| { x.fill(1.0); l.solve_in_place(&mut x) });
            println!("{} {name}: supernodes {} panels {:.1} MB; 1 thr {:.3} ms ({:.1} GB/s), 2 thr {:.3} ms ({:.1} GB/s), faer f64 {f:.3}", a.n(), l.supernode_count(), s.bytes() as f64/1e6, t[0], s.bytes() as f64/t[0]/1e6, t[1], s.bytes() as f64/t[1]/1e6);
        }
    }
}
#[allow(dead_code)]
fn stats(l: &Cholesky) {
    let r = |x: usize, m: usize| x.div_ceil(m) * m;
    let (mut exact, mut f16, mut b16, mut f8, mut b8, mut small) = (0, 0, 0, 0, 0, 0);
    for s in 0..l.supernode_count() {
        let n = l.supernode(s);
        let (k, h) = (n.width, n.width + n.below.len());
        exact += k * h - k * (k - 1) / 2;
        f16 += r(h, 16) * k - k * k / 2; b16 += r(k, 16) * h - k * k / 2;
        f8 += r(h, 8) * k - k * k / 2; b8 += r(k, 8) * h - k * k / 2;
        if k < 16 { small += k * h; }
    }
    println!("  entries {exact} fwd16 {f16} bwd16 {b16} fwd8 {f8} bwd8 {b8} in narrow {small}");
}
