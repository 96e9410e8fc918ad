//! Where the frame of a plot and its legend go.

use super::axis::{Range, Tick};
use super::svg::text_width;
use super::{Mark, MarkDirection, Plot};

pub(super) const TITLE_SIZE: f64 = 14.0;
pub(super) const LABEL_SIZE: f64 = 13.0;
pub(super) const TICK_SIZE: f64 = 11.5;
pub(super) const LEGEND_SIZE: f64 = 11.5;
/// Height of a legend's row, and width of the piece of line in it.
pub(super) const LEGEND_ROW: f64 = 17.0;
pub(super) const LEGEND_LINE: f64 = 24.0;
/// Free space around the legend.
const LEGEND_GAP: f64 = 9.0;

/// Left top corner of a legend entry, and the number of its series.
pub(super) type LegendEntry = ((f64, f64), usize);

/// A rectangle of the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Area {
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Area {
    /// A text or column of text whose left bottom corner is `(x, y)`, with a little air.
    fn around((x, y): (f64, f64), width: f64, height: f64) -> Self {
        Self { left: x - 3.0, top: y - height - 2.0, right: x + width + 3.0, bottom: y + 4.0 }
    }

    fn contains(&self, (x, y): (f64, f64)) -> bool {
        x >= self.left && x <= self.right && y >= self.top && y <= self.bottom
    }
}

/// Everything a plot's parts need to find their place.
pub(super) struct Layout {
    pub width: f64,
    pub frame: Area,
    pub x: Range,
    pub y: Range,
    pub x_ticks: Vec<Tick>,
    pub y_ticks: Vec<Tick>,
    /// Where the text of each mark goes (start of its baseline); `None` if the mark is not shown.
    pub mark_labels: Vec<Option<(f64, f64)>>,
    pub legend: Vec<LegendEntry>,
}

impl Layout {
    pub fn new(plot: &Plot) -> Self {
        let points = || plot.series.iter().flat_map(|s| &s.points);
        let marks = |d: MarkDirection| plot.marks.iter().filter(move |m| m.direction == d).map(|m| m.at);
        // A point counts only if it can be shown: its x must not widen the axis if its y is missing.
        let both = |p: &&(f64, f64)| shown(p.0, plot.x.scale) && shown(p.1, plot.y.scale);
        let xs = points().filter(both).map(|p| p.0).chain(marks(MarkDirection::Vertical));
        let ys = points().filter(both).map(|p| p.1).chain(marks(MarkDirection::Horizontal));
        let (x, y) = (Range::around(xs, plot.x.scale), Range::around(ys, plot.y.scale));
        let mut layout = Self::framed(plot, x, y, 0.0);
        let entries: Vec<usize> =
            (0..plot.series.len()).filter(|&i| !plot.series[i].label.is_empty()).collect();
        if entries.is_empty() {
            return layout;
        }
        match layout.free_corner(plot, &entries) {
            Some(corner) => {
                let at = |row: usize| (corner.left, corner.top + row as f64 * LEGEND_ROW);
                layout.legend = entries.iter().enumerate().map(|(row, &i)| (at(row), i)).collect();
            }
            None => {
                let rows = below(plot, &entries, &layout).1;
                layout = Self::framed(plot, x, y, rows as f64 * LEGEND_ROW + 4.0);
                layout.legend = below(plot, &entries, &layout).0;
            }
        }
        layout
    }

    fn framed(plot: &Plot, x: Range, y: Range, legend_height: f64) -> Self {
        let (width, height) = plot.size();
        let top = if plot.title.is_empty() { 14.0 } else { 34.0 };
        let x_label = if plot.x.label.is_empty() { 0.0 } else { 22.0 };
        let y_label = if plot.y.label.is_empty() { 0.0 } else { 22.0 };
        let bottom = height - 30.0 - x_label - legend_height;
        let bottom = bottom.max(top + 40.0);
        let y_ticks = y.ticks(((bottom - top) / 42.0) as usize);
        let widest = y_ticks.iter().filter_map(|t| t.label.as_ref()).map(|l| l.width(TICK_SIZE));
        let left = 16.0 + y_label + widest.fold(12.0, f64::max);
        let right = (width - 18.0).max(left + 40.0);
        let x_ticks = x.ticks(((right - left) / 62.0) as usize);
        let mut layout = Self {
            width,
            frame: Area { left, top, right, bottom },
            x,
            y,
            x_ticks,
            y_ticks,
            mark_labels: Vec::new(),
            legend: Vec::new(),
        };
        layout.mark_labels = plot.marks.iter().map(|m| layout.mark_label(plot, m)).collect();
        layout
    }

