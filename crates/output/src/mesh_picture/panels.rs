//! Panels side by side under a title.

use super::highlights::Highlight;
use super::painter::PANEL;
use pliant_render::{Image, Legend};

const INK: [u8; 3] = [40, 46, 56];
const QUIET: [u8; 3] = [100, 108, 120];
const RULE: [u8; 3] = [222, 226, 231];
const WHITE: [u8; 3] = [255; 3];
const MARGIN: i64 = 16;
/// Height of title and facts.
const HEAD: u32 = 88;
/// Height of the headings of the panels.
const HEADING: u32 = 26;

/// Least height below the panels.
const FOOT: u32 = 72;
/// Height of a line of the key.
const LINE: u32 = 20;

/// A picture under construction.
pub(super) struct Panels {
    title: String,
    facts: [String; 2],
    panels: Vec<Panel>,
}

/// A picture with a heading above and an explanation below.
pub(super) struct Panel {
    heading: String,
    image: Image,
    bar: Option<Legend>,
    key: Vec<(String, [u8; 3])>,
}

impl Panel {
    /// Explains the colours from 0 to 1.
    pub(super) fn bar(&mut self, label: &str) {
        self.bar = Some(Legend { label: label.into(), low: 0.0, high: 1.0 });
    }

    /// Names the highlights.
    pub(super) fn key(&mut self, highlights: &[Highlight]) {
        self.key =
            highlights.iter().map(|m| (m.name.clone(), m.color.map(|c| (c * 255.0 + 0.5) as u8))).collect();
    }

    fn foot(&self) -> u32 {
        FOOT.max(LINE * self.key.len() as u32 + MARGIN as u32)
    }

    fn draw(&self, foot: u32) -> Image {
        let mut panel = Image::new(PANEL, HEADING + PANEL + foot, WHITE);
        panel.text(MARGIN, 6, &self.heading, 2, INK);
        panel.paste(0, i64::from(HEADING), &self.image);
        if let Some(bar) = &self.bar {
            bar.draw(&mut panel);
        }
        for (i, (name, color)) in self.key.iter().enumerate() {
            let top = i64::from(HEADING + PANEL + LINE * i as u32);
            panel.fill(MARGIN, top, 14, 14, *color);
            panel.text(MARGIN + 22, top, name, 2, INK);
        }
        panel
    }
}

impl Panels {
    /// A picture without panels.
    pub(super) fn new(title: &str, facts: [String; 2]) -> Panels {
        Panels { title: title.into(), facts, panels: Vec::new() }
    }

    /// Adds a panel at the right.
    pub(super) fn add(&mut self, heading: &str, image: Image) -> &mut Panel {
        self.panels.push(Panel { heading: heading.into(), image, bar: None, key: Vec::new() });
        let last = self.panels.len() - 1;
        &mut self.panels[last]
    }

    /// The whole.
    pub(super) fn image(&self) -> Image {
        let width = PANEL * self.panels.len().max(1) as u32;
        let foot = self.panels.iter().map(Panel::foot).max().unwrap_or(FOOT);
        let height = HEADING + PANEL + foot;
        let mut page = Image::new(width, HEAD + height, WHITE);
        page.text(MARGIN, MARGIN, &shortened(&self.title, width - 2 * MARGIN as u32, 2), 2, INK);
        for (i, facts) in self.facts.iter().enumerate() {
            page.text(MARGIN, MARGIN + 22 * (i as i64 + 1), facts, 2, QUIET);
        }
        for (i, panel) in self.panels.iter().enumerate() {
            let left = i64::from(PANEL) * i as i64;
            page.paste(left, i64::from(HEAD), &panel.draw(foot));
            if i > 0 {
                page.fill(left, i64::from(HEAD), 1, height - MARGIN as u32, RULE);
            }
        }
        page
    }
}

/// The end of a text that fits into a width: the end of a path says most.
fn shortened(text: &str, width: u32, scale: u32) -> String {
    let letters: Vec<char> = text.chars().collect();
    let fits = (0..letters.len()).find(|&start| {
        let shown = if start == 0 {
            text.to_string()
        } else {
            format!("...{}", letters[start..].iter().collect::<String>())
        };
        Image::text_size(&shown, scale).0 <= width
    });
    match fits {
        Some(0) | None => text.to_string(),
        Some(start) => format!("...{}", letters[start..].iter().collect::<String>()),
    }
}
