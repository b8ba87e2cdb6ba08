//! A local server that follows a script, byte for byte.

use std::sync::{Arc, Mutex};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Barrier, Notify};

/// One step of the server.
#[derive(Clone)]
pub enum Step {
    /// Reads a request, head and body.
    Read,
    /// Sends bytes.
    Send(Vec<u8>),
    /// Sends bytes one by one.
    Drip(Vec<u8>),
    /// Sends bytes repeatedly until the client is gone.
    Flood(Vec<u8>),
    /// Waits until text has reached the client's caller.
    Heard,
    /// Waits for the other connections at the barrier.
    Meet(Arc<Barrier>),
    /// Does nothing until the client is gone.
    Hang,
    /// Closes the sending direction and waits.
    HalfClose,
    /// Sends bytes and closes the connection if the last request contains a text.
    RefuseIf(&'static str, Vec<u8>),
    /// Closes the connection with a reset.
    Reset,
}

/// A server. It closes each connection after the last step.
pub struct Server {
    /// Address with the scheme.
    pub url: String,
    /// Requests received, as text.
    pub asked: Arc<Mutex<Vec<String>>>,
    /// Notified by the test when text has arrived.
    pub heard: Arc<Notify>,
    /// Notifies the test when the client has gone during a [`Step::Hang`] or [`Step::Flood`].
    pub gone: Arc<Notify>,
}

impl Server {
    /// Starts a server that executes the steps for every connection and then closes it.
    pub async fn start(steps: Vec<Step>) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let server = Server {
            url: format!("http://{}", listener.local_addr().unwrap()),
            asked: Arc::default(),
            heard: Arc::default(),
            gone: Arc::default(),
        };
        let (asked, heard, gone) =
            (server.asked.clone(), server.heard.clone(), server.gone.clone());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let steps = steps.clone();
                let asked = asked.clone();
                let heard = heard.clone();
                let gone = gone.clone();
                tokio::spawn(async move {
                    if play(stream, steps, &asked, &heard).await {
                        gone.notify_one();
                    }
                });
            }
        });
        server
    }

    /// Starts a server that reads a request before the steps.
    pub async fn answering(mut steps: Vec<Step>) -> Server {
        steps.insert(0, Step::Read);
        Server::start(steps).await
    }

    /// Returns the only request.
    pub fn asked(&self) -> String {
        let asked = self.asked.lock().unwrap();
        let [one] = &**asked else { panic!("{} requests instead of one", asked.len()) };
        one.clone()
    }
}

/// Executes the steps. Returns whether the client closed the connection.
async fn play(
    mut stream: TcpStream,
    steps: Vec<Step>,
    asked: &Mutex<Vec<String>>,
    heard: &Notify,
) -> bool {
    stream.set_nodelay(true).unwrap();
    for step in steps {
        let sent = match step {
            Step::Read => match read(&mut stream).await {
                Some(request) => {
                    asked.lock().unwrap().push(request);
                    true
                }
                None => return false,
            },
            Step::Send(bytes) => stream.write_all(&bytes).await.is_ok(),
            Step::Drip(bytes) => {
                for byte in bytes {
                    if stream.write_all(&[byte]).await.is_err() {
                        return true;
                    }
                    tokio::task::yield_now().await;
                }
                true
            }
            Step::Flood(bytes) => {
                while stream.write_all(&bytes).await.is_ok() {}
                false
            }
            Step::Heard => {
                heard.notified().await;
                true
            }
            Step::Meet(all) => {
                all.wait().await;
                true
            }
            Step::Hang => {
                end_of(&mut stream).await;
                false
            }
            Step::HalfClose => {
                stream.shutdown().await.unwrap();
                end_of(&mut stream).await;
                false
            }
            Step::RefuseIf(text, bytes) => {
                let refused = asked.lock().unwrap().last().is_some_and(|last| last.contains(text));
                if refused {
                    stream.write_all(&bytes).await.unwrap();
                    return false;
                }
                true
            }
            Step::Reset => {
                stream.set_zero_linger().unwrap();
                return false;
            }
        };
        if !sent {
            return true;
        }
    }
    false
}

async fn end_of(stream: &mut TcpStream) {
    let mut rest = [0; 1024];
    while stream.read(&mut rest).await.is_ok_and(|n| n > 0) {}
}

async fn read(stream: &mut TcpStream) -> Option<String> {
    let mut request = Vec::new();
    let mut bytes = [0; 4096];
    loop {
        let n = stream.read(&mut bytes).await.ok().filter(|n| *n > 0)?;
        request.extend_from_slice(&bytes[..n]);
        let text = String::from_utf8_lossy(&request);
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().unwrap())
        });
        if body.len() >= length.unwrap_or(0) {
            return Some(text.into_owned());
        }
    }
}

/// Returns the steps of an answer that is not a stream.
pub fn answer(status: &str, headers: &str, body: &str) -> Vec<Step> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n"
    );
    vec![Step::Send((head + body).into_bytes())]
}

/// Returns the head of a streamed answer that ends with the connection.
pub fn head() -> Step {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
    Step::Send(head.into())
}

/// Returns the head of a chunked answer.
pub fn chunked_head() -> Step {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
    Step::Send(head.into())
}

/// Returns bytes as one chunk of a chunked answer.
pub fn chunk(bytes: &str) -> Step {
    Step::Send(format!("{:x}\r\n{bytes}\r\n", bytes.len()).into_bytes())
}
