//! Links, cookies and rates: a link is exchanged for a cookie, and only a cookie gets anything. Tokens of both are 128
//! random bits of the system, kept only as digests.

use crate::model::Ms;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Maximum number of cookies; a new one replaces the cookie that was unused for longest.
const COOKIES_MAX: usize = 1_000;
/// Requests that a cookie may send at once, and one more each [`REFILL_MS`].
const BURST: u32 = 20;
/// Milliseconds for one more request of a cookie.
const REFILL_MS: u64 = 200;
/// Browsers that may enter by the link to watch at once, and one more each [`ENTER_REFILL_MS`].
const ENTER_BURST: u32 = 100;
/// Milliseconds for one more browser.
const ENTER_REFILL_MS: u64 = 20;

/// Rights of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Right {
    /// Follow only.
    Watch,
    /// Follow and give commands.
    Steer,
    /// Follow as the participant at this index, and speak for it.
    Seat(usize),
}

impl Right {
    /// Returns the right as a word for the page.
    pub fn word(self) -> &'static str {
        match self {
            Right::Watch => "watch",
            Right::Steer => "steer",
            Right::Seat(_) => "speak",
        }
    }
}

/// Reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessRefusal {
    /// The token or cookie is unknown.
    Unknown,
    /// Another browser has used the link.
    Taken,
    /// This browser has used another link for one browser.
    Other,
    /// Too many requests.
    TooFast,
    /// The system cannot give random numbers.
    Random,
}

/// Access to a conversation: its links, and the cookies they were exchanged for.
pub struct Access {
    inner: Mutex<Inner>,
}

struct Inner {
    links: BTreeMap<Right, Link>,
    cookies: BTreeMap<TokenDigest, Cookie>,
    enters: Bucket,
}

/// A link. The link to watch opens any number of browsers, each other one a single browser.
struct Link {
    token: TokenDigest,
    /// Cookie of the browser that used the link, except for the link to watch.
    browser: Option<TokenDigest>,
}

struct Cookie {
    right: Right,
    bucket: Bucket,
    used: Ms,
}

/// Requests left, refilled with time.
#[derive(Clone, Copy)]
struct Bucket {
    left: u32,
    since: Ms,
}

impl Bucket {
    /// Takes a request; returns false at the limit.
    fn take(&mut self, now: Ms, burst: u32, refill_ms: u64) -> bool {
        let more = now.since(self.since) / refill_ms;
        self.since = self.since.plus(more * refill_ms);
        self.left = u32::try_from(more).unwrap_or(burst).saturating_add(self.left).min(burst);
        let takes = self.left > 0;
        self.left = self.left.saturating_sub(1);
        takes
    }
}

impl Access {
    /// Creates access without links.
    pub fn new() -> Access {
        let enters = Bucket { left: ENTER_BURST, since: Ms(0) };
        let inner = Inner { links: BTreeMap::new(), cookies: BTreeMap::new(), enters };
        Access { inner: Mutex::new(inner) }
    }

    /// Creates the link of a right, or replaces it; returns its token, and the cookie that loses its rights.
    pub fn issue(&self, right: Right) -> Result<(String, Option<TokenDigest>), getrandom::Error> {
        let token = new_token()?;
        let mut inner = self.inner.lock();
        let link = Link { token: TokenDigest::new(&token), browser: None };
        let lost = inner.links.insert(right, link).and_then(|old| old.browser);
        lost.iter().for_each(|cookie| _ = inner.cookies.remove(cookie));
        Ok((token, lost))
    }

    /// Exchanges the token of a link for a cookie. `cookie` is the cookie of the browser, if any: its link opens
    /// again, and gets no new cookie.
    pub fn enter(
        &self,
        token: &str,
        cookie: Option<&str>,
        now: Ms,
    ) -> Result<(Right, Option<String>), AccessRefusal> {
        let mut inner = self.inner.lock();
        let token = TokenDigest::new(token);
        // compares all, so that the time does not depend on the link
        let links = inner.links.iter().filter(|(_, link)| link.token.matches(&token));
        let right = links.fold(None, |_, (right, _)| Some(*right)).ok_or(AccessRefusal::Unknown)?;
        let own = cookie.and_then(|own| inner.cookies.get(&TokenDigest::new(own)));
        match own.map(|own| own.right) {
            Some(own) if right == Right::Watch || own == right => return Ok((own, None)),
            Some(Right::Steer | Right::Seat(_)) => return Err(AccessRefusal::Other),
            Some(Right::Watch) | None => {}
        }
        // only the link to watch gets many cookies; nobody can guess a token
        if right == Right::Watch && !inner.enters.take(now, ENTER_BURST, ENTER_REFILL_MS) {
            return Err(AccessRefusal::TooFast);
        }
        let cookie = new_token().map_err(|_| AccessRefusal::Random)?;
        let digest = TokenDigest::new(&cookie);
        if right != Right::Watch {
            let link = inner.links.get_mut(&right).ok_or(AccessRefusal::Unknown)?;
            if link.browser.is_some() {
                return Err(AccessRefusal::Taken);
            }
            link.browser = Some(digest);
        }
        inner.make_room();
        let bucket = Bucket { left: BURST, since: now };
        inner.cookies.insert(digest, Cookie { right, bucket, used: now });
        Ok((right, Some(cookie)))
    }

    /// Checks a cookie and counts the request.
    pub fn check(&self, cookie: &str, now: Ms) -> Result<(Right, TokenDigest), AccessRefusal> {
        let mut inner = self.inner.lock();
        let digest = TokenDigest::new(cookie);
        let known = inner.cookies.get_mut(&digest).ok_or(AccessRefusal::Unknown)?;
        known.used = now;
        if !known.bucket.take(now, BURST, REFILL_MS) {
            return Err(AccessRefusal::TooFast);
        }
        Ok((known.right, digest))
    }
}

