//! Servers over TLS: an untrusted certificate is rejected before a key is sent, and a certificate that the user trusts
//! is accepted.
//!
//! The certificate in `tls/` is for 127.0.0.1 and was made for these tests only. `ca.pem` signed it, and the private
//! key of the authority was deleted.

use crate::house::{House, end};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

const KEY: &str = "sk-canary-7f3a";

/// A TLS server with one model, `tiny`, that replies `Good day.`; it records every decrypted byte.
struct Secure {
    address: String,
    heard: Arc<Mutex<String>>,
}

fn start() -> Secure {
    let certificate = CertificateDer::from(&include_bytes!("tls/server.der")[..]);
    let key = PrivatePkcs8KeyDer::from(&include_bytes!("tls/server.key.der")[..]);
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config =
        ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let config = config.unwrap().with_no_client_auth();
    let config = Arc::new(config.with_single_cert(vec![certificate], key.into()).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let heard: Arc<Mutex<String>> = Arc::default();
    let ears = heard.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().map(Result::unwrap) {
            let session = ServerConnection::new(config.clone()).unwrap();
            // a client that rejects the certificate closes the connection during the handshake
            let _ = answer(StreamOwned::new(session, stream), &ears);
        }
    });
    Secure { address, heard }
}

fn answer(
    stream: StreamOwned<ServerConnection, TcpStream>,
    heard: &Mutex<String>,
) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut head = String::new();
    let mut length = 0;
    while !head.ends_with("\r\n\r\n") {
        let from = head.len();
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
        if let Some(n) = head[from..].to_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().unwrap();
        }
    }
    heard.lock().unwrap().push_str(&head);
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let text = if head.starts_with("GET") {
        "{\"data\":[{\"id\":\"tiny\"}]}"
    } else {
        "data: {\"choices\":[{\"delta\":{\"content\":\"Good day.\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n"
    };
    let length = text.len();
    let stream = reader.get_mut();
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{text}"
    )?;
    stream.conn.send_close_notify();
    stream.flush()
}

#[test]
fn a_certificate_is_trusted_where_somebody_vouches_for_it() {
    let server = start();
    let house = House::new();
    let settings = format!(
        "[providers.mine]\nwire = \"openai\"\nbase_url = \"https://{}/v1\"\napi_key_env = \"MY_KEY\"\n",
        server.address
    );
    let settings = house.file("settings.toml", &settings);
    let talk = house.file(
        "talk.toml",
        "title = \"A talk\"\nlimits = { utterances = 2 }\n[[participant]]\nid = \"ada\"\nmodel = \"mine:tiny\"\n",
    );
    let run = |authority: &str| {
        let mut command = house.command(&["run", &talk, "--headless", "-c", &settings]);
        end(command.env("MY_KEY", KEY).env("SSL_CERT_FILE", authority).spawn().unwrap())
    };
    // an unrelated certificate authority
    let other = house.file("other.pem", include_str!("tls/other.pem"));
    let ran = run(&other).code(4);
    let told = format!("the server at {} failed the TLS handshake: ", server.address);
    assert!(ran.err.contains(&told), "{}", ran.err);
    assert!(ran.err.contains("SSL_CERT_FILE"), "{}", ran.err);
    assert_eq!(*server.heard.lock().unwrap(), "", "no byte of a request");

    let ran = run(&house.file("ca.pem", include_str!("tls/ca.pem"))).code(0);
    assert!(ran.out.contains("[2] ada\n  Good day."), "{}{}", ran.out, ran.err);
    let heard = server.heard.lock().unwrap();
    let requests = "the list and properties, for names, window and size, and two calls";
    assert_eq!(heard.matches(KEY).count(), 4, "{requests}: {heard}");
    assert!(!(ran.out + &ran.err).contains(KEY));
}
