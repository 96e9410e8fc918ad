//! Lists that copies of a system share.

use std::ops::Deref;
use std::sync::Arc;

/// A list that copies share until one of them changes its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Shared<T>(Arc<Vec<T>>);

impl<T> Default for Shared<T> {
    fn default() -> Self {
        Shared(Arc::default())
    }
}

impl<T> Deref for Shared<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<'a, T> IntoIterator for &'a Shared<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T> FromIterator<T> for Shared<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Shared(Arc::new(items.into_iter().collect()))
    }
}

impl<T: Clone> Extend<T> for Shared<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        Arc::make_mut(&mut self.0).extend(items);
    }
}
