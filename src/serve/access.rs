//! Links, cookies and rates: a link is exchanged for a cookie, and only a cookie gets anything.

use super::token::{TokenDigest, new_token};
use crate::model::Ms;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Maximum number of cookies; a new one replaces the cookie that was unused for longest.
const COOKIES_MAX: usize = 1_000;
/// Requests that a cookie may send at once, and one more each [`REFILL_MS`].
const BURST: u32 = 20;
/// Milliseconds for one more request of a cookie.
const REFILL_MS: u64 = 200;
/// Exchanges of links that all browsers together may try at once, and one more each [`ENTER_REFILL_MS`].
const ENTER_BURST: u32 = 100;
/// Milliseconds for one more exchange.
const ENTER_REFILL_MS: u64 = 20;

/// Rights of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Follow only.
    Watch,
    /// Follow and give commands.
    Steer,
}

impl Right {
    /// Returns the right as a word for the page.
    pub fn word(self) -> &'static str {
        match self {
            Right::Watch => "watch",
            Right::Steer => "steer",
        }
    }
}

/// Reason for a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessRefusal {
    /// The token or cookie is unknown.
    Unknown,
    /// Another browser has used the link to steer.
    Taken,
    /// Too many requests.
    TooFast,
    /// The system cannot give random numbers.
    Random,
}

/// Tokens of the two links.
pub struct Links {
    /// For any number of browsers.
    pub watch: String,
    /// For one browser.
    pub steer: String,
}

/// Access to a conversation: the links, and the cookies they were exchanged for.
pub struct Access {
    watch: TokenDigest,
    steer: TokenDigest,
    cookies: Mutex<Cookies>,
}

struct Cookies {
    known: BTreeMap<TokenDigest, Cookie>,
    /// The cookie that steers.
    steers: Option<TokenDigest>,
    enters: Bucket,
}

struct Cookie {
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
    /// Creates both links.
    ///
    /// # Errors
    /// If the system has no random numbers.
    pub fn new() -> Result<(Access, Links), getrandom::Error> {
        let links = Links { watch: new_token()?, steer: new_token()? };
        let enters = Bucket { left: ENTER_BURST, since: Ms(0) };
        let access = Access {
            watch: TokenDigest::new(&links.watch),
            steer: TokenDigest::new(&links.steer),
            cookies: Mutex::new(Cookies { known: BTreeMap::new(), steers: None, enters }),
        };
        Ok((access, links))
    }

    fn cookies(&self) -> MutexGuard<'_, Cookies> {
        self.cookies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Exchanges the token of a link for a cookie. `cookie` is the cookie of the browser, if any: its link opens
    /// again, and gets no new cookie.
    ///
    /// # Errors
    /// [`AccessRefusal`].
    pub fn enter(
        &self,
        token: &str,
        cookie: Option<&str>,
        now: Ms,
    ) -> Result<(Right, Option<String>), AccessRefusal> {
        let mut cookies = self.cookies();
        if !cookies.enters.take(now, ENTER_BURST, ENTER_REFILL_MS) {
            return Err(AccessRefusal::TooFast);
        }
        let token = TokenDigest::new(token);
        let right = match (self.watch.matches(&token), self.steer.matches(&token)) {
            (true, _) => Right::Watch,
            (_, true) => Right::Steer,
            _ => return Err(AccessRefusal::Unknown),
        };
        let own = cookie.map(TokenDigest::new).filter(|own| cookies.known.contains_key(own));
        if let Some(own) = own
            && (right == Right::Watch || cookies.right(own) == Right::Steer)
        {
            return Ok((cookies.right(own), None));
        }
        if right == Right::Steer && cookies.steers.is_some() {
            return Err(AccessRefusal::Taken);
        }
        let cookie = new_token().map_err(|_| AccessRefusal::Random)?;
        let digest = TokenDigest::new(&cookie);
        cookies.make_room();
        let bucket = Bucket { left: BURST, since: now };
        cookies.known.insert(digest, Cookie { bucket, used: now });
        if right == Right::Steer {
            cookies.steers = Some(digest);
        }
        Ok((right, Some(cookie)))
    }

