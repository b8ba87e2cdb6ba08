//! `serve`: the page of a running conversation for browsers, with a link to watch, a link to steer, and a link for each
//! person who takes part by one.

use crate::cli::args::OptionalSession;
use crate::cli::context::Context;
use crate::cli::error::{Exit, Failure};
use crate::cli::output;
use crate::cli::play::attached::GUEST;
use crate::cli::play::signals::Signals;
use crate::cli::play::stdin::typed_in_foreground;
use crate::cli::running::RunningSession;
use crate::cli::runtime::{block_on, refused};
use crate::live::chosen_name;
use crate::net::network_address;
use crate::serve::{OpenError, OpenServer, PageLink, PageServer, open};
use clap::{Args, ValueEnum};
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use std::io::{IsTerminal, stdin, stdout};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Show a running conversation in browsers: a link to watch, and a link to steer
#[derive(Debug, Args)]
pub struct ServeArgs {
    #[command(flatten)]
    which: OptionalSession,
    /// Port; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Accept that other machines can reach the address, without encryption
    #[arg(long)]
    expose: bool,
    /// Open the pages to the network that this machine is in, as for a phone, without encryption
    #[arg(long, conflicts_with_all = ["address", "expose", "url"])]
    phone: bool,
    /// Address in browsers behind a reverse proxy, such as `https://talk.example.org`
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Your name in the log of the conversation, for the page that steers
    #[arg(long = "as", value_name = "WORD", default_value = GUEST,
        value_parser = |name: &str| chosen_name(name, GUEST))]
    name: String,
    /// Link to print as a QR code on a terminal; by default the one to watch if other devices can reach it
    #[arg(long, value_name = "LINK")]
    qr: Option<QrLink>,
}

/// The link in the QR code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum QrLink {
    /// To watch
    Watch,
    /// To steer
    Steer,
    /// No QR code
    None,
}

impl ServeArgs {
    /// Serves pages until a signal.
    pub fn run(mut self, context: &Context) -> Result<Exit, Failure> {
        if self.phone {
            self.address = network_address().ok_or_else(|| {
                Failure::new(Exit::Failed, "this machine is in no network").hint(
                    "connect it to the network of the phone, or name an address: --address ADDRESS --expose",
                )
            })?;
            self.expose = true;
        }
        self.check_address()?;
        let public = self.public()?;
        let running = RunningSession::chosen(&self.which, "serve", context)?;
        let server = PageServer {
            socket: running.socket.clone(),
            address: SocketAddr::new(self.address, self.port),
            public,
            name: self.name.clone(),
        };
        block_on(async {
            let mut signals = Signals::listen().map_err(refused)?;
            let opened = tokio::select! { biased;
                code = signals.next() => return Ok(code),
                opened = running.await_process(context, open(server)) => opened,
            };
            let opened = opened.map_err(|fault| match fault {
                OpenError::Conversation(fault) => running.failure(&fault, context),
                OpenError::Address(..) => Failure::new(Exit::Failed, fault.to_string()).hint(
                    "--port 0 takes any free port; --address names an address of this machine",
                ),
            })?;
            let links =
                opened.links().map_err(|fault| Failure::new(Exit::Failed, fault.to_string()))?;
            let printed: String = links.iter().map(line).collect();
            output::data(printed.as_bytes())?;
            self.print_qr(&links)?;
            context.say(
                "the link to watch opens any number of browsers, each other one a single browser; Ctrl-C ends the \
                 pages, not the conversation",
            );
            if stdin().is_terminal() {
                context.say(
                    "lost a link? `r` and Enter print a fresh link to steer, `r ID` one to speak",
                );
            }
            match (&self.url, self.expose) {
                (None, true) => context.say(&format!(
                    "open to the network of {} until Ctrl-C; without encryption, others on the network can read the \
                     pages and take the links",
                    self.address
                )),
                (None, false) => context.say("for a phone in your network: --phone"),
                (Some(_), _) => {}
            }
            let mut typed = typed_in_foreground().map_err(refused)?;
            let serving = opened.serve();
            tokio::pin!(serving);
            loop {
                tokio::select! { biased;
                    code = signals.next() => return Ok(code),
                    () = &mut serving => return Ok(Exit::Done),
                    Some(typed) = typed.recv() => renew(&opened, typed.trim(), context)?,
                }
            }
        })
    }

    /// Rejects an address that other machines can reach, unless it is exposed on purpose.
    fn check_address(&self) -> Result<(), Failure> {
        let address = self.address;
        if address.to_canonical().is_unspecified() {
            return Err(Failure::usage(
                format!("--address {address} is every address of this machine"),
                "name one, such as the one that your phone can reach: --address 192.168.1.20",
            ));
        }
        if address.to_canonical().is_loopback() || self.expose {
            return Ok(());
        }
        Err(Failure::usage(
            format!(
                "other machines can reach --address {address}: the pages are not encrypted, so others on the network \
                 could read them and take the links"
            ),
            "--expose accepts that; `colloquium help serve` has two ways that are encrypted",
        ))
    }

    /// Returns the public address without a slash at its end.
    fn public(&self) -> Result<Option<String>, Failure> {
        let Some(url) = &self.url else { return Ok(None) };
        let url = url.trim_end_matches('/');
        let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
        let plain = |c: char| c.is_ascii_alphanumeric() || "-.:[]".contains(c);
        match rest {
            Some(rest) if !rest.is_empty() && rest.chars().all(plain) => {
                Ok(Some(url.to_ascii_lowercase()))
            }
            _ => Err(Failure::usage(
                format!("--url {url} is not an address of a server"),
                "write scheme and host, without a path: --url https://talk.example.org",
            )),
        }
    }

    /// Prints the QR code of a link on a terminal.
    fn print_qr(&self, links: &[PageLink]) -> Result<Exit, Failure> {
        let usual = !self.address.is_loopback() || self.url.is_some();
        let word = match self.qr {
            Some(QrLink::Steer) => "steer",
            Some(QrLink::Watch) => "watch",
            None if usual => "watch",
            Some(QrLink::None) | None => return Ok(Exit::Done),
        };
        if !stdout().is_terminal() {
            return Ok(Exit::Done);
        }
        let Some(link) = links.iter().find(|link| link.word == word) else { return Ok(Exit::Done) };
        let code = QrCode::with_error_correction_level(&link.url, EcLevel::L);
        let code = code.map_err(|e| Failure::new(Exit::Failed, format!("no QR code: {e}")))?;
        // dark modules are the terminal's background on most terminals
        let mut code = code.render::<Dense1x2>();
        let drawn = code.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
        output::data(format!("\n{drawn}\n\n").as_bytes())
    }
}

/// Prints the fresh link that a typed line asks for.
fn renew(server: &OpenServer, typed: &str, context: &Context) -> Result<(), Failure> {
    let seat = match typed.split_once(' ') {
        None if typed == "r" => None,
        Some(("r", "steer")) => None,
        Some(("r", seat)) => Some(seat.trim()),
        _ => {
            if !typed.is_empty() {
                context.say("`r` prints a fresh link to steer, `r ID` one to speak; Ctrl-C ends");
            }
            return Ok(());
        }
    };
    match server.fresh_link(seat) {
        Ok(link) => {
            output::data(line(&link).as_bytes())?;
            context.say("the old link and its browser have no rights any more");
        }
        Err(fault) => context.say(&fault.to_string()),
    }
    Ok(())
}

/// Returns the line of a link.
fn line(link: &PageLink) -> String {
    let seat = link.seat.iter().map(|id| format!(" {}", id.0)).collect::<String>();
    format!("{}{seat} {}\n", link.word, link.url)
}
