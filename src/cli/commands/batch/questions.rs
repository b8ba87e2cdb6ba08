//! Check of the items file before the batch starts: its number of items and its damaged lines.

use super::faults::unreadable;
use crate::batch::{Damaged, Items};
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use serde_json::{Map, Value};
use std::path::Path;

/// Maximum number of damaged lines listed one by one.
const LISTED: usize = 20;

/// Result of checking the items file.
#[derive(Default)]
pub struct CheckedItems {
    /// Number of items in this shard.
    pub items: u64,
    /// Values of the first item in this shard.
    pub first: Map<String, Value>,
    /// Total number of damaged lines.
    damaged: usize,
    /// First damaged lines, at most [`LISTED`].
    listed: Vec<Damaged>,
}

impl CheckedItems {
    /// Reads the file once. `needed` are the fields that every item must have; `shard` is a part (from 0) and the
    /// number of parts.
    pub fn read(
        path: &Path,
        needed: &[String],
        shard: Option<(u64, u64)>,
    ) -> Result<CheckedItems, Failure> {
        let mut checked = CheckedItems::default();
        let mut place = 0u64;
        for item in Items::open(path).map_err(|e| unreadable(path, &e))? {
            let item = item.and_then(|item| match missing(&item.values, needed) {
                Some(why) => Err(Damaged { line: item.line, why }),
                None => Ok(item),
            });
            match item {
                Ok(item) => {
                    let mine = shard.is_none_or(|(part, parts)| place % parts == part);
                    if mine && checked.items == 0 {
                        checked.first = item.values;
                    }
                    checked.items += u64::from(mine);
                    place += 1;
                }
                Err(damaged) => {
                    checked.damaged += 1;
                    if checked.listed.len() < LISTED {
                        checked.listed.push(damaged);
                    }
                }
            }
        }
        Ok(checked)
    }

    /// Lists the damaged lines.
    ///
    /// # Errors
    /// If the file has no items, or if it has damaged lines and `skip` is false.
    pub fn report(&self, path: &Path, skip: bool, context: &Context) -> Result<(), Failure> {
        for damaged in &self.listed {
            context.say(&format!("{}, {damaged}", path.display()));
        }
        let n = self.damaged;
        if n > LISTED {
            context.say(&format!("and {} more damaged lines", n - LISTED));
        }
        if n > 0 && !skip {
            let message = format!("{n} lines of {} are damaged", path.display());
            return Err(Failure::new(Exit::Invalid, message)
                .hint("repair the lines, or skip them with --skip-damaged"));
        }
        if self.items == 0 {
            return Err(Failure::new(Exit::Invalid, format!("{} has no items", path.display()))
                .hint("write one JSON object per line, as in {\"question\": \"...\", \"answer\": \"...\"}"));
        }
        Ok(())
    }
}

/// Returns true if the item has all required fields.
pub fn is_complete(values: &Map<String, Value>, needed: &[String]) -> bool {
    missing(values, needed).is_none()
}

fn missing(values: &Map<String, Value>, needed: &[String]) -> Option<String> {
    let lacks: Vec<&str> =
        needed.iter().map(String::as_str).filter(|key| !values.contains_key(*key)).collect();
    let lacks = (!lacks.is_empty()).then(|| lacks.join("` and no `"))?;
    Some(format!("the item has no `{lacks}`, which the scenario uses"))
}
