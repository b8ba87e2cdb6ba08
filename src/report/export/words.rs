//! Renders a speaker's Markdown as HTML: emphasis, lists, code, tables, links, and no active content.
//!
//! HTML tags are shown as text and images as their description. A link leads to a web or mail address; any other is
//! inactive. Headings are smaller than those of the page.

use super::markup::escaped;
use crate::text;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use std::ops::Range;

/// Permitted schemes of links.
const SCHEMES: &[&str] = &["https://", "http://", "mailto:"];

/// A message as HTML, with the source range of each part of its text.
#[derive(Default)]
pub(super) struct Rendered {
    /// HTML that is safe in the page.
    pub html: String,
    /// Parts of the text, in order.
    spans: Vec<Span>,
}

/// A part of the rendered text.
struct Span {
    /// Range of its source, in bytes.
    source: Range<usize>,
    /// The text as rendered.
    text: String,
    /// Number of visible characters before it.
    before: usize,
}

impl Rendered {
    fn push(&mut self, words: &str, raw: &str, range: Range<usize>) {
        let text = text::block(words).into_owned();
        let before = self.spans.last().map_or(0, |last| last.before + visible(&last.text));
        self.html.push_str(&escaped(&text));
        // without the marks around it, such as those of code
        let verbatim = raw.get(range.clone()).and_then(|source| source.find(&text));
        let source = verbatim.map_or(range.clone(), |at| {
            let from = range.start + at;
            from..from + text.len()
        });
        self.spans.push(Span { source, text, before });
    }

    /// Returns the number of visible characters that the first bytes of the source render. `bytes` is the end of a
    /// character.
    pub fn visible_in(&self, bytes: usize) -> usize {
        let at = self.spans.partition_point(|span| span.source.start < bytes);
        let Some(span) = at.checked_sub(1).and_then(|at| self.spans.get(at)) else { return 0 };
        if bytes >= span.source.end {
            return span.before + visible(&span.text);
        }
        if span.text.len() != span.source.len() {
            return span.before;
        }
        let part = span.text.get(..bytes - span.source.start).unwrap_or_default();
        span.before + visible(part)
    }
}

/// Returns the number of characters other than white space, as a page counts them: in units of UTF-16.
pub(super) fn visible(text: &str) -> usize {
    text.chars().filter(|c| *c > ' ').map(char::len_utf16).sum()
}

/// Returns Markdown as HTML that is safe in the page.
pub(super) fn render(raw: &str) -> Rendered {
    let safe = text::block(raw);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut rendered = Rendered::default();
    for (event, range) in Parser::new_ext(&safe, options).into_offset_iter() {
        let out = &mut rendered.html;
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                if leads_out(&dest_url) {
                    out.push_str(&format!("<a href=\"{}\">", escaped(&dest_url)))
                } else {
                    out.push_str("<a>")
                }
            }
            Event::Start(Tag::List(Some(first))) => {
                let mark = safe.get(range).and_then(|list| list.split_inclusive(['.', ')']).next());
                let closes = mark.is_some_and(|mark| mark.ends_with(')'));
                let class = if closes { " class=\"closed\"" } else { "" };
                out.push_str(&format!("<ol start=\"{first}\"{class}>"));
            }
            Event::Start(tag) => elements(tag.to_end()).iter().for_each(|name| {
                out.push_str(&format!("<{name}>"));
            }),
            Event::End(tag) => {
                elements(tag).iter().rev().for_each(|name| out.push_str(&format!("</{name}>")));
                if ends_line(tag) {
                    out.push('\n');
                }
            }
            Event::Text(words)
            | Event::Html(words)
            | Event::InlineHtml(words)
            | Event::InlineMath(words)
            | Event::DisplayMath(words)
            | Event::FootnoteReference(words) => rendered.push(&words, &safe, range),
            Event::Code(code) => {
                out.push_str("<code>");
                rendered.push(&code, &safe, range);
                rendered.html.push_str("</code>");
            }
            // line breaks are intentional, as on the screen
            Event::SoftBreak | Event::HardBreak => out.push_str("<br>\n"),
            Event::Rule => out.push_str("<hr>\n"),
            Event::TaskListMarker(done) => {
                rendered.push(if done { "[x] " } else { "[ ] " }, &safe, range);
            }
        }
    }
    rendered
}

