//! Append-mostly lists and maps whose clones share their content.
//!
//! The engine, the screen and the points along a recording all hold the same conversation; its common part is in memory
//! once. The structures consist of pages: a clone shares all pages, and a changed page is copied first.

use std::ops::Index;
use std::sync::Arc;

/// Items per page.
const PAGE: usize = 128;

/// A list; a clone costs one pointer per page.
#[derive(Clone, Debug)]
pub struct SharedList<T> {
    /// Pages; all but the last are full.
    pages: Vec<Arc<Vec<T>>>,
}

impl<T> Default for SharedList<T> {
    fn default() -> SharedList<T> {
        SharedList { pages: vec![] }
    }
}

impl<T> SharedList<T> {
    /// Returns the number of items.
    pub fn len(&self) -> usize {
        let Some((last, full)) = self.pages.split_last() else { return 0 };
        full.len() * PAGE + last.len()
    }

    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Returns the item at an index.
    pub fn get(&self, at: usize) -> Option<&T> {
        self.pages.get(at / PAGE)?.get(at % PAGE)
    }

    /// Returns the first item.
    pub fn first(&self) -> Option<&T> {
        self.get(0)
    }

    /// Returns the last item.
    pub fn last(&self) -> Option<&T> {
        self.pages.last()?.last()
    }

    /// Returns all items in order.
    pub fn iter(&self) -> SharedItems<'_, T> {
        self.range(0, self.len())
    }

    /// Returns the items from an index on, in order.
    pub fn from(&self, at: usize) -> SharedItems<'_, T> {
        self.range(at, self.len())
    }

    /// Returns the items from `from` to `to`, exclusive.
    pub fn range(&self, from: usize, to: usize) -> SharedItems<'_, T> {
        let to = to.min(self.len());
        SharedItems { list: self, from: from.min(to), to }
    }

    /// Returns the index of the first item that does not fit; all fitting items must precede the others.
    pub fn partition_point(&self, mut fits: impl FnMut(&T) -> bool) -> usize {
        let page = self.pages.partition_point(|page| page.first().is_some_and(&mut fits));
        let Some(page) = page.checked_sub(1) else { return 0 };
        page * PAGE + self.pages.get(page).map_or(0, |items| items.partition_point(fits))
    }
}

impl<T: Clone> SharedList<T> {
    /// Appends an item.
    pub fn push(&mut self, item: T) {
        match self.pages.last_mut() {
            Some(page) if page.len() < PAGE => {
                let page = Arc::make_mut(page);
                grow(page);
                page.push(item);
            }
            last => {
                // a list that has filled a page usually keeps growing
                let mut page = Vec::with_capacity(if last.is_some() { PAGE } else { 1 });
                page.push(item);
                self.pages.push(Arc::new(page));
            }
        }
    }

    /// Returns a mutable reference to the item at an index.
    pub fn get_mut(&mut self, at: usize) -> Option<&mut T> {
        Arc::make_mut(self.pages.get_mut(at / PAGE)?).get_mut(at % PAGE)
    }

    /// Returns a mutable reference to the last item that fits.
    pub fn find_last_mut(&mut self, fits: impl FnMut(&T) -> bool) -> Option<&mut T> {
        let back = self.iter().rev().position(fits)?;
        self.get_mut(self.len() - 1 - back)
    }

    /// Inserts an item at an index.
    pub fn insert(&mut self, at: usize, item: T) {
        if at >= self.len() {
            return self.push(item);
        }
        let behind: Vec<T> = self.from(at).cloned().collect();
        self.pages.truncate(at.div_ceil(PAGE));
        if !at.is_multiple_of(PAGE)
            && let Some(page) = self.pages.last_mut()
        {
            Arc::make_mut(page).truncate(at % PAGE);
        }
        self.extend([item].into_iter().chain(behind));
    }

    /// Applies a change to every item.
    pub fn each_mut(&mut self, change: impl FnMut(&mut T)) {
        self.pages.iter_mut().flat_map(Arc::make_mut).for_each(change);
    }
}

impl<T: Clone> Extend<T> for SharedList<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, items: I) {
        items.into_iter().for_each(|item| self.push(item));
    }
}

impl<T: Clone> FromIterator<T> for SharedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> SharedList<T> {
        let mut list = SharedList::default();
        list.extend(items);
        list
    }
}

impl<T: PartialEq> PartialEq for SharedList<T> {
    fn eq(&self, other: &SharedList<T>) -> bool {
        // shared pages are equal
        let same = |(a, b): (&Arc<Vec<T>>, &Arc<Vec<T>>)| Arc::ptr_eq(a, b) || a == b;
        self.pages.len() == other.pages.len() && self.pages.iter().zip(&other.pages).all(same)
    }
}

impl<T> Index<usize> for SharedList<T> {
    type Output = T;

    fn index(&self, at: usize) -> &T {
        &self.pages[at / PAGE][at % PAGE]
    }
}

impl<'a, T> IntoIterator for &'a SharedList<T> {
    type Item = &'a T;
    type IntoIter = SharedItems<'a, T>;

    fn into_iter(self) -> SharedItems<'a, T> {
        self.iter()
    }
}

/// Double-ended iterator over items of a list.
#[derive(Debug)]
pub struct SharedItems<'a, T> {
    list: &'a SharedList<T>,
    from: usize,
    to: usize,
}

