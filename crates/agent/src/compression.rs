//! Makes room in the history: older turns are summarised by the model, recent ones stay
//! (LO-5, PC-1).

use std::sync::Arc;

use hookloop_engine::{Clock, SystemClock};
use hookloop_events::CompressTrigger;
use hookloop_model::{
    Chunk, Content, Part, PartData, Request, Speaker, estimate_tokens, window_tokens,
};

use crate::frontend::SessionEvent;
use crate::spans::Purpose;
use crate::transcript::Entry;
use crate::turn::Turn;
use crate::turn_end::TurnEnd;
use crate::whole_answer;

/// Above which size the history is compressed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CompressionThreshold {
    /// A share of the model's window, from 0 to 1 (`model.compressionThreshold`).
    ShareOfWindow(f64),
    /// A number of tokens (`contextCompression.targetTokenCount`).
    Tokens(u64),
}

impl Default for CompressionThreshold {
    fn default() -> Self {
        Self::ShareOfWindow(0.5)
    }
}

impl CompressionThreshold {
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a window of millions of tokens is far below the precision of the product, \
                  and a share is clamped to 0…1"
    )]
    fn tokens(self, model: &str) -> u64 {
        match self {
            Self::Tokens(tokens) => tokens,
            Self::ShareOfWindow(share) => {
                (window_tokens(model) as f64 * share.clamp(0.0, 1.0)) as u64
            }
        }
    }
}

/// Which share of the history, in percent of its tokens, stays as it is.
const KEPT_PERCENT: u64 = 30;

const REQUEST: &str = "Summarise the conversation so far for your own use: from here on your \
    notes are all that you remember of it. Keep what the user wants, what was decided and why, \
    which files were read or changed and what matters in them, what was tried and how it ended, \
    and what is left to do. Write plain, dense notes, and nothing else.";

const ACKNOWLEDGEMENT: &str = "I have my notes and go on from there.";

impl Turn<'_> {
    /// Compresses the history if it is over the threshold (PC-1, `auto`).
    pub(crate) async fn compress_if_needed(&mut self) -> Result<(), TurnEnd> {
        let parts = &self.session.parts;
        let threshold = parts.compression.tokens(&parts.model_name);
        if self.session.history.tokens() <= threshold || self.compression_failed {
            return Ok(());
        }
        self.compress(CompressTrigger::Auto).await
    }

    /// Makes an attempt to compress (PC-1, LO-5).
    pub(crate) async fn compress(&mut self, trigger: CompressTrigger) -> Result<(), TurnEnd> {
        let departure = self.session.parting.departure();
        if let Some(firing) = self.hooks.pre_compress(trigger, departure) {
            self.session.parting.spawn(firing);
        }
        let contents = self.session.history.contents();
        let split = split_point(contents);
        let (older, recent) = (contents[..split].to_vec(), contents[split..].to_vec());
        if older.is_empty() {
            if trigger == CompressTrigger::Manual {
                self.give_up("nothing in it is old enough to be summarised");
            }
            return Ok(());
        }
        match self.summarise(older).await {
            Ok(summary) => self.adopt(compressed(&summary, recent)),
            Err(Unusable::Ends(end)) => return Err(end),
            Err(Unusable::Why(why)) => self.give_up(&why),
        }
        Ok(())
    }

    /// A failed compression changes nothing, and is said (LO-5).
    fn give_up(&mut self, why: &str) {
        self.compression_failed = true;
        self.session.show(&SessionEvent::Warning(&format!(
            "the history could not be compressed and stays as it is: {why}"
        )));
    }

    /// Goes on with the compressed history, if it is any shorter.
    fn adopt(&mut self, compressed: Vec<Arc<Content>>) {
        let before = self.session.history.tokens();
        let after = estimate_tokens(compressed.iter().map(|content| &**content));
        if after >= before {
            self.give_up("the summary is no shorter than what it stands for");
            return;
        }
        self.session.parts.transcript.append(&Entry::Compressed {
            timestamp: SystemClock.now(),
            history: compressed.iter().map(|content| &**content).collect(),
        });
        self.session.history.replace(compressed);
        self.session
            .show(&SessionEvent::Compressed { before, after });
    }

    /// Lets the model summarise.
    async fn summarise(&mut self, mut older: Vec<Arc<Content>>) -> Result<String, Unusable> {
        older.push(Arc::new(Content::user(REQUEST)));
        let model = self.session.parts.model_name.clone();
        let request = Request::new(model, older);
        let answer = whole_answer::ask(self, &self.hooks, request, Purpose::Compression).await;
        text_of(&answer.map_err(Unusable::from)?.chunk)
    }
}

/// Why there is no summary.
enum Unusable {
    /// The turn ends.
    Ends(TurnEnd),
    /// The turn goes on without.
    Why(String),
}

impl From<TurnEnd> for Unusable {
    fn from(end: TurnEnd) -> Self {
        match end {
            TurnEnd::Refused(reason) => Self::Why(format!("a hook refused it: {reason}")),
            TurnEnd::Failed(why) => Self::Why(why),
            end => Self::Ends(end),
        }
    }
}

fn text_of(chunk: &Chunk) -> Result<String, Unusable> {
    let text = chunk.visible_text();
    if text.trim().is_empty() {
        return Err(Unusable::Why("the summary is empty".to_owned()));
    }
    Ok(text)
}

/// Finds where the part begins that stays: at a message of the user with at most
/// [`KEPT_PERCENT`] of the tokens from there on, and never between a call and its response.
fn split_point(contents: &[Arc<Content>]) -> usize {
    let total = estimate_tokens(contents.iter().map(|content| &**content));
    let kept = total * KEPT_PERCENT / 100;
    let mut tokens = 0;
    let mut split = None;
    for (index, content) in contents.iter().enumerate().rev() {
        tokens += estimate_tokens([&**content]);
        if begins_turn(content) {
            // The latest turn stays in any case: it is what the agent works on.
            if split.is_some() && tokens > kept {
                break;
            }
            split = Some(index);
        }
    }
    split.unwrap_or(0)
}

fn begins_turn(content: &Content) -> bool {
    let answers_call = |part: &Part| matches!(part.data, PartData::FunctionResponse(_));
    content.role == Speaker::User && !content.parts.iter().any(answers_call)
}

fn compressed(summary: &str, recent: Vec<Arc<Content>>) -> Vec<Arc<Content>> {
    let notes = Content::user(format!(
        "<notes_so_far>\n{}\n</notes_so_far>",
        summary.trim()
    ));
    [notes, Content::model(ACKNOWLEDGEMENT)]
        .into_iter()
        .map(Arc::new)
        .chain(recent)
        .collect()
}

#[cfg(test)]
mod tests;
