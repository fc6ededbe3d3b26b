//! Compresses the history: the model summarises older turns, and recent turns stay unchanged
//! (LO-5, PC-1).

use std::sync::Arc;

use hookloop_events::{CompressTrigger, PreCompressOutcome};
use hookloop_model::{Content, Part, PartData, Request, Speaker, estimate_tokens};

use crate::arrived::Purpose;
use crate::conversation::Conversation;
use crate::exchange::{WholeAnswer, exchange};
use crate::frontend::SessionEvent;
use crate::scope::Scope;
use crate::turn_end::TurnEnd;

/// The share of the history, in percent of its tokens, that stays unchanged.
const KEPT_PERCENT: u64 = 30;

const REQUEST: &str = "Summarise the conversation so far for your own use: from here on, your \
    notes are all that you will remember of it. Keep what the user wants, what was decided and \
    why, which files were read or changed and what matters in them, what was tried and with what \
    result, and what remains to be done. Write plain, dense notes, and nothing else.";

const ACKNOWLEDGEMENT: &str = "I have my notes and will continue from there.";

/// The notice if there is nothing to do, in the words that scripts look for (AG-CLI-6).
const NOTHING: &str = "Nothing to compress.";

/// Compresses the history if what would be sent is over the threshold, and the history has grown
/// since the last attempt (PC-1, `auto`).
pub(crate) async fn compress_if_needed(
    scope: &Scope,
    conversation: &mut Conversation,
) -> Result<(), TurnEnd> {
    let threshold = scope.services.compression;
    let limit = threshold.tokens(conversation.offer.window());
    if conversation.request_tokens() <= limit || !conversation.history.has_grown() {
        return Ok(());
    }
    compress(scope, conversation, CompressTrigger::Auto).await
}

/// Makes an attempt to compress (PC-1, LO-5).
pub(crate) async fn compress(
    scope: &Scope,
    conversation: &mut Conversation,
    trigger: CompressTrigger,
) -> Result<(), TurnEnd> {
    let unawaited = &scope.services.unawaited;
    if let Some(firing) = scope.hooks.pre_compress(trigger, unawaited.departure()) {
        unawaited.spawn(firing);
    }
    match scope.hooks.may_compress(trigger).await {
        Ok(PreCompressOutcome::Proceed) => {}
        Ok(PreCompressOutcome::Refuse(reason)) => {
            scope.warn(&format!(
                "a hook prevented the compression, so the history stays as it is: {reason}"
            ));
            conversation.history.note_attempt();
            return Ok(());
        }
        Ok(PreCompressOutcome::Stop(reason)) => {
            conversation.history.note_attempt();
            return Err(TurnEnd::Stopped(reason));
        }
        Err(cancelled) => return Err(cancelled.into()),
    }
    let contents = conversation.history.contents();
    let split = split_point(contents, trigger);
    let (older, recent) = (contents[..split].to_vec(), contents[split..].to_vec());
    let done = if older.is_empty() {
        scope.warn(&nothing_to_compress(scope, trigger));
        Ok(())
    } else {
        match summarise(scope, conversation, older).await {
            Ok(summary) => {
                adopt(scope, conversation, compressed(&summary, recent));
                Ok(())
            }
            Err(Unusable::Ends(end)) => Err(end),
            Err(Unusable::Why(why)) => {
                give_up(scope, &why);
                Ok(())
            }
        }
    };
    // Whatever the result, the next attempt is measured from here.
    conversation.history.note_attempt();
    done
}

/// Returns the text that nothing is old enough to be summarised.
fn nothing_to_compress(scope: &Scope, trigger: CompressTrigger) -> String {
    match trigger {
        CompressTrigger::Auto => format!(
            "{NOTHING} The conversation is over the threshold (`{}`), but all of it belongs to \
             the current turn.",
            scope.services.compression.setting()
        ),
        _ => NOTHING.to_owned(),
    }
}

/// A failed compression changes nothing, and is reported (LO-5).
fn give_up(scope: &Scope, why: &str) {
    scope.warn(&format!(
        "the history couldn't be compressed and stays as it is: {why}"
    ));
}

/// Continues with the compressed history, if it is any shorter.
fn adopt(scope: &Scope, conversation: &mut Conversation, compressed: Vec<Arc<Content>>) {
    let before = conversation.history.tokens();
    let after = estimate_tokens(compressed.iter().map(|content| &**content));
    let identity = scope.hooks.identity();
    scope
        .services
        .telemetry
        .chat_compression(identity, before, after);
    if after >= before {
        scope.warn(
            "Compression wouldn't help: the summary is no shorter than what it would replace. \
             The history stays as it is",
        );
        return;
    }
    conversation.shorten(&scope.services, compressed);
    scope.show(&SessionEvent::Compressed { before, after });
}

/// Lets the model summarise.
async fn summarise(
    scope: &Scope,
    conversation: &Conversation,
    mut older: Vec<Arc<Content>>,
) -> Result<String, Unusable> {
    older.push(Arc::new(Content::user(REQUEST)));
    let model = conversation.offer.model_name().to_owned();
    let mut answer = WholeAnswer::default();
    let request = Request::new(model, older);
    let exchanged = exchange(scope, request, Purpose::Compression, &mut answer).await;
    let exchanged = exchanged.map_err(TurnEnd::from)?;
    // An incomplete summary would lose the rest of the history for good (LO-3).
    if let Some(why) = exchanged.half("its summary") {
        return Err(Unusable::Why(why));
    }
    let text = answer.chunk.visible_text();
    if text.trim().is_empty() {
        return Err(Unusable::Why("the summary is empty".to_owned()));
    }
    Ok(text)
}

/// Why there is no summary.
enum Unusable {
    /// The turn ends.
    Ends(TurnEnd),
    /// The turn continues without.
    Why(String),
}

impl From<TurnEnd> for Unusable {
    fn from(end: TurnEnd) -> Self {
        match end {
            TurnEnd::Refused(reason, _) => Self::Why(format!("a hook refused it: {reason}")),
            TurnEnd::Failed(why) => Self::Why(why),
            end => Self::Ends(end),
        }
    }
}

/// Finds where the part that stays begins: at a message of the user with at most [`KEPT_PERCENT`]
/// of the tokens from there on, and never between a call and its response.
///
/// Anyone who requests it (`manual`) wants a conversation with a single turn summarised completely;
/// in a running one, the latest turn always stays.
fn split_point(contents: &[Arc<Content>], trigger: CompressTrigger) -> usize {
    let total = estimate_tokens(contents.iter().map(|content| &**content));
    let kept = total * KEPT_PERCENT / 100;
    let mut tokens = 0;
    let mut split = None;
    for (index, content) in contents.iter().enumerate().rev() {
        tokens += estimate_tokens([&**content]);
        if begins_turn(content) {
            // The latest turn is always kept, because the agent is working on it.
            if split.is_some() && tokens > kept {
                break;
            }
            split = Some(index);
        }
    }
    match (split.unwrap_or(0), trigger) {
        (0, CompressTrigger::Manual) if is_answered(contents) => contents.len(),
        (split, _) => split,
    }
}

/// Returns whether a conversation has been answered: nothing in it is pending.
fn is_answered(contents: &[Arc<Content>]) -> bool {
    contents
        .last()
        .is_some_and(|it| it.role == Speaker::Model && it.function_calls().next().is_none())
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
