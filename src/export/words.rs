//! Renders a speaker's Markdown as HTML: emphasis, lists, code, tables, links, and no active content.
//!
//! HTML tags are shown as text and images as their description. A link leads to a web or mail address; any other is
//! inactive. Headings are smaller than those of the page.

use super::markup::escaped;
use crate::text;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// Permitted schemes of links.
const SCHEMES: &[&str] = &["https://", "http://", "mailto:"];

/// Returns Markdown as HTML that is safe in the page.
pub(super) fn html(raw: &str) -> String {
    let safe = text::block(raw);
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
    let mut out = String::with_capacity(safe.len() * 2);
    for event in Parser::new_ext(&safe, options) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                if leads_out(&dest_url) {
                    out.push_str(&format!("<a href=\"{}\">", escaped(&dest_url)))
                } else {
                    out.push_str("<a>")
                }
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
            | Event::FootnoteReference(words) => out.push_str(&escaped(&words)),
            Event::Code(code) => out.push_str(&format!("<code>{}</code>", escaped(&code))),
            // line breaks are intentional, as on the screen
            Event::SoftBreak | Event::HardBreak => out.push_str("<br>\n"),
            Event::Rule => out.push_str("<hr>\n"),
            Event::TaskListMarker(done) => out.push_str(if done { "[x] " } else { "[ ] " }),
        }
    }
    out
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
        TagEnd::Image
        | TagEnd::FootnoteDefinition
        | TagEnd::DefinitionList
        | TagEnd::DefinitionListTitle
        | TagEnd::DefinitionListDefinition
        | TagEnd::Superscript
        | TagEnd::Subscript
        | TagEnd::MetadataBlock(_) => &[],
    }
}

fn ends_line(tag: TagEnd) -> bool {
    let within =
        [TagEnd::Emphasis, TagEnd::Strong, TagEnd::Strikethrough, TagEnd::Link, TagEnd::Image];
    !within.contains(&tag)
}

#[cfg(test)]
mod tests {
    use super::html;

    #[test]
    fn markdown_is_shown_and_nothing_in_it_acts() {
        for (words, page) in [
            ("a **b** *c* `d<`", "<p>a <strong>b</strong> <em>c</em> <code>d&lt;</code></p>\n"),
            ("# head", "<h4>head</h4>\n"),
            ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
            ("- a\n- b", "<ul><li>a</li>\n<li>b</li>\n</ul>\n"),
            ("```rust\na < b\n```", "<pre><code>a &lt; b\n</code></pre>\n"),
            ("<b onclick=x>y</b>", "<p>&lt;b onclick=x&gt;y&lt;/b&gt;</p>\n"),
            ("[x](javascript:run)", "<p><a>x</a></p>\n"),
            ("[x](https://a.b/\"c)", "<p><a href=\"https://a.b/&quot;c\">x</a></p>\n"),
            ("![picture](https://a.b/c.png)", "<p>picture</p>\n"),
            ("a&#x1b;[31m&#x202e;b", "<p>a␛[31m&lt;U+202E&gt;b</p>\n"),
        ] {
            assert_eq!(html(words), page, "{words}");
        }
    }
}
