//! JSON-RPC 2.0 over lines, as in the Agent Client Protocol and the Model Context Protocol: bytes in, messages out.
//!
//! It accepts bytes in arbitrary pieces, limits the length of every line before parsing it, and is independent of
//! methods, processes and sockets. The other side may be hostile: an invalid message is a fault, never a guess.

use serde_json::{Map, Value, json};

/// Maximum length of a line in bytes.
pub const LINE_MAX: usize = 4 << 20;
/// Maximum number of JSON values in a line: lists, objects and their contents. Each takes many times its bytes once it
/// is parsed.
pub const VALUES_MAX: usize = 50_000;
/// Maximum characters of a line in a fault.
const SHOWN_MAX: usize = 80;

/// JSON-RPC error code: unknown method.
pub const NO_METHOD: i64 = -32601;
/// JSON-RPC error code: invalid parameters.
pub const BAD_PARAMS: i64 = -32602;
/// JSON-RPC error code: invalid message.
pub const NO_MESSAGE: i64 = -32600;
/// JSON-RPC error code: no JSON.
const NO_JSON: i64 = -32700;

/// Message, in either direction.
#[derive(Clone, Debug, PartialEq)]
pub enum RpcMessage {
    /// A request; the answer has the same id.
    Request {
        /// Id chosen by the sender: text or a number.
        id: Value,
        /// Name of the method.
        method: String,
        /// Parameters; null if absent.
        params: Value,
    },
    /// A notification, which has no answer.
    Notice {
        /// Name of the method.
        method: String,
        /// Parameters; null if absent.
        params: Value,
    },
    /// Answer to a request.
    Answer {
        /// Id of the request.
        id: Value,
        result: Result<Value, RpcError>,
    },
}

/// Error returned by the other side.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{message} ({code})")]
pub struct RpcError {
    /// Error code of JSON-RPC.
    pub code: i64,
    /// Error message, untrusted.
    pub message: String,
}

/// Reason why bytes cannot be read as messages.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RpcFault {
    /// The line is too long.
    #[error("wrote a line of more than {} MiB", LINE_MAX >> 20)]
    TooLong,
    /// The line has too many values.
    #[error("wrote a line of more than {VALUES_MAX} values")]
    TooMany,
    /// The line is not a JSON-RPC message; contains its beginning.
    #[error("wrote a line that is not a JSON-RPC message: {0}")]
    NoMessage(String),
    /// The line is not JSON; contains its beginning.
    #[error("wrote a line that is not JSON: {0}")]
    NoJson(String),
}

impl From<RpcFault> for RpcError {
    fn from(fault: RpcFault) -> RpcError {
        let code = match fault {
            RpcFault::NoJson(_) => NO_JSON,
            RpcFault::TooLong | RpcFault::TooMany | RpcFault::NoMessage(_) => NO_MESSAGE,
        };
        RpcError { code, message: fault.to_string() }
    }
}

/// Line buffer for bytes in arbitrary pieces.
#[derive(Debug, Default)]
pub struct RpcLines {
    pending: Vec<u8>,
}

impl RpcLines {
    /// Adds bytes and returns the messages that they complete. Empty lines are skipped.
    ///
    /// # Errors
    /// [`RpcFault`] at the first invalid line; earlier messages in the same bytes are lost.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<RpcMessage>, RpcFault> {
        let mut messages = vec![];
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.pending.len() + part.len() > LINE_MAX {
                return Err(RpcFault::TooLong);
            }
            self.pending.extend_from_slice(part);
            if !part.ends_with(b"\n") {
                continue;
            }
            let line = std::mem::take(&mut self.pending);
            if !line.trim_ascii().is_empty() {
                messages.push(read(&line)?);
            }
        }
        Ok(messages)
    }
}

/// Parses one message.
///
/// # Errors
/// [`RpcFault::NoJson`] and [`RpcFault::NoMessage`] if the line is not a message, [`RpcFault::TooMany`] if it has more than [`VALUES_MAX`]
/// values.
pub fn read(line: &[u8]) -> Result<RpcMessage, RpcFault> {
    if count_values(line) > VALUES_MAX {
        return Err(RpcFault::TooMany);
    }
    let fault = || {
        let text = String::from_utf8_lossy(line);
        RpcFault::NoMessage(text.trim().chars().take(SHOWN_MAX).collect())
    };
    let mut map: Map<String, Value> = serde_json::from_slice(line).map_err(|e| match fault() {
        RpcFault::NoMessage(text) if !e.is_data() => RpcFault::NoJson(text),
        fault => fault,
    })?;
    let id = map.remove("id");
    if id.as_ref().is_some_and(|id| !(id.is_string() || id.is_number() || id.is_null())) {
        return Err(fault());
    }
    let params = map.remove("params").unwrap_or(Value::Null);
    match (map.remove("method"), id) {
        (Some(Value::String(method)), None) => Ok(RpcMessage::Notice { method, params }),
        (Some(Value::String(method)), Some(id)) if !id.is_null() => {
            Ok(RpcMessage::Request { id, method, params })
        }
        (None, Some(id)) => match (map.remove("result"), map.remove("error")) {
            (_, Some(Value::Object(error))) => {
                let code = error.get("code").and_then(Value::as_i64).unwrap_or_default();
                let text = error.get("message").and_then(Value::as_str).unwrap_or("no reason");
                // some write "Internal error", and the reason beside it
                let data = error.get("data").unwrap_or(&Value::Null);
                let details = data.as_str().or(data["details"].as_str());
                let message =
                    details.map_or(text.to_owned(), |details| format!("{text}: {details}"));
                Ok(RpcMessage::Answer { id, result: Err(RpcError { code, message }) })
            }
            (Some(result), None | Some(Value::Null)) => {
                Ok(RpcMessage::Answer { id, result: Ok(result) })
            }
            (_, _) => Err(fault()),
        },
        (_, _) => Err(fault()),
    }
}

