//! Known tool calls and results: calls given by the test, and results that are played or recorded.

use super::super::fault::TestFault;
use super::Stage;
use crate::model::{Channel, Purpose, ToolRequest, Usage};
use crate::testing::plan::Speaker;
use crate::testing::tools::{self, PlayedTool};
use crate::tool::{RunningTool, ToolJob, ToolResult, Tools};
use crate::voice::{CallRequest, Chunk, Done};

impl Stage {
    /// Returns the reply to a call whose tool calls are given by the test: the calls, then the text, if any.
    pub(super) fn given(&self, ask: &CallRequest) -> Option<Vec<Chunk>> {
        if ask.purpose != Purpose::Speak {
            return None;
        }
        let given = self.test.given.get(&ask.seat.id)?;
        let mut kept = self.kept.lock();
        let turns = kept.given.entry(ask.seat.id.clone()).or_default();
        let at = turns.iter().position(|turn| *turn == ask.turn).or_else(|| {
            turns.push(ask.turn);
            (turns.len() <= given.len()).then_some(turns.len() - 1)
        })?;
        let given = given.get(at)?;
        // given calls use no tokens
        let done = Done { usage: Some(Usage::default()), ..Done::default() };
        if ask.prompt.tools.is_empty() {
            let tools = given.calls.iter().map(|call| call.request.clone()).collect();
            return Some(vec![Chunk::Done(Done { tools, ..done })]);
        }
        let text = given.text.clone()?;
        Some(vec![Chunk::Piece(Channel::Say, text), Chunk::Done(done)])
    }

    /// Returns the known result of a tool: given, played or recorded; the error suggests an addition to the test.
    fn result(&self, job: &ToolJob) -> Result<ToolResult, TestFault> {
        let mut kept = self.kept.lock();
        let of_seat = kept.given.get(&job.participant);
        let at = of_seat.and_then(|turns| turns.iter().position(|turn| *turn == job.turn));
        let turns = self.test.given.get(&job.participant);
        let request = ToolRequest { tool: job.tool.name.clone(), arguments: job.arguments.clone() };
        let given = at.and_then(|at| turns?.get(at));
        let known = given.and_then(|given| given.calls.iter().find(|call| call.request == request));
        if let Some(known) = known {
            return Ok(known.result());
        }
        if let Some(PlayedTool::Results(results)) = self.test.tools.get(&*job.tool.name) {
            let facts = tools::facts_of(job, &self.test.variables);
            let used = kept.returned.entry(job.tool.name.clone()).or_default();
            let at = tools::choose(results, used, &facts);
            let result = at.and_then(|at| Some((at, results.get(at)?)));
            let (at, result) = result.ok_or_else(|| {
                format!("the tool `{}` has no result left for this call", job.tool.name)
            })?;
            if !result.every {
                used.push(at);
            }
            let wrong = |why| format!("the tool `{}` has an invalid result: {why}", job.tool.name);
            return Ok(result.result(&facts).map_err(wrong)?);
        }
        if let Some(Speaker::Recorded(recording)) = self.test.voices.get(&job.participant)
            && let Some(turn) = kept.recorded.get(&job.turn)
            && let Some(result) = recording.returned(&job.participant, *turn, &request)
        {
            return Ok(result);
        }
        Err(format!(
            "`{0}` called the tool `{1}`, and the test does not say what it returns; add [[tool]] with \
             name = \"{1}\" and results = [\"...\"]",
            job.participant, job.tool.name
        ).into())
    }
}

impl Tools for Stage {
    fn run(&self, job: ToolJob) -> RunningTool {
        let played = self.test.tools.get(&*job.tool.name);
        let is_real = match played {
            Some(PlayedTool::Script) => true,
            Some(PlayedTool::Results(_)) => false,
            None => job.tool.reads_files() && self.test.files.is_some(),
        };
        let result = self.result(&job);
        match (&self.own.tools, result) {
            (Some(own), Err(_)) if is_real => own.run(job),
            (_, Ok(result)) => Box::pin(async { result }),
            (_, Err(why)) => {
                self.kept.lock().faults.push(why.to_string());
                Box::pin(async { ToolResult::failed(why) })
            }
        }
    }
}
