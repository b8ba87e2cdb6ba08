//! Test with a real model, run by hand with a server of OpenAI's format at `http://127.0.0.1:18080/v1`:
//! `cargo test --test cli remote::real -- --ignored --nocapture`.

use crate::remote::call::{endpoint, request, speak};
use colloquium::model::{ModelSpec, Timeouts};
use colloquium::net::Client;
use colloquium::voice::remote::{Wire, models};
use std::sync::Arc;

const ADDRESS: &str = "http://127.0.0.1:18080/v1";

#[tokio::test]
#[ignore = "needs a server: cargo test --test cli remote::real -- --ignored --nocapture"]
async fn a_real_model_speaks() {
    println!(
        "models: {:?}",
        models(Client::new(), Arc::new(endpoint(Wire::OpenAi, ADDRESS))).await
    );
    for max_tokens in [40, 80, 8] {
        let spec = ModelSpec { max_tokens: Some(max_tokens), ..ModelSpec::default() };
        let came = speak(endpoint(Wire::OpenAi, ADDRESS), request(Timeouts::default(), spec)).await;
        println!("{} pieces: {:?}\n  {:?}", came.pieces.len(), came.say(), came.end());
        assert!(came.pieces.len() > 1 && came.end().is_ok());
    }
}
