//! Connections of clients over HTTP.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, UdpSocket};
use tokio::net::{TcpListener, TcpStream};

/// A listener for clients over HTTP.
#[derive(Debug)]
pub struct WebListener {
    listener: TcpListener,
    address: SocketAddr,
}

impl WebListener {
    /// Listens on an address; port 0 is any free one. Needs a runtime with I/O.
    pub async fn bind(address: SocketAddr) -> io::Result<WebListener> {
        let listener = TcpListener::bind(address).await?;
        let address = listener.local_addr()?;
        Ok(WebListener { listener, address })
    }

    /// Returns the address, with its real port.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Waits for the next connection. Cancel safe.
    pub async fn accept(&self) -> io::Result<TcpStream> {
        let (stream, _) = self.listener.accept().await?;
        // text arrives in small pieces
        stream.set_nodelay(true)?;
        Ok(stream)
    }
}

/// Returns the address at which other machines of its network reach this one; `None` without a network. Nothing is sent:
/// the system names the address from which it would send.
pub fn network_address() -> Option<IpAddr> {
    let socket = UdpSocket::bind((Ipv4Addr::UNSPECIFIED, 0)).ok()?;
    // an address that is reserved for documentation
    socket.connect((Ipv4Addr::new(192, 0, 2, 1), 9)).ok()?;
    let own = socket.local_addr().ok()?.ip();
    (!own.is_loopback() && !own.is_unspecified()).then_some(own)
}