fn leads_out(address: &str) -> bool {
    let lower = address.to_ascii_lowercase();
    SCHEMES.iter().any(|scheme| lower.starts_with(scheme))
}

/// Returns the elements for a Markdown tag, outermost first.
fn elements(tag: TagEnd) -> &'static [&'static str] {
    match tag {
        TagEnd::Paragraph => &["p"],
        TagEnd::Heading(_) => &["h4"],
        TagEnd::BlockQuote(_) => &["blockquote"],
        TagEnd::CodeBlock => &["pre", "code"],
        TagEnd::List(true) => &["ol"],
        TagEnd::List(false) => &["ul"],
        TagEnd::Item => &["li"],
        TagEnd::Table => &["table"],
        TagEnd::TableHead | TagEnd::TableRow => &["tr"],
        TagEnd::TableCell => &["td"],
        TagEnd::Emphasis => &["em"],
        TagEnd::Strong => &["strong"],
        TagEnd::Strikethrough => &["del"],
        TagEnd::Link => &["a"],
        TagEnd::HtmlBlock => &["p"],
        // the description of an image is part of the text; the other extensions are not enabled
        _ => &[],
    }
}

fn ends_line(tag: TagEnd) -> bool {
    let within =
        [TagEnd::Emphasis, TagEnd::Strong, TagEnd::Strikethrough, TagEnd::Link, TagEnd::Image];
    !within.contains(&tag)
}

#[cfg(test)]
mod tests {
    use super::{render, visible};

    #[test]
    fn markdown_is_shown_and_nothing_in_it_acts() {
        for (words, page) in [
            ("a **b** *c* `d<`", "<p>a <strong>b</strong> <em>c</em> <code>d&lt;</code></p>\n"),
            ("# head", "<h4>head</h4>\n"),
            ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
            ("3. a\n4. b", "<ol start=\"3\"><li>a</li>\n<li>b</li>\n</ol>\n"),
            (
                "1) a. b\n2) c",
                "<ol start=\"1\" class=\"closed\"><li>a. b</li>\n<li>c</li>\n</ol>\n",
            ),
            ("- a\n- b", "<ul><li>a</li>\n<li>b</li>\n</ul>\n"),
            ("```rust\na < b\n```", "<pre><code>a &lt; b\n</code></pre>\n"),
            ("<b onclick=x>y</b>", "<p>&lt;b onclick=x&gt;y&lt;/b&gt;</p>\n"),
            ("[x](javascript:run)", "<p><a>x</a></p>\n"),
            ("[x](https://a.b/\"c)", "<p><a href=\"https://a.b/&quot;c\">x</a></p>\n"),
            ("![picture](https://a.b/c.png)", "<p>picture</p>\n"),
            ("a&#x1b;[31m&#x202e;b", "<p>a␛[31m&lt;U+202E&gt;b</p>\n"),
        ] {
            assert_eq!(render(words).html, page, "{words}");
        }
    }

    /// A prefix of the source renders a prefix of the text, and never more than its own visible characters.
    #[test]
    fn each_prefix_of_the_source_has_its_count_of_rendered_characters() {
        let source = "a **bold** `c<d`\n\n- één 🙂\n- [x](https://a.b) &amp; e\n\n```\nf g\n```\n";
        let rendered = render(source);
        let ends = source.char_indices().map(|(at, c)| at + c.len_utf8());
        let counts: Vec<usize> = ends.map(|end| rendered.visible_in(end)).collect();
        assert!(counts.is_sorted(), "{counts:?}");
        assert_eq!(counts.last(), Some(&visible("abold c<d één🙂 x& e f g")));
        for (prefix, shown) in
            [("a **bo", "abo"), ("a **bold** `c", "aboldc"), ("a **bold** `c<d`", "aboldc<d")]
        {
            assert_eq!(rendered.visible_in(prefix.len()), visible(shown), "{prefix}");
        }
    }
}