impl Inner {
    /// Drops the cookie that was unused for longest, but never that of a link for one browser.
    fn make_room(&mut self) {
        if self.cookies.len() < COOKIES_MAX {
            return;
        }
        let watch = self.cookies.iter().filter(|(_, cookie)| cookie.right == Right::Watch);
        let oldest = watch.min_by_key(|(_, cookie)| cookie.used).map(|(digest, _)| *digest);
        oldest.map(|digest| self.cookies.remove(&digest));
    }
}

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

    fn access(rights: &[Right]) -> (Access, Vec<String>) {
        let access = Access::new();
        let links = rights.iter().map(|right| access.issue(*right).unwrap().0).collect();
        (access, links)
    }

    #[test]
    fn a_link_to_watch_opens_many_browsers_and_each_other_one() {
        let (access, links) = access(&[Right::Watch, Right::Steer, Right::Seat(1)]);
        let [watch, steer, seat] = &links[..] else { panic!("{links:?}") };
        let enter = |token: &str, cookie: Option<&str>| access.enter(token, cookie, Ms(0));
        let (_, first) = enter(watch, None).unwrap();
        let (_, second) = enter(watch, None).unwrap();
        assert!(first.is_some() && first != second);
        let (right, cookie) = enter(steer, first.as_deref()).unwrap();
        assert_eq!(right, Right::Steer);
        assert_eq!(enter(steer, second.as_deref()), Err(AccessRefusal::Taken));
        // the same browser may open both links again
        for token in [steer, watch] {
            assert_eq!(enter(token, cookie.as_deref()), Ok((Right::Steer, None)));
        }
        // whoever steers reads all whispers, and is no participant as well
        assert_eq!(enter(seat, cookie.as_deref()), Err(AccessRefusal::Other));
        let (right, speaks) = enter(seat, second.as_deref()).unwrap();
        assert_eq!(right, Right::Seat(1));
        assert_eq!(enter(seat, None), Err(AccessRefusal::Taken));
        assert_eq!(enter(steer, speaks.as_deref()), Err(AccessRefusal::Other));
        assert_eq!(enter("", None), Err(AccessRefusal::Unknown));
        let check = |cookie: &str| access.check(cookie, Ms(0)).map(|(right, _)| right);
        assert_eq!(check(&second.unwrap()), Ok(Right::Watch));
        assert_eq!(check(&cookie.unwrap()), Ok(Right::Steer));
        assert_eq!(check(&speaks.unwrap()), Ok(Right::Seat(1)));
        assert_eq!(check(steer), Err(AccessRefusal::Unknown));
    }

    #[test]
    fn a_fresh_link_voids_the_old_one_and_its_cookie() {
        let (access, links) = access(&[Right::Watch, Right::Steer]);
        let [watch, steer] = &links[..] else { panic!("{links:?}") };
        let (_, watches) = access.enter(watch, None, Ms(0)).unwrap();
        let (_, steers) = access.enter(steer, None, Ms(0)).unwrap();
        let steers = steers.unwrap();
        let (fresh, lost) = access.issue(Right::Steer).unwrap();
        assert_eq!(lost, Some(TokenDigest::new(&steers)));
        assert_eq!(access.check(&steers, Ms(0)), Err(AccessRefusal::Unknown));
        let old = access.enter(steer, Some(&steers), Ms(0));
        assert_eq!(old, Err(AccessRefusal::Unknown));
        assert_eq!(access.enter(&fresh, Some(&steers), Ms(0)).unwrap().0, Right::Steer);
        assert!(access.check(&watches.unwrap(), Ms(0)).is_ok(), "others keep theirs");
    }

    #[test]
    fn requests_of_a_cookie_are_limited_in_time() {
        let (access, links) = access(&[Right::Watch]);
        let (_, cookie) = access.enter(&links[0], None, Ms(0)).unwrap();
        let cookie = &cookie.unwrap();
        let access = &access;
        let tries = |now| (0..100).map(move |_| access.check(cookie, Ms(now)));
        let taken = |now| tries(now).filter(Result::is_ok).count();
        assert_eq!((taken(0), taken(199), taken(1_000), taken(3_600_000)), (20, 0, 5, 20));
    }

    #[test]
    fn many_cookies_make_room_and_the_one_that_steers_stays() {
        let (access, links) = access(&[Right::Watch, Right::Steer]);
        let (_, steers) = access.enter(&links[1], None, Ms(0)).unwrap();
        let cookies: Vec<String> = (1..=COOKIES_MAX as u64)
            .map(|n| access.enter(&links[0], None, Ms(n * 1_000)).unwrap().1.unwrap())
            .collect();
        let now = Ms(COOKIES_MAX as u64 * 1_000);
        assert!(access.check(&steers.unwrap(), now).is_ok());
        let [first, second, ..] = &cookies[..] else { panic!("{} cookies", cookies.len()) };
        assert_eq!(access.check(first, now), Err(AccessRefusal::Unknown));
        assert!(access.check(second, now).is_ok());
    }

    #[test]
    fn tokens_have_128_bits_and_differ() {
        let [one, other] = [new_token().unwrap(), new_token().unwrap()];
        assert_eq!((one.len(), one == other), (32, false));
        let digest = TokenDigest::new(&one);
        assert!(digest.matches(&TokenDigest::new(&one)));
        assert!(!digest.matches(&TokenDigest::new(&other)));
    }
}