impl<T> Clone for SharedItems<'_, T> {
    fn clone(&self) -> Self {
        SharedItems { ..*self }
    }
}

impl<'a, T> Iterator for SharedItems<'a, T> {
    type Item = &'a T;

    fn next(&mut self) -> Option<&'a T> {
        let at = self.from;
        (at < self.to).then(|| {
            self.from += 1;
            &self.list[at]
        })
    }

    fn nth(&mut self, n: usize) -> Option<&'a T> {
        self.from = self.from.saturating_add(n).min(self.to);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.to - self.from, Some(self.to - self.from))
    }
}

impl<T> DoubleEndedIterator for SharedItems<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        (self.from < self.to).then(|| {
            self.to -= 1;
            &self.list[self.to]
        })
    }
}

impl<T> ExactSizeIterator for SharedItems<'_, T> {}

/// A map with mostly ascending integer keys, such as positions in a log; a clone costs one pointer per page.
#[derive(Clone, Debug)]
pub struct SharedMap<V> {
    /// Pages in order of their keys.
    pages: Vec<Arc<Vec<(u64, V)>>>,
}

impl<V> Default for SharedMap<V> {
    fn default() -> SharedMap<V> {
        SharedMap { pages: vec![] }
    }
}

impl<V> SharedMap<V> {
    /// Returns the index of the page for a key.
    fn page(&self, key: u64) -> usize {
        let begins = |page: &Arc<Vec<(u64, V)>>| page.first().is_some_and(|(k, _)| *k <= key);
        self.pages.partition_point(begins).saturating_sub(1)
    }

    pub fn get(&self, key: u64) -> Option<&V> {
        let page = self.pages.get(self.page(key))?;
        let at = page.binary_search_by_key(&key, |(k, _)| *k).ok()?;
        page.get(at).map(|(_, value)| value)
    }
}

impl<V: Clone> SharedMap<V> {
    /// Sets the value of a key.
    pub fn insert(&mut self, key: u64, value: V) {
        let place = self.page(key);
        let Some(page) = self.pages.get_mut(place) else {
            return self.pages.push(Arc::new(vec![(key, value)]));
        };
        let page = Arc::make_mut(page);
        let at = match page.binary_search_by_key(&key, |(k, _)| *k) {
            Ok(at) => return page[at].1 = value,
            Err(at) => at,
        };
        if page.len() < PAGE {
            grow(page);
            return page.insert(at, (key, value));
        }
        // keys in ascending order leave full pages behind
        let cut = if at == PAGE { at } else { PAGE / 2 };
        let mut behind = page.split_off(cut);
        behind.reserve_exact(PAGE - behind.len());
        match at.checked_sub(cut) {
            Some(at) => behind.insert(at, (key, value)),
            None => page.insert(at, (key, value)),
        }
        self.pages.insert(place + 1, Arc::new(behind));
    }
}

/// Reserves room for one more item, up to the size of a page.
fn grow<T>(page: &mut Vec<T>) {
    if page.len() == page.capacity() && page.len() > PAGE / 2 {
        page.reserve_exact(PAGE - page.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn shared_list_equals_vec() {
        let mut list = SharedList::default();
        let mut vector = vec![];
        for n in 0..3 * PAGE + 7 {
            list.push(n);
            vector.push(n);
        }
        for at in [0, 1, PAGE - 1, PAGE, PAGE + 1, 2 * PAGE, vector.len(), vector.len() + 2] {
            list.insert(at, 1_000 + at);
            vector.insert(at.min(vector.len()), 1_000 + at);
            assert!(list.iter().eq(&vector) && list.iter().rev().eq(vector.iter().rev()), "{at}");
            assert!(list.from(at).eq(vector.get(at..).unwrap_or_default()), "{at}");
            assert_eq!((list.get(at), list.len()), (vector.get(at), vector.len()));
        }
        let ordered: SharedList<usize> = (0..500).collect();
        for n in [0, 1, PAGE, PAGE + 1, 499, 500, 700] {
            assert_eq!(ordered.partition_point(|m| *m < n), n.min(500));
        }
        assert_eq!((list.iter().nth(5), list.iter().nth(9_999)), (vector.get(5), None));
        assert_eq!(list.find_last_mut(|n| *n < 10).copied(), Some(9));
    }

    #[test]
    fn clone_shares_unchanged_content() {
        let mut list: SharedList<String> = (0..10 * PAGE).map(|n| n.to_string()).collect();
        let copy = list.clone();
        list.push("new".into());
        *list.get_mut(PAGE).unwrap() = "other".into();
        let shared = list.pages.iter().zip(&copy.pages).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!((shared, copy.len(), list.len()), (9, 10 * PAGE, 10 * PAGE + 1));
        assert_eq!((&*copy[PAGE], &*list[PAGE]), ("128", "other"));
        assert!(list != copy && copy == copy.clone());
    }

    #[test]
    fn shared_map_equals_btree_map() {
        let mut map = SharedMap::default();
        let mut other = BTreeMap::new();
        for n in 0..1_000u64 {
            // mostly in order, some far behind, some twice
            let key = if n % 7 == 0 { n * 31 % 503 } else { 3 * n };
            map.insert(key, n);
            other.insert(key, n);
        }
        for key in 0..3_100 {
            assert_eq!(map.get(key), other.get(&key), "{key}");
        }
        assert_eq!(SharedMap::<u8>::default().get(0), None);
    }
}
