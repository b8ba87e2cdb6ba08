//! `serve`: the page of a running conversation for browsers, with a link to watch and a link to steer.

use crate::cli::context::Context;
use crate::cli::error::Failure;
use crate::cli::exit::Exit;
use crate::cli::output;
use crate::cli::play::attached::GUEST;
use crate::cli::play::signals::Signals;
use crate::cli::running::RunningSession;
use crate::cli::runtime::{block_on, refused};
use crate::serve::{OpenError, PageServer, open};
use clap::{Args, ValueEnum};
use qrcode::render::unicode::Dense1x2;
use qrcode::{EcLevel, QrCode};
use std::io::{IsTerminal, stdout};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

/// Show a running conversation in browsers: a link to watch, and a link to steer
#[derive(Debug, Args)]
pub struct ServeArgs {
    /// Session id, id prefix or path; without it, the only running conversation
    #[arg(value_name = "SESSION")]
    session: Option<String>,
    /// Port; 0 is any free one
    #[arg(long, value_name = "N", default_value_t = 0)]
    port: u16,
    /// Address to listen on
    #[arg(long, value_name = "ADDRESS", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    /// Accept that other machines can reach the address, without encryption
    #[arg(long)]
    expose: bool,
    /// Address in browsers behind a reverse proxy, such as `https://talk.example.org`
    #[arg(long, value_name = "URL")]
    url: Option<String>,
    /// Your name in the log of the conversation, for the page that steers
    #[arg(long = "as", value_name = "WORD", default_value = GUEST)]
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
    pub fn run(self, context: &Context) -> Result<Exit, Failure> {
        self.check_address()?;
        let public = self.public()?;
        let running = match &self.session {
            Some(name) => RunningSession::find(name, context)?,
            None => RunningSession::only("serve", context)?,
        };
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
                opened = open(server) => opened,
            };
            let opened = opened.map_err(|fault| match fault {
                OpenError::Conversation(fault) => running.failure(&fault, context),
                OpenError::Address(..) => Failure::new(Exit::Failed, fault.to_string()).hint(
                    "--port 0 takes any free port; --address names an address of this machine",
                ),
                OpenError::Random(_) => Failure::new(Exit::Failed, fault.to_string()),
            })?;
            let (watch, steer) = (opened.watch_link(), opened.steer_link());
            output::data(format!("watch {watch}\nsteer {steer}\n").as_bytes())?;
            self.print_qr(&watch, &steer)?;
            context.say(
                "the link to watch opens any number of browsers, the link to steer one; Ctrl-C ends \
                 the pages, not the conversation",
            );
            if self.expose && self.url.is_none() {
                context.say(
                    "without encryption, others on the network can read the pages and take the links",
                );
            }
            tokio::select! { biased;
                code = signals.next() => Ok(code),
                () = opened.serve() => Ok(Exit::Done),
            }
        })
    }

    /// Rejects an address that other machines can reach, unless it is exposed on purpose.
    fn check_address(&self) -> Result<(), Failure> {
        let address = self.address;
        if address.is_unspecified() {
            return Err(Failure::usage(
                format!("--address {address} is every address of this machine"),
                "name one, such as the one that your phone can reach: --address 192.168.1.20",
            ));
        }
        if address.is_loopback() || self.expose {
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
    fn print_qr(&self, watch: &str, steer: &str) -> Result<(), Failure> {
        let usual = !self.address.is_loopback() || self.url.is_some();
        let link = match self.qr {
            Some(QrLink::Watch) => watch,
            Some(QrLink::Steer) => steer,
            None if usual => watch,
            Some(QrLink::None) | None => return Ok(()),
        };
        if !stdout().is_terminal() {
            return Ok(());
        }
        let code = QrCode::with_error_correction_level(link, EcLevel::L);
        let code = code.map_err(|e| Failure::new(Exit::Failed, format!("no QR code: {e}")))?;
        // dark modules are the terminal's background on most terminals
        let mut code = code.render::<Dense1x2>();
        let drawn = code.dark_color(Dense1x2::Light).light_color(Dense1x2::Dark).build();
        output::data(format!("\n{drawn}\n\n").as_bytes())
    }
}
