//! Models of one run: their requests, the positions of their replies, and the cost.

use super::super::fault::TestFault;
use super::budget::RealModel;
use super::file::{NoReply, RecordMode, ReplyFile};
use super::live::{self, ModelReply};
use super::request::{ModelRequest, ReplyPlace};
use crate::model::{ErrorClass, Price, Usage};
use crate::voice::CallRequest;
use parking_lot::Mutex;
use regex::Regex;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Start of the names of models that an option places.
const ENDPOINT: &str = "endpoint:";

/// Usage of models in a test, and its cost.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Charged {
    /// Number of requests of this run.
    pub asked: u32,
    /// Number of replies from the recording.
    pub recorded: u32,
    /// Tokens of this run's requests.
    pub tokens: u64,
    /// Dollars of this run's requests, as far as prices are known.
    pub usd: f64,
}

impl Charged {
    /// Adds the usage of other calls.
    pub fn add(&mut self, other: &Charged) {
        self.asked += other.asked;
        self.recorded += other.recorded;
        self.tokens += other.tokens;
        self.usd += other.usd;
    }
}

pub struct RunModels {
    replies: Arc<ReplyFile>,
    asking: RecordMode,
    folder: PathBuf,
    /// Command that runs only this test.
    command: String,
    /// Models by name in the test, or the reason why one is not available.
    models: BTreeMap<String, Result<RealModel, TestFault>>,
    charged: Mutex<BTreeMap<&'static str, Charged>>,
}

impl RunModels {
    /// Returns the models of a test, keyed by their names in it; `folder` is the folder of its scripts, and `command`
    /// runs only that test.
    pub fn new(
        replies: Arc<ReplyFile>,
        asking: RecordMode,
        folder: PathBuf,
        command: String,
        models: BTreeMap<String, Result<RealModel, TestFault>>,
    ) -> RunModels {
        RunModels { replies, asking, folder, command, models, charged: Mutex::default() }
    }

    /// Returns a model by name, if the user's settings have it.
    pub fn find(&self, name: &str) -> Option<&RealModel> {
        self.models.get(name).and_then(|model| model.as_ref().ok())
    }

    /// Returns the usage so far, by purpose.
    pub fn charged(&self) -> BTreeMap<&'static str, Charged> {
        self.charged.lock().clone()
    }

    /// Returns the reply of a model, recorded or live; the call is charged to `account`.
    pub async fn reply(
        &self,
        name: &str,
        ask: CallRequest,
        place: ReplyPlace,
        ignored: &[Regex],
        account: &'static str,
    ) -> Result<ModelReply, NoReply> {
        let model = self.models.get(name);
        let known = model.and_then(|model| model.as_ref().ok());
        let name = known.map_or(name, |model| &model.name);
        let request = ModelRequest::new(&ask, name, place, ignored, &self.folder);
        let address = known.map(|model| model.address.as_str());
        let live = async {
            match known {
                Some(model) => live::ask(model, ask).await,
                // never reached: no model is called without an address
                None => Ok(ModelReply::default()),
            }
        };
        let found = self.replies.reply(&request, address, self.asking, live).await;
        let (reply, fresh) = found.map_err(|no| match (no, model) {
            (NoReply::Missing(why), Some(Err(unknown))) if self.asking.calls_models() => {
                NoReply::Missing(format!("{why}; {unknown}").into())
            }
            (NoReply::Missing(why), _) => {
                // the address of a server is never recorded
                let server = if name.starts_with(ENDPOINT) { " --endpoint URL" } else { "" };
                let command = &self.command;
                NoReply::Missing(
                    format!("{why}; ask and record it: {command}{server} --ask").into(),
                )
            }
            (NoReply::Call(failure), _) if failure.class == ErrorClass::Budget => {
                NoReply::Missing(failure.text.to_string().into())
            }
            (no, _) => no,
        })?;
        self.charge(account, &reply.usage, known.and_then(|model| model.price), fresh);
        Ok(reply)
    }

    fn charge(
        &self,
        account: &'static str,
        usage: &Option<Usage>,
        price: Option<Price>,
        fresh: bool,
    ) {
        let mut all = self.charged.lock();
        let charged = all.entry(account).or_default();
        if !fresh {
            charged.recorded += 1;
            return;
        }
        charged.asked += 1;
        if let Some(usage) = usage {
            charged.tokens += usage.tokens();
            charged.usd += price.map_or(0.0, |price| price.cost(usage).into());
        }
    }
}
