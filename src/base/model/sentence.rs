//! Errors that are one sentence, for a person or for the log.

/// Defines an error type that holds a sentence. Code can show or log it, but not react to its text.
#[macro_export]
macro_rules! sentence_error {
    ($(#[$doc:meta])* $vis:vis struct $name:ident;) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
        #[error("{0}")]
        $vis struct $name(String);

        impl From<String> for $name {
            fn from(sentence: String) -> $name {
                $name(sentence)
            }
        }

        impl From<&str> for $name {
            fn from(sentence: &str) -> $name {
                $name(sentence.into())
            }
        }

        impl From<$name> for String {
            fn from(error: $name) -> String {
                error.0
            }
        }

        impl From<$name> for $crate::model::Text {
            fn from(error: $name) -> $crate::model::Text {
                error.0.into()
            }
        }
    };
}

pub use sentence_error;
