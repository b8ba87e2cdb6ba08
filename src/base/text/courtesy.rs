//! Thanks and farewells: text that prolongs a conversation without content.
//!
//! A list of English words and a few others; text in another language counts as content.

use unicode_segmentation::UnicodeSegmentation;

/// Maximum length of a courtesy, in words.
const COURTESY_MOST: usize = 45;
/// Minimum share of courteous words, in percent.
const COURTESY_SHARE: usize = 70;
/// Words that each make a text courteous.
const MARKS: &[&str] = &crate::strings![
    "thank" "thanks" "thankful" "welcome" "goodbye" "bye" "farewell" "appreciate" "appreciated"
    "grateful" "gratitude" "likewise" "pleasure" "cheers" "danke" "merci" "gracias"
];
/// Common words around them.
const AROUND: &[&str] = &crate::strings![
    "a" "again" "all" "and" "are" "as" "at" "be" "been" "best" "both" "care" "chat" "continue"
    "conversation" "conversations" "day" "dear" "delightful" "discussion" "enjoy" "enjoyed"
    "enriching" "everyone" "for" "forward" "friend" "from" "fruitful" "future" "glad" "good"
    "great" "happy" "have" "here" "hope" "i" "i'm" "indeed" "insight" "insightful" "insights"
    "inspiring" "is" "it" "it's" "kind" "kindness" "looking" "lovely" "luck" "may" "me" "mine"
    "more" "most" "much" "my" "next" "nice" "of" "our" "perspective" "perspectives" "please"
    "privilege" "productive" "see" "sharing" "so" "soon" "such" "take" "talk" "talking"
    "thoughtful" "thoughts" "time" "to" "today" "too" "true" "truly" "until" "very" "was" "we"
    "week" "well" "wish" "wishes" "wishing" "with" "wonderful" "words" "you" "you're" "your"
    "yours"
];

/// Returns whether a text contains only thanks or farewells.
pub fn is_courtesy(text: &str) -> bool {
    if text.contains('?') {
        return false;
    }
    // a longer text is not read to its end; each part between spaces with a letter counts as a word
    let mut spaced = text.split_whitespace().filter(|w| w.contains(char::is_alphanumeric));
    if spaced.nth(COURTESY_MOST).is_some() {
        return false;
    }
    let words: Vec<String> = text.unicode_words().take(COURTESY_MOST + 1).map(plain).collect();
    if words.len() > COURTESY_MOST {
        return false;
    }
    let marked = words.iter().filter(|word| MARKS.contains(&word.as_str())).count();
    if marked == 0 {
        return false;
    }
    let around = words.iter().filter(|word| AROUND.contains(&word.as_str())).count();
    (marked + around) * 100 >= words.len() * COURTESY_SHARE
}

fn plain(word: &str) -> String {
    word.to_lowercase().replace('\u{2019}', "'")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn courtesy_has_nothing_to_say() {
        for text in [
            "Thank you so much! It was a pleasure.",
            "You're welcome, and thank you for your thoughtful words. Take care!",
            "Goodbye, and best wishes to you all.",
        ] {
            assert!(is_courtesy(text), "{text}");
        }
        for text in [
            "Thank you, Bo. Then who pays for the loading bay?",
            "Thanks to the pump, the cellar was dry by nine and the bill was three times the usual.",
            "I agree with you.",
            "",
        ] {
            assert!(!is_courtesy(text), "{text}");
        }
    }
}
