//! Tokens of links and cookies: 128 random bits of the system, kept only as digests.

use sha2::{Digest, Sha256};

/// Random bytes of a token.
const BYTES: usize = 16;

/// SHA-256 of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TokenDigest([u8; 32]);

/// Returns a new token: 32 hexadecimal digits.
pub fn new_token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

impl TokenDigest {
    /// Returns the digest of a token.
    pub fn new(token: &str) -> TokenDigest {
        TokenDigest(Sha256::digest(token.as_bytes()).into())
    }

    /// Compares in constant time.
    pub fn matches(&self, other: &TokenDigest) -> bool {
        self.0.iter().zip(other.0).fold(0, |all, (a, b)| all | (a ^ b)) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_128_bits_and_differ() {
        let [one, other] = [new_token().unwrap(), new_token().unwrap()];
        assert_eq!((one.len(), one == other), (32, false));
        let digest = TokenDigest::new(&one);
        assert!(digest.matches(&TokenDigest::new(&one)));
        assert!(!digest.matches(&TokenDigest::new(&other)));
    }
}
