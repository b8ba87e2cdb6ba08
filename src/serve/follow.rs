//! The connection that follows the conversation, and its renewal: another process may take the conversation over.

use super::audience::Audience;
use crate::live::client::{ClientError, Received, greet};
use crate::live::protocol::Attach;
use crate::model::Seq;
use std::path::Path;
use std::time::Duration;
use tokio::sync::oneshot;

/// Name of the connection among the clients.
const NAME: &str = "pages";
/// Pause before the next attempt to connect.
const PAUSE: Duration = Duration::from_secs(1);

/// Follows the conversation until the program ends. `caught_up` is sent once all events before the connection are
/// applied, or with the error of the first attempt.
pub async fn follow(
    socket: &Path,
    audience: &Audience,
    caught_up: oneshot::Sender<Result<(), ClientError>>,
) {
    let mut first = Some(caught_up);
    loop {
        let followed = follow_once(socket, audience, &mut first).await;
        audience.set_attached(false);
        if let (Err(fault), Some(first)) = (followed, first.take()) {
            // the opener may be gone
            let _ = first.send(Err(fault));
            return;
        }
        tokio::time::sleep(PAUSE).await;
    }
}

async fn follow_once(
    socket: &Path,
    audience: &Audience,
    first: &mut Option<oneshot::Sender<Result<(), ClientError>>>,
) -> Result<(), ClientError> {
    let greeted = greet(socket).await?;
    let past = greeted.hello.seq;
    let from = Some(audience.next_seq());
    let attach = Attach { from, name: Some(NAME.into()), watch: true };
    let (_, mut receiver, _sender) = greeted.attach(attach).await?;
    audience.set_attached(true);
    loop {
        if audience.next_seq() >= past.max(Seq(1))
            && let Some(first) = first.take()
        {
            // the opener may be gone
            let _ = first.send(Ok(()));
        }
        match receiver.next().await {
            Received::Event(record) => audience.apply(&record),
            Received::Piece(piece) => audience.push(piece),
            Received::Error(error) => return Err(ClientError::Refused(error)),
            Received::Bye(_) | Received::Lost => return Err(ClientError::Closed),
        }
    }
}
