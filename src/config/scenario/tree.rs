//! A scenario's text as a tree of values with their positions.
//!
//! TOML files, the JSON of the commands `join` and `change`, and `--set` become the same tree, so that one checker
//! handles all three. The tree knows no keys and no rules.

use crate::model::Text;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Byte range in the text, if the value comes from a text.
pub type Span = Option<Range<usize>>;

/// A value and its byte range in the source.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its place, if it comes from a text.
    pub span: Span,
    /// The value itself.
    pub value: Value,
}

/// A value of TOML or JSON.
#[derive(Clone, Debug)]
pub enum Value {
    Text(String),
    Whole(i64),
    Number(f64),
    Flag(bool),
    List(Vec<Node>),
    Table(Vec<TableEntry>),
    /// A date, or JSON's null: no key of a scenario accepts one.
    Other(&'static str),
}

/// One key of a table.
#[derive(Clone, Debug)]
pub struct TableEntry {
    pub key: String,
    pub key_span: Span,
    pub node: Node,
}

impl Node {
    /// Parses TOML; positions are byte ranges of `text`.
    pub fn parse(text: &str) -> Result<Node, toml::de::Error> {
        let root = DeTable::parse(text)?;
        // keys missing from the whole file are reported at its beginning
        Ok(Node { span: Some(0..0), value: table(root.get_ref()) })
    }

    /// Reads a single TOML value.
    pub fn parse_value(text: &str) -> Result<Node, toml::de::Error> {
        DeValue::parse(text).map(|value| node(&value))
    }

    /// Returns the value under a key of a table.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|e| e.key == key).map(|e| &e.node)
    }

    /// Returns the keys of a table; none for other values.
    pub fn entries(&self) -> &[TableEntry] {
        let Value::Table(entries) = &self.value else { return &[] };
        entries
    }

    /// Returns the values of a list; none for other values.
    pub fn items(&self) -> &[Node] {
        let Value::List(items) = &self.value else { return &[] };
        items
    }

    /// Returns the text, if it is text.
    pub fn text(&self) -> Option<&str> {
        let Value::Text(text) = &self.value else { return None };
        Some(text)
    }

    /// Returns the number, if it is an integer from 0.
    pub fn whole(&self) -> Option<u64> {
        let Value::Whole(n) = self.value else { return None };
        u64::try_from(n).ok()
    }

    /// Returns the boolean, if it is one.
    pub fn flag(&self) -> Option<bool> {
        match self.value {
            Value::Flag(flag) => Some(flag),
            _ => None,
        }
    }

    /// Returns the number, integer or not.
    pub fn number(&self) -> Option<f64> {
        match self.value {
            Value::Whole(n) => Some(n as f64),
            Value::Number(n) => Some(n),
            _ => None,
        }
    }

    /// Reads the value as a type; a value that does not fit gives the default.
    pub fn read<T: DeserializeOwned + Default>(&self) -> T {
        serde_json::from_value(self.to_json()).unwrap_or_default()
    }

    pub fn to_json(&self) -> serde_json::Value {
        match &self.value {
            Value::Text(text) => text.as_str().into(),
            Value::Whole(n) => (*n).into(),
            Value::Number(n) => (*n).into(),
            Value::Flag(flag) => (*flag).into(),
            Value::List(items) => items.iter().map(Node::to_json).collect(),
            Value::Table(entries) => {
                entries.iter().map(|e| (e.key.clone(), e.node.to_json())).collect()
            }
            Value::Other(_) => serde_json::Value::Null,
        }
    }

    /// Returns the value as quoted in a message: short, on one line, control characters escaped.
    pub fn quoted(&self) -> String {
        match &self.value {
            Value::Text(text) => quote(text),
            Value::Whole(n) => n.to_string(),
            Value::Number(n) => n.to_string(),
            Value::Flag(flag) => flag.to_string(),
            Value::List(items) if items.is_empty() => "an empty list".into(),
            Value::List(_) => "a list".into(),
            Value::Table(_) => "a table".into(),
            Value::Other(what) => (*what).into(),
        }
    }
}

/// Returns quoted text for a message: at most 40 characters, control characters escaped.
pub fn quote(text: &str) -> String {
    const SHOWN_CHARS: usize = 40;
    match text.char_indices().nth(SHOWN_CHARS) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}", format!("{}…", &text[..end])),
    }
}

fn table(table: &DeTable<'_>) -> Value {
    let mut entries: Vec<TableEntry> = table
        .iter()
        .map(|(key, value)| TableEntry {
            key: key.get_ref().to_string(),
            key_span: Some(key.span()),
            node: node(value),
        })
        .collect();
    // the parser sorts keys by name; people read them in the order of the file
    entries.sort_by_key(|e| e.key_span.as_ref().map(|s| s.start));
    Value::Table(entries)
}

