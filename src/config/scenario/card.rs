//! Character cards (V1 to V3) as participants: JSON, or PNG with the JSON in a text chunk.
//!
//! A card fills the keys that its participant lacks: name, alias, persona. Its book becomes `[[lore]]` that this
//! participant alone sees. Cards are downloads: their text is data, and no template of theirs runs.

use super::check::Walk;
use super::fault::Gravity;
use super::seat::id_of;
use super::tree::{At, Node, TableEntry, Value};
use crate::expr::{card_text, unknown_macros};
use crate::{text, untrusted};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value as Json, json};
use std::io::{self, Cursor, Read};
use std::path::Path;

/// Key of a participant with the file of its card.
const CARD: &str = "card";
/// Maximum size of a card, in bytes.
const BYTES_MAX: u64 = 8 << 20;
/// First bytes of a PNG file.
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n";
/// Keywords of the text chunks with a card, the newest version first.
const CHUNKS: [&str; 2] = ["ccv3", "chara"];
/// Maximum bytes of the examples in a persona: about 400 tokens.
const EXAMPLES_MAX: usize = 1_600;
/// Maximum number of entries of a book.
const BOOK_MAX: usize = 100;

#[derive(Clone, Debug, PartialEq)]
pub struct CharacterCard(Json);

impl CharacterCard {
    /// Reads a card.
    ///
    /// # Errors
    /// The error of the operating system, or [`io::ErrorKind::InvalidData`] if the file is not a card.
    pub fn read(path: &Path) -> io::Result<CharacterCard> {
        let mut bytes = vec![];
        untrusted::open(path)?.take(BYTES_MAX + 1).read_to_end(&mut bytes)?;
        let why =
            "it is not a character card: JSON, or PNG with `ccv3` or `chara`, of at most 8 MiB";
        let found = if bytes.len() as u64 > BYTES_MAX { None } else { CharacterCard::find(&bytes) };
        found.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, why))
    }

    /// Returns the card in the bytes of a file.
    pub fn find(bytes: &[u8]) -> Option<CharacterCard> {
        let json = if bytes.starts_with(PNG) { json_of_png(bytes)? } else { bytes.to_vec() };
        let json = text::decode(json).text;
        let mut json: Json = serde_json::from_str(&text::without_lone_surrogates(&json)).ok()?;
        // the first version has its keys at the top
        if json["data"].is_object() {
            json = json["data"].take();
        }
        let is_card =
            ["first_mes", "description", "personality"].iter().any(|k| json[k].is_string());
        (is_card && json["name"].is_string()).then_some(CharacterCard(json))
    }

    pub fn name(&self) -> String {
        self.text("name").split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Returns the lines of a scenario that seat the card of a file.
    pub fn lines(&self, file: &str) -> String {
        let id = id_of(&self.name());
        let id = if id.is_empty() { "guest" } else { &id };
        format!("[[participant]]\nid = {id:?}\ncard = {file:?}\n")
    }

    fn text(&self, key: &str) -> &str {
        self.0[key].as_str().unwrap_or_default().trim()
    }

    /// Returns the entries of the book that its author has not turned off, and whether each is used.
    fn entries(&self) -> impl Iterator<Item = (&Json, bool)> {
        let entries = self.0["character_book"]["entries"].as_array().into_iter().flatten();
        let mut left = BOOK_MAX;
        entries.filter(|entry| entry["enabled"] != false).map(move |entry| {
            let is_used = left > 0
                && entry["use_regex"] != true
                && !texts(&entry["content"]).is_empty()
                && (entry["constant"] == true || !texts(&entry["keys"]).is_empty());
            left -= usize::from(is_used);
            (entry, is_used)
        })
    }

    /// Returns the entries of the book that are used.
    fn book(&self) -> impl Iterator<Item = &Json> {
        self.entries().filter(|(_, is_used)| *is_used).map(|(entry, _)| entry)
    }

    /// Names the parts that no participant gets; empty if there are none.
    pub fn left_out(&self) -> String {
        let greetings = ["alternate_greetings", "group_only_greetings"];
        let greetings: usize = greetings.iter().map(|key| texts(&self.0[key]).len()).sum();
        let unused = |is_pattern: bool| {
            let unused = self.entries().filter(|(_, is_used)| !is_used);
            unused.filter(|(entry, _)| (entry["use_regex"] == true) == is_pattern).count()
        };
        let has_second = |entry: &&Json| {
            entry["selective"] != false && !texts(&entry["secondary_keys"]).is_empty()
        };
        let seconds = self.book().filter(has_second).count();
        let after = "instructions after the conversation";
        let counts = [
            (greetings, "alternate greeting", "alternate greetings"),
            (unused(true), "book entry with a pattern", "book entries with patterns"),
            (
                unused(false),
                "book entry without words or after the 100th",
                "book entries without words or after the 100th",
            ),
            (seconds, "second condition of a book entry", "second conditions of book entries"),
            (usize::from(!texts(&self.0["post_history_instructions"]).is_empty()), after, after),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let named = counts
            .map(|(count, one, all)| format!("{count} {}", if count == 1 { one } else { all }));
        named.collect::<Vec<_>>().join(", ")
    }

    /// Returns the persona, with the macros of cards.
    fn persona(&self) -> String {
        let mut parts = vec![format!("You are {}.", self.name())];
        for (key, head) in [
            ("description", ""),
            ("personality", "Your personality: "),
            ("scenario", "The scene: "),
            ("system_prompt", ""),
        ] {
            parts.extend((!self.text(key).is_empty()).then(|| format!("{head}{}", self.text(key))));
        }
        let constant = self.book().filter(|entry| entry["constant"] == true);
        parts.extend(constant.filter_map(|entry| entry["content"].as_str().map(str::to_owned)));
        let examples = self.text("mes_example").replace("<START>", "");
        let end = examples.floor_char_boundary(EXAMPLES_MAX);
        let cut = examples.get(..end).unwrap_or_default();
        // a cut example ends with a whole line
        let cut =
            if end < examples.len() { cut.rsplit_once('\n').map_or(cut, |c| c.0) } else { cut };
        if !cut.trim().is_empty() {
            parts.push(format!("Examples of how you speak:\n{}", cut.trim()));
        }
        if !self.text("first_mes").is_empty() {
            parts.push(format!("If you speak first, begin like this:\n{}", self.text("first_mes")));
        }
        parts.join("\n\n")
    }

    /// Returns the keys of the participant.
    fn keys(&self) -> Json {
        let mut keys = json!({"name": self.name(), "persona": card_text(&self.persona(), None)});
        let alias = self.text("nickname");
        if !alias.is_empty() && alias != self.name() {
            keys["aliases"] = json!([alias]);
        }
        keys
    }

    /// Returns the entries of the book that wait for a word, for the participant with an id.
    fn lore(&self, id: &str, name: &str) -> Vec<Node> {
        let entry = |entry: &Json| {
            let text = card_text(entry["content"].as_str().unwrap_or_default(), Some(name));
            Node::from(&json!({"keys": texts(&entry["keys"]), "text": text, "who": [id]}))
        };
        self.book().filter(|entry| entry["constant"] != true).map(entry).collect()
    }
}

/// Returns the words in a text or a list of texts.
fn texts(value: &Json) -> Vec<&str> {
    let all = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    all.iter().filter_map(Json::as_str).map(str::trim).filter(|text| !text.is_empty()).collect()
}

/// Returns the JSON in the text chunks of a picture, of which the newest version counts.
fn json_of_png(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.ignore_checksums(true);
    let mut reader = decoder.read_info().ok()?;
    // many programs write the text behind the picture; a file that is cut has it in front, if at all
    let _ = reader.finish();
    let info = reader.info();
    let plain = info.uncompressed_latin1_text.iter().map(|c| (&c.keyword, Ok(c.text.clone())));
    let packed = info.compressed_latin1_text.iter().map(|c| (&c.keyword, c.get_text()));
    let wide = info.utf8_text.iter().map(|c| (&c.keyword, c.get_text()));
    let texts: Vec<_> = plain.chain(packed).chain(wide).collect();
    let (_, text) = CHUNKS.iter().find_map(|word| texts.iter().find(|(key, _)| key == word))?;
    BASE64_STANDARD.decode(text.as_ref().ok()?.trim()).ok()
}

/// Fills the participants of a scenario with the keys of their cards, which lie beside the scenario.
pub(super) fn seat_cards(walk: &mut Walk<'_>, root: &mut Node, folder: &Path) {
    let mut lore = vec![];
    let Value::Table(entries) = &mut root.value else { return };
    for entry in entries.iter_mut().filter(|entry| entry.key == "participant") {
        let Value::List(seats) = &mut entry.node.value else { continue };
        for (n, seat) in (1..).zip(seats) {
            lore.extend(seat_card(walk, seat, &format!("participant[{n}].{CARD}"), folder));
        }
    }
    if lore.is_empty() {
        return;
    }
    if let Some(known) = entries.iter_mut().find(|entry| entry.key == "lore") {
        let Value::List(all) = &mut known.node.value else { return };
        all.extend(lore);
        return;
    }
    let node = Node { span: None, value: Value::List(lore) };
    entries.push(TableEntry { key: "lore".into(), key_span: None, node });
}

/// Fills one participant, and returns the lore of its card.
fn seat_card(walk: &mut Walk<'_>, seat: &mut Node, path: &str, folder: &Path) -> Vec<Node> {
    let Some(named) = seat.get(CARD).cloned() else { return vec![] };
    let at = At { node: &named, span: &named.span, path: path.to_owned() };
    // a value of another kind is reported with the other keys
    let Some(file) = named.text() else { return vec![] };
    let card = match CharacterCard::read(&folder.join(file)) {
        Ok(card) => card,
        Err(e) => {
            let fix = "name a card beside this file, as in card = \"iris.png\"";
            walk.fault(&at, format!("cannot be read: {e}"), fix);
            return vec![];
        }
    };
    let book = card.book().filter_map(|entry| entry["content"].as_str());
    // statements are text here, and no reason to leave the macros alone
    let words = book.chain([&*card.persona()]).collect::<Vec<_>>().join("\n").replace("{%", "{ ");
    let mut unknown: Vec<&str> =
        unknown_macros(&words).into_iter().filter_map(|range| words.get(range)).collect();
    unknown.sort_unstable();
    unknown.dedup();
    for (left_out, fix) in [
        (
            unknown.join(", "),
            "of the macros of character cards, {{char}} and {{user}} are replaced",
        ),
        (card.left_out(), "write them into the persona or [[lore]] of this file if they matter"),
    ] {
        if !left_out.is_empty() {
            let message = format!("left out of the card: {left_out}");
            walk.report(Gravity::Warning, at.span, &at.path, message, fix);
        }
    }
    let id = seat.get("id").and_then(Node::text).map_or_else(|| id_of(&card.name()), str::to_owned);
    let name = seat.get("name").and_then(Node::text).map_or_else(|| card.name(), str::to_owned);
    let mut keys = card.keys();
    keys["id"] = id.clone().into();
    let Value::Table(own) = &mut seat.value else { return vec![] };
    own.retain(|entry| entry.key != CARD);
    for entry in Node::from(&keys).entries() {
        if own.iter().all(|known| known.key != entry.key) {
            own.push(TableEntry { key_span: named.span.clone(), ..entry.clone() });
        }
    }
    card.lore(&id, &name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Loaded, load, read};
    use std::fs;

    /// Returns a PNG with text behind its picture, in chunks of a kind.
    fn png(kind: &str, chunks: &[(&str, &Json)]) -> Vec<u8> {
        use png::text_metadata::{ITXtChunk, TEXtChunk, ZTXtChunk};
        let mut all = vec![];
        let mut encoder = png::Encoder::new(&mut all, 1, 1);
        encoder.set_color(png::ColorType::Grayscale);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&[7]).unwrap();
        for (word, json) in chunks {
            let text = BASE64_STANDARD.encode(json.to_string());
            match kind {
                "tEXt" => writer.write_text_chunk(&TEXtChunk::new(*word, text)),
                "zTXt" => writer.write_text_chunk(&ZTXtChunk::new(*word, text)),
                _ => writer.write_text_chunk(&ITXtChunk::new(*word, text)),
            }
            .unwrap();
        }
        writer.finish().unwrap();
        all
    }

    fn loaded(card: &[u8], more: &str) -> Result<Loaded, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("iris.card"), card).unwrap();
        let path = folder.path().join("talk.toml");
        let text = format!("title = \"T\"\n[[participant]]\ncard = \"iris.card\"\n{more}");
        fs::write(&path, text).unwrap();
        load(&read(&path).unwrap(), &[]).map_err(|faults| faults.to_string())
    }

    fn iris() -> Json {
        json!({"spec": "chara_card_v3", "spec_version": "3.0", "data": {
            "name": "Iris", "nickname": "Iri", "description": "{{char}} keeps the {% lighthouse %} for {{user}}.",
            "first_mes": "The lamp is lit, {{user}}.", "mes_example": "<START>\n{{char}}: Ah.\n",
            "system_prompt": "{{original}} Speak {{random::low::slow}}.",
            "alternate_greetings": ["Hm.", "Ah."],
            "character_book": {"entries": [
                {"keys": ["lamp"], "content": "{{char}}'s lamp is from 1927.", "enabled": true,
                    "secondary_keys": ["old"], "selective": true},
                {"keys": [], "content": "no keys", "enabled": true},
                {"keys": ["x"], "content": "off", "enabled": false},
                {"keys": ["/y/"], "content": "pattern", "enabled": true, "use_regex": true},
                {"keys": [], "content": "It always rains.", "constant": true, "enabled": true},
            ]},
        }})
    }

    #[test]
    fn a_card_fills_the_keys_that_its_participant_lacks() {
        let old = json!({"name": "Old", "description": "old", "first_mes": "", "personality": ""});
        let both = ["tEXt", "zTXt", "iTXt"].map(|k| png(k, &[("chara", &old), ("ccv3", &iris())]));
        for card in both.into_iter().chain([iris().to_string().into_bytes()]) {
            let loaded = loaded(&card, "model = \"a:b\"\n").unwrap();
            let seat = &loaded.participants[0];
            assert_eq!((&*seat.id.0, &*seat.name), ("iris", "Iris"));
            assert_eq!(seat.aliases, ["Iri".into()]);
            let persona = seat.persona.as_deref().unwrap();
            let begin =
                "You are Iris.\n\n{{ me.name }} keeps the {{ '{%' }} lighthouse %} for the host.";
            assert!(persona.starts_with(begin), "{persona}");
            assert!(
                persona.contains("\n\nIt always rains.\n\nExamples of how you speak:\n"),
                "{persona}"
            );
            assert!(persona.ends_with("begin like this:\nThe lamp is lit, the host."), "{persona}");
            assert!(!persona.contains("random"), "{persona}");
            let lore = &loaded.scenario.lore;
            assert_eq!((lore.len(), &*lore[0].text), (1, "Iris's lamp is from 1927."));
            assert_eq!((&*lore[0].keys[0], &*lore[0].who[0]), ("lamp", "iris"));
            let warned = loaded.warnings.to_string();
            assert!(warned.contains("left out of the card: {{random::low::slow}}"), "{warned}");
            let parts = "2 alternate greetings, 1 book entry with a pattern, \
                1 book entry without words or after the 100th, 1 second condition of a book entry";
            assert!(warned.contains(&format!("left out of the card: {parts}")), "{warned}");
        }
        let first =
            loaded(old.to_string().as_bytes(), "name = \"Ann\"\npersona = \"Mine.\"\n").unwrap();
        let seat = &first.participants[0];
        assert_eq!((&*seat.name, seat.persona.as_deref()), ("Ann", Some("Mine.")));
    }

    #[test]
    fn another_file_is_a_fault_of_its_key() {
        let cut = &png("tEXt", &[("chara", &iris())])[..90];
        for bytes in [b"{}".as_slice(), b"\x89PNG\r\n\x1a\n\xff\xff\xff\xff", cut, b"[[[[", b""] {
            let why = loaded(bytes, "").err().unwrap();
            assert!(
                why.contains("participant[1].card") && why.contains("not a character card"),
                "{why}"
            );
        }
        let joining = json!({"id": "a", "name": "A", "card": "iris.png"});
        let faults = crate::scenario::participant(&joining).unwrap_err();
        assert!(faults[0].to_string().contains("card: is for files"), "{}", faults[0]);
        let why = load(
            &read_text("title = \"T\"\n[[participant]]\nid = \"a\"\ncard = \"none.png\"\n"),
            &[],
        );
        assert!(why.unwrap_err().to_string().contains("cannot be read"));
    }

    fn read_text(text: &str) -> crate::scenario::Source {
        crate::scenario::Source { name: "t.toml".into(), text: text.into(), settings: vec![] }
    }
}