    /// A point of the data on the picture.
    pub fn place(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        Some((self.place_x(self.x.place(x)?), self.place_y(self.y.place(y)?)))
    }

    pub fn place_x(&self, t: f64) -> f64 {
        self.frame.left + t * (self.frame.right - self.frame.left)
    }

    pub fn place_y(&self, t: f64) -> f64 {
        self.frame.bottom - t * (self.frame.bottom - self.frame.top)
    }

    /// A place inside the frame, along its left or right side, that no line crosses.
    fn free_corner(&self, plot: &Plot, entries: &[usize]) -> Option<Area> {
        let label = |&i: &usize| text_width(&plot.series[i].label, LEGEND_SIZE);
        let width = LEGEND_LINE + 7.0 + entries.iter().map(label).fold(0.0, f64::max);
        let height = entries.len() as f64 * LEGEND_ROW;
        let f = self.frame;
        let (free_x, free_y) = (f.right - f.left - width, f.bottom - f.top - height);
        if free_x < 3.0 * LEGEND_GAP || free_y < 3.0 * LEGEND_GAP {
            return None;
        }
        let obstacles = self.obstacles(plot);
        let (lefts, tops) = ([1.0, 0.0, 0.5], [0.0, 1.0, 0.5, 0.25, 0.75]);
        let spots = lefts.iter().flat_map(|x| tops.iter().map(move |y| (*x, *y)));
        // Corners first: positions in the middle only when no corner is free.
        let mut spots: Vec<(f64, f64)> = spots.collect();
        spots.sort_by_key(|(x, y)| usize::from(*x == 0.5) + usize::from(*y != 0.0 && *y != 1.0));
        spots.into_iter().find_map(|(x, y)| {
            let left = f.left + LEGEND_GAP + x * (free_x - 2.0 * LEGEND_GAP);
            let top = f.top + LEGEND_GAP + y * (free_y - 2.0 * LEGEND_GAP);
            let spot = Area { left, top, right: left + width, bottom: top + height };
            let wide = Area {
                left: left - LEGEND_GAP,
                top: top - 0.7 * LEGEND_GAP,
                right: spot.right + LEGEND_GAP,
                bottom: spot.bottom + 0.7 * LEGEND_GAP,
            };
            (!obstacles.iter().any(|p| wide.contains(*p))).then_some(spot)
        })
    }

    /// A place for a mark's text that no line crosses, else the first one tried.
    fn mark_label(&self, plot: &Plot, mark: &Mark) -> Option<(f64, f64)> {
        let f = self.frame;
        let long = text_width(&mark.label, LEGEND_SIZE);
        let lines = self.series_points(plot);
        let tries: Vec<((f64, f64), Area)> = match mark.direction {
            MarkDirection::Horizontal => {
                let y = self.place_y(self.y.place(mark.at)?);
                let free = f.right - f.left - long - 10.0;
                let at = |t: f64| (f.left + 5.0 + t * free, y - 5.0);
                [1.0, 0.0, 0.75, 0.25, 0.5].map(at).map(|p| (p, Area::around(p, long, LEGEND_SIZE))).into()
            }
            MarkDirection::Vertical => {
                let x = self.place_x(self.x.place(mark.at)?);
                let free = f.bottom - f.top - long - 10.0;
                let at = |t: f64| (x + 5.0, f.top + 5.0 + t * free);
                let tall =
                    |p: (f64, f64)| (p, Area::around((p.0 - 2.0, p.1 + long), LEGEND_SIZE + 2.0, long));
                [0.0, 1.0, 0.25, 0.75, 0.5].map(at).map(tall).into()
            }
        };
        let free = tries.iter().find(|t| !lines.iter().any(|p| t.1.contains(*p)));
        free.or(tries.first()).map(|t| t.0)
    }

