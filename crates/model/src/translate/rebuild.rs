//! Merges the hooks' changes to messages into the contents, of which hooks saw only a part (BM-2).

use std::sync::Arc;

use hookloop_events::llm::{LlmMessage, Role};

use super::align::Step;
use crate::content::Content;

/// Builds the contents again.
///
/// `places` tells which content each old message stands for. Contents that hooks didn't see stay;
/// one whose text was removed stays if it contains anything else. An added message is put before
/// the next old one, or at the end, but never between a function call and its response: then it
/// precedes the call if the order of the messages allows it, and otherwise follows the response.
pub(crate) fn rebuild(
    contents: &[Arc<Content>],
    places: &[usize],
    new: &[&LlmMessage],
    steps: &[Step],
) -> Vec<Arc<Content>> {
    let mut texts: Vec<Option<&str>> = vec![None; contents.len()];
    let mut inserted: Vec<Vec<&LlmMessage>> = vec![Vec::new(); contents.len() + 1];
    // New messages since the last old one, whose content ends at `from`.
    let mut waiting: Vec<&LlmMessage> = Vec::new();
    let mut from = 0;
    let mut at_start = true;
    for step in steps {
        let (old, text) = match *step {
            Step::Insert { new: index } => {
                waiting.push(new[index]);
                continue;
            }
            // A removed message isn't a landmark, because it has no position in the hook's list.
            Step::Remove { old } => {
                texts[places[old]] = Some("");
                continue;
            }
            Step::Keep { old } => (old, None),
            Step::Edit { old, new: index } => (old, Some(new[index].content.as_str())),
        };
        let place = places[old];
        texts[place] = text;
        let until = if at_start { 0 } else { place };
        inserted[gap(contents, from, until)].append(&mut waiting);
        from = place + 1;
        at_start = false;
    }
    inserted[gap(contents, from, contents.len())].append(&mut waiting);

    let mut rebuilt = Vec::with_capacity(contents.len() + new.len());
    for (place, messages) in inserted.iter().enumerate() {
        rebuilt.extend(messages.iter().map(|message| Arc::new(to_content(message))));
        if let Some(content) = contents.get(place) {
            rebuilt.extend(with_text(content, texts[place]));
        }
    }
    rebuilt
}

/// Finds the gap for added messages: the last one of `from..=until` that doesn't separate a call
/// from its response, or otherwise the first one after it. Gap `n` is the one before content `n`.
fn gap(contents: &[Arc<Content>], from: usize, until: usize) -> usize {
    let open = |gap: &usize| !splits_pair(contents, *gap);
    (from..=until)
        .rev()
        .find(open)
        .or_else(|| (until..=contents.len()).find(open))
        .unwrap_or(contents.len())
}

/// Returns whether a function response is right after the gap, and before it the call, or
/// another response to it.
fn splits_pair(contents: &[Arc<Content>], gap: usize) -> bool {
    let Some([before, after]) = gap
        .checked_sub(1)
        .and_then(|before| contents.get(before..=gap))
    else {
        return false;
    };
    let calls =
        before.function_calls().next().is_some() || before.function_responses().next().is_some();
    calls && after.function_responses().next().is_some()
}

/// Returns the content with its text replaced, or `None` if nothing is left of it.
fn with_text(content: &Arc<Content>, text: Option<&str>) -> Option<Arc<Content>> {
    let Some(text) = text else {
        return Some(Arc::clone(content));
    };
    let mut content = Content::clone(content);
    content.replace_text(text);
    (!content.parts.is_empty()).then(|| Arc::new(content))
}

fn to_content(message: &LlmMessage) -> Content {
    match message.role {
        Role::Model => Content::model(&message.content),
        Role::User | Role::System => Content::user(&message.content),
    }
}
