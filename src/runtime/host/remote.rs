//! Conversations that another process runs, over its socket or by its file.

use super::running::{End, Leave, Run, RunningConversation, wanted};
use crate::clock::Clock;
use crate::engine::{Input, Stopped};
use crate::live::client::{ClientError, Greeted, Received, Receiver, Sender};
use crate::live::protocol::{Attach, Attached, Bye};
use crate::model::Ms;
use crate::session::{Feed, Follower};
use crate::state::State;
use tokio::sync::{mpsc, watch};

/// Commands that wait to be sent.
const COMMANDS_WAITING: usize = 64;
/// Interval between two looks at a file, in milliseconds. Text is written a few times per second.
const LOOK_MS: u64 = 100;

/// Attaches to a conversation; its tail begins where `attach` wants it to. Leaving it changes nothing.
pub async fn attach(
    greeted: Greeted,
    attach: Attach,
) -> Result<(Attached, RunningConversation), ClientError> {
    let (attached, receiver, sender) = greeted.attach(attach).await?;
    Ok((attached, start(|feed, orders| receive(receiver, sender, feed, orders))))
}

/// Follows a conversation by its file. Commands are ignored.
pub fn follow(follower: Follower) -> RunningConversation {
    start(|feed, _| read(follower, feed))
}

fn start<W: Future<Output = Result<Stopped, String>> + Send + 'static>(
    work: impl FnOnce(Feed, mpsc::Receiver<Input>) -> W,
) -> RunningConversation {
    let feed = Feed::new();
    let tail = feed.tail();
    let (commands, orders) = mpsc::channel(COMMANDS_WAITING);
    let (leave, leaves) = watch::channel(Leave::Stay);
    let work = work(feed, orders);
    let task = tokio::spawn(async move {
        let stop = tokio::select! { biased;
            () = wanted(leaves, Leave::End) => Ok(Stopped::Left),
            stop = work => stop,
        };
        End { state: State::default(), stop }
    });
    RunningConversation { tail, commands, run: Run::new(leave, task, None, None) }
}

/// Passes on events and pieces, and commands in the other direction, until the connection ends.
async fn receive(
    mut receiver: Receiver,
    mut sender: Sender,
    feed: Feed,
    mut orders: mpsc::Receiver<Input>,
) -> Result<Stopped, String> {
    let gone = || Err("the process that ran the conversation is gone".to_owned());
    loop {
        tokio::select! { biased;
            received = receiver.next() => match received {
                Received::Event(record) => feed.push(record),
                Received::Piece(piece) => feed.piece(piece),
                Received::Bye(Bye::Ended) => return Ok(Stopped::Ended),
                Received::Bye(Bye::Detached) => return Ok(Stopped::HandedOver),
                Received::Bye(Bye::Left) => {
                    return Err("the terminal that ran the conversation has left it".into());
                }
                Received::Bye(Bye::Slow) => {
                    return Err("this terminal read too slowly and was cut off".into());
                }
                Received::Error(_) | Received::Lost => return gone(),
            },
            Some(order) = orders.recv() => if let Input::Command { line, .. } = order {
                // the receiving end notices a lost connection
                let _ = sender.give(&line).await;
            },
        }
    }
}

async fn read(mut follower: Follower, feed: Feed) -> Result<Stopped, String> {
    let clock = Clock::real(Ms(0));
    loop {
        let fresh = follower.fresh().map_err(|fault| fault.to_string())?;
        fresh.into_iter().for_each(|record| feed.push(record));
        clock.advance(Some(clock.now().plus(LOOK_MS))).await;
    }
}