    /// Points every few pixels along all lines.
    fn series_points(&self, plot: &Plot) -> Vec<(f64, f64)> {
        let mut found = Vec::new();
        for series in &plot.series {
            let mut last = None;
            for point in &series.points {
                let here = self.place(*point);
                if let Some(b) = here {
                    walk(last.unwrap_or(b), b, &mut found);
                }
                last = here;
            }
        }
        found
    }

    /// Points every few pixels along all lines, marks and texts of marks.
    fn obstacles(&self, plot: &Plot) -> Vec<(f64, f64)> {
        let mut found = self.series_points(plot);
        let f = self.frame;
        for (mark, label) in plot.marks.iter().zip(&self.mark_labels) {
            let Some((x, y)) = *label else { continue };
            let long = text_width(&mark.label, LEGEND_SIZE);
            match mark.direction {
                MarkDirection::Horizontal => {
                    walk((f.left, y + 5.0), (f.right, y + 5.0), &mut found);
                    walk((x, y - LEGEND_SIZE), (x + long, y - LEGEND_SIZE), &mut found);
                }
                MarkDirection::Vertical => {
                    walk((x - 5.0, f.top), (x - 5.0, f.bottom), &mut found);
                    walk((x + LEGEND_SIZE, y), (x + LEGEND_SIZE, y + long), &mut found);
                }
            }
        }
        found
    }
}

/// Appends points from `a` to `b`, a few pixels apart.
fn walk(a: (f64, f64), b: (f64, f64), found: &mut Vec<(f64, f64)>) {
    let steps = ((b.0 - a.0).abs().max((b.1 - a.1).abs()) / 3.0).ceil().clamp(1.0, 4000.0) as usize;
    for k in 0..=steps {
        let t = k as f64 / steps as f64;
        found.push((a.0 + t * (b.0 - a.0), a.1 + t * (b.1 - a.1)));
    }
}

fn shown(v: f64, scale: super::Scale) -> bool {
    v.is_finite() && (scale == super::Scale::Linear || v > 0.0)
}

/// Entries in rows under the axis label, and the number of rows.
fn below(plot: &Plot, entries: &[usize], layout: &Layout) -> (Vec<LegendEntry>, usize) {
    let (start, end) = (layout.frame.left, layout.width - 8.0);
    let top = layout.frame.bottom + 30.0 + if plot.x.label.is_empty() { 0.0 } else { 20.0 };
    let (mut x, mut row) = (start, 0);
    let mut placed = Vec::new();
    for &i in entries {
        let width = LEGEND_LINE + 7.0 + text_width(&plot.series[i].label, LEGEND_SIZE);
        if x > start && x + width > end {
            (x, row) = (start, row + 1);
        }
        placed.push(((x, top + row as f64 * LEGEND_ROW), i));
        x += width + 16.0;
    }
    (placed, row + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plot::{Axis, Series};

    fn plot(points: Vec<(f64, f64)>) -> Plot {
        Plot {
            x: Axis::linear("x"),
            y: Axis::linear("y"),
            series: vec![Series::new("a line", points)],
            ..Plot::default()
        }
    }

    #[test]
    fn the_legend_takes_a_free_corner() {
        let rising = Layout::new(&plot(vec![(0.0, 0.0), (1.0, 1.0)]));
        let (x, y) = rising.legend[0].0;
        // The line runs from the left bottom to the right top: only the other corners are free.
        assert_eq!(x < 0.5 * rising.width, y < 180.0);
        let falling = Layout::new(&plot(vec![(0.0, 1.0), (1.0, 0.0)]));
        let (x, y) = falling.legend[0].0;
        assert_eq!(x > 0.5 * falling.width, y < 180.0);
    }

    #[test]
    fn a_full_frame_sends_the_legend_below() {
        let zigzag = (0..200).map(|i| (f64::from(i), f64::from(i % 2))).collect();
        let layout = Layout::new(&plot(zigzag));
        assert!(layout.legend[0].0.1 > layout.frame.bottom);
        assert!(layout.legend[0].0.1 + LEGEND_ROW <= 361.0);
    }
}