    /// Checks a cookie and counts the request.
    ///
    /// # Errors
    /// [`AccessRefusal`].
    pub fn check(&self, cookie: &str, now: Ms) -> Result<(Right, TokenDigest), AccessRefusal> {
        let mut cookies = self.cookies();
        let digest = TokenDigest::new(cookie);
        let known = cookies.known.get_mut(&digest).ok_or(AccessRefusal::Unknown)?;
        known.used = now;
        if !known.bucket.take(now, BURST, REFILL_MS) {
            return Err(AccessRefusal::TooFast);
        }
        Ok((cookies.right(digest), digest))
    }
}

impl Cookies {
    fn right(&self, digest: TokenDigest) -> Right {
        if self.steers == Some(digest) { Right::Steer } else { Right::Watch }
    }

    /// Drops the cookie that was unused for longest, but never the cookie that steers.
    fn make_room(&mut self) {
        if self.known.len() < COOKIES_MAX {
            return;
        }
        let watch = self.known.iter().filter(|(digest, _)| self.steers != Some(**digest));
        let oldest = watch.min_by_key(|(_, cookie)| cookie.used).map(|(digest, _)| *digest);
        oldest.map(|digest| self.known.remove(&digest));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_to_watch_opens_many_browsers_and_one_to_steer_one() {
        let (access, links) = Access::new().unwrap();
        let enter = |token: &str, cookie: Option<&str>| access.enter(token, cookie, Ms(0));
        let (_, first) = enter(&links.watch, None).unwrap();
        let (_, second) = enter(&links.watch, None).unwrap();
        assert!(first.is_some() && first != second);
        let (right, cookie) = enter(&links.steer, first.as_deref()).unwrap();
        assert_eq!(right, Right::Steer);
        assert_eq!(enter(&links.steer, second.as_deref()), Err(AccessRefusal::Taken));
        // the same browser may open both links again
        for token in [&links.steer, &links.watch] {
            assert_eq!(enter(token, cookie.as_deref()), Ok((Right::Steer, None)));
        }
        assert_eq!(enter("", None), Err(AccessRefusal::Unknown));
        let check = |cookie: &str| access.check(cookie, Ms(0)).map(|(right, _)| right);
        assert_eq!(check(&second.unwrap()), Ok(Right::Watch));
        assert_eq!(check(&cookie.unwrap()), Ok(Right::Steer));
        assert_eq!(check(&links.steer), Err(AccessRefusal::Unknown));
    }

    #[test]
    fn requests_of_a_cookie_are_limited_in_time() {
        let (access, links) = Access::new().unwrap();
        let (_, cookie) = access.enter(&links.watch, None, Ms(0)).unwrap();
        let cookie = &cookie.unwrap();
        let access = &access;
        let tries = |now| (0..100).map(move |_| access.check(cookie, Ms(now)));
        let taken = |now| tries(now).filter(Result::is_ok).count();
        assert_eq!((taken(0), taken(199), taken(1_000), taken(3_600_000)), (20, 0, 5, 20));
    }

    #[test]
    fn many_cookies_make_room_and_the_one_that_steers_stays() {
        let (access, links) = Access::new().unwrap();
        let (_, steers) = access.enter(&links.steer, None, Ms(0)).unwrap();
        let cookies: Vec<String> = (1..=COOKIES_MAX as u64)
            .map(|n| access.enter(&links.watch, None, Ms(n * 1_000)).unwrap().1.unwrap())
            .collect();
        let now = Ms(COOKIES_MAX as u64 * 1_000);
        assert!(access.check(&steers.unwrap(), now).is_ok());
        let [first, second, ..] = &cookies[..] else { panic!("{} cookies", cookies.len()) };
        assert_eq!(access.check(first, now), Err(AccessRefusal::Unknown));
        assert!(access.check(second, now).is_ok());
    }
}
