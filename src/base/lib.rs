//! Vocabulary of events and commands, expressions, terminal filter, clock.

#[cfg(not(unix))]
compile_error!("colloquium needs the processes, signals and terminals of Unix");

pub mod aggregate;
pub mod clock;
pub mod expr;
pub mod model;
pub mod own_file;
pub mod shared;
pub mod stats;
pub mod text;
pub mod untrusted;
pub mod workers;

/// Declares an enum whose values have one spelling each: `ALL`, the values in their order, and a function that returns
/// the spelling.
#[macro_export]
macro_rules! words {
    ($(#[$meta:meta])* $vis:vis enum $name:ident { $($(#[$note:meta])* $value:ident = $word:literal,)+ }
     $(#[$doc:meta])* fn $spelling:ident()) => {
        $(#[$meta])*
        $vis enum $name { $($(#[$note])* $value,)+ }
        impl $name {
            /// Every value, in order.
            $vis const ALL: [$name; [$($word),+].len()] = [$($name::$value),+];
            $(#[$doc])*
            $vis const fn $spelling(self) -> &'static str {
                match self { $($name::$value => $word),+ }
            }
        }
    };
}

/// Makes an array of strings. Without commas, so that a long list of words is written in rows.
#[macro_export]
macro_rules! strings {
    ($($string:literal)+) => {
        [$($string),+]
    };
}