fn node(spanned: &Spanned<DeValue<'_>>) -> Node {
    let value = match spanned.get_ref() {
        DeValue::String(text) => Value::Text(text.to_string()),
        // a number too large for 64 bits is out of every range, like the largest one
        DeValue::Integer(n) => {
            Value::Whole(i64::from_str_radix(n.as_str(), n.radix()).unwrap_or(i64::MAX))
        }
        DeValue::Float(n) => Value::Number(n.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(flag) => Value::Flag(*flag),
        DeValue::Datetime(_) => Value::Other("a date"),
        DeValue::Array(items) => Value::List(items.iter().map(node).collect()),
        DeValue::Table(entries) => table(entries),
    };
    Node { span: Some(spanned.span()), value }
}

impl From<&serde_json::Value> for Node {
    fn from(json: &serde_json::Value) -> Node {
        use serde_json::Value as Json;
        let value = match json {
            Json::Null => Value::Other("null"),
            Json::Bool(flag) => Value::Flag(*flag),
            Json::Number(n) => match n.as_i64() {
                Some(whole) => Value::Whole(whole),
                None => Value::Number(n.as_f64().unwrap_or(f64::NAN)),
            },
            Json::String(text) => Value::Text(text.clone()),
            Json::Array(items) => Value::List(items.iter().map(Node::from).collect()),
            Json::Object(map) => return Node::from(map),
        };
        Node { span: None, value }
    }
}

impl From<&serde_json::Map<String, serde_json::Value>> for Node {
    fn from(map: &serde_json::Map<String, serde_json::Value>) -> Node {
        let entry = |(key, value): (&String, _)| TableEntry {
            key: key.clone(),
            key_span: None,
            node: Node::from(value),
        };
        Node { span: None, value: Value::Table(map.iter().map(entry).collect()) }
    }
}

/// Returns the texts of a list; a single text is a list of one.
pub(super) fn texts(node: &Node) -> Vec<Text> {
    let alone = node.text().into_iter();
    alone.chain(node.items().iter().filter_map(Node::text)).map(Text::from).collect()
}

/// Deserialises a field; a value that does not fit gives the default, because the check reports it.
pub fn lenient<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(
    from: D,
) -> Result<T, D::Error> {
    Ok(T::deserialize(from).unwrap_or_default())
}

/// Returns the path of a key within a table.
pub fn join(path: &str, key: &str) -> String {
    if path.is_empty() { key.to_owned() } else { format!("{path}.{key}") }
}

/// A short form of a value, or its long form.
#[derive(Clone, Debug, serde::Deserialize)]
#[serde(untagged)]
pub enum Or<S, L> {
    /// The short form.
    Short(S),
    /// The long form.
    Long(L),
}

/// A value with its path, such as `participant[2].lines`, for faults.
#[derive(Clone, Debug)]
pub struct At<'n> {
    /// The value; for a missing key, a value of no kind.
    pub node: &'n Node,
    /// Place that a fault points at: the value, or the name of its key.
    pub span: &'n Span,
    /// Dotted path from the root, with the items of lists counted from 1.
    pub path: String,
}

impl<'n> At<'n> {
    /// Returns the whole file.
    pub fn root(node: &'n Node) -> At<'n> {
        At { node, span: &node.span, path: String::new() }
    }

    /// Returns the value under a key of a table.
    pub fn get(&self, key: &str) -> Option<At<'n>> {
        self.node.get(key).map(|node| At { node, span: &node.span, path: join(&self.path, key) })
    }

    /// Returns the text under a key of a table.
    pub fn word(&self, key: &str) -> Option<&'n str> {
        self.node.get(key)?.text()
    }

    /// Returns the value under a key, or else the place of the missing key: faults point at the table.
    pub fn place(&self, key: &str) -> At<'n> {
        static MISSING: Node = Node { span: None, value: Value::Other("nothing") };
        let path = join(&self.path, key);
        self.get(key).unwrap_or(At { node: &MISSING, span: self.span, path })
    }

    /// Returns the entries of a table; faults point at their keys.
    pub fn entries(&self) -> impl Iterator<Item = (&'n str, At<'n>)> + use<'n> {
        let path = self.path.clone();
        self.node.entries().iter().map(move |entry| {
            let path = join(&path, &entry.key);
            (&*entry.key, At { node: &entry.node, span: &entry.key_span, path })
        })
    }

    /// Returns the entries of a table; faults point at their values.
    pub fn values(&self) -> impl Iterator<Item = (&'n str, At<'n>)> + use<'n> {
        self.entries().map(|(key, at)| (key, at.value()))
    }

    /// Returns the entries with one of these keys.
    pub fn among(&self, keys: &[&str]) -> impl Iterator<Item = (&'n str, At<'n>)> {
        self.entries().filter(|(key, _)| keys.contains(key))
    }

    /// Returns the same value, with faults that point at it and not at its key.
    pub fn value(self) -> At<'n> {
        At { span: &self.node.span, ..self }
    }

    /// Returns the items of a list.
    pub fn items(&self) -> impl Iterator<Item = At<'n>> + use<'n> {
        let path = self.path.clone();
        let item = move |(i, node): (usize, &'n Node)| At {
            node,
            span: &node.span,
            path: format!("{path}[{}]", i + 1),
        };
        self.node.items().iter().enumerate().map(item)
    }

    /// Returns the items of a list, each with the path of the list; another value is a list of one.
    pub fn each(&self) -> impl Iterator<Item = At<'n>> + use<'n> {
        let path = self.path.clone();
        let nodes = match &self.node.value {
            Value::List(items) => items,
            _ => std::slice::from_ref(self.node),
        };
        nodes.iter().map(move |node| At { node, span: &node.span, path: path.clone() })
    }

    /// Returns the items of the list under a key.
    pub fn list(&self, key: &str) -> impl Iterator<Item = At<'n>> + use<'n> {
        self.get(key).into_iter().flat_map(|list| list.items())
    }

    /// Returns the text; empty for other values.
    pub fn text(&self) -> &'n str {
        self.node.text().unwrap_or_default()
    }
}
