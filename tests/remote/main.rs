//! Promises of the language-model voice, kept against a server that can do anything a server can do wrong.

mod call;
mod real;