/// Counts the values in JSON by its commas and opening brackets, without parsing it.
fn count_values(json: &[u8]) -> usize {
    let mut count = 0;
    let mut rest = json;
    while let Some(quote) = memchr::memchr(b'"', rest) {
        let (outside, text) = rest.split_at(quote);
        count += outside.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count();
        rest = behind_text(&text[1..]);
    }
    count + rest.iter().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count()
}

/// Returns the bytes after the end of a JSON string.
fn behind_text(mut rest: &[u8]) -> &[u8] {
    while let Some(at) = memchr::memchr2(b'"', b'\\', rest) {
        let escapes = rest.get(at) == Some(&b'\\');
        rest = rest.get(at + 1 + usize::from(escapes)..).unwrap_or_default();
        if !escapes {
            return rest;
        }
    }
    &[]
}

/// Serialises a request as a line.
pub fn request(id: u64, method: &str, params: &Value) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
}

/// Serialises a notification as a line.
pub fn notice(method: &str, params: &Value) -> Vec<u8> {
    line(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

/// Serialises an answer as a line.
pub fn answer(id: &Value, result: &Result<Value, RpcError>) -> Vec<u8> {
    line(&answered(id, result))
}

/// Returns an answer as a JSON value.
pub fn answered(id: &Value, result: &Result<Value, RpcError>) -> Value {
    match result {
        Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
        Err(RpcError { code, message }) => {
            json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
        }
    }
}

fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_however_the_bytes_are_cut() {
        let id = json!("a");
        let mut bytes = request(7, "go", &json!({"x": 1}));
        bytes.extend(b"\n  \n");
        bytes.extend(notice("told", &Value::Null));
        bytes.extend(answer(&id, &Ok(json!([1]))));
        bytes.extend(answer(&id, &Err(RpcError { code: -1, message: "no".into() })));
        let whole = RpcLines::default().push(&bytes).unwrap();
        assert_eq!(whole.len(), 4);
        let RpcMessage::Request { method, params, .. } = &whole[0] else { panic!("{whole:?}") };
        assert_eq!((&**method, params), ("go", &json!({"x": 1})));
        let mut lines = RpcLines::default();
        let cut: Vec<RpcMessage> =
            bytes.iter().flat_map(|byte| lines.push(&[*byte]).unwrap()).collect();
        assert_eq!(cut, whole);
    }

    #[test]
    fn invalid_messages_are_faults() {
        for line in [
            "hello",
            "[]",
            "{}",
            "{\"id\":1}",
            "{\"method\":1}",
            "{\"id\":{},\"result\":1}",
            "{\"id\":{},\"method\":\"a\"}",
        ] {
            let bytes = format!("{line}\n");
            let fault = RpcLines::default().push(bytes.as_bytes()).unwrap_err();
            let expected = match line {
                "hello" => RpcFault::NoJson(line.into()),
                _ => RpcFault::NoMessage(line.into()),
            };
            assert_eq!(fault, expected);
            let code = if line == "hello" { -32700 } else { -32600 };
            assert_eq!(RpcError::from(fault).code, code, "{line}");
        }
        let deep = format!("{{\"id\":1,\"result\":{}\n", "[".repeat(100_000));
        assert!(RpcLines::default().push(deep.as_bytes()).is_err());
        let mut many =
            format!("{{\"id\":1,\"result\":\"a\\\\\",\"more\":[{}0]}}\n", "0,".repeat(VALUES_MAX));
        let fault = RpcLines::default().push(many.as_bytes()).unwrap_err();
        assert_eq!(fault, RpcFault::TooMany);
        many = format!("{{\"id\":1,\"result\":\"\\\"{}\"}}\n", "[0,{".repeat(VALUES_MAX));
        assert_eq!(
            RpcLines::default().push(many.as_bytes()).unwrap().len(),
            1,
            "words are one value"
        );
        let mut lines = RpcLines::default();
        let flood = vec![b'a'; 1 << 20];
        let fault = (0..5).find_map(|_| lines.push(&flood).err());
        assert_eq!(fault, Some(RpcFault::TooLong));
    }
}
