use std::sync::Arc;

use hookloop_model::{Content, FunctionCall};
use proptest::prelude::*;
use serde_json::Map;

use hookloop_events::CompressTrigger::{Auto, Manual};

use super::{begins_turn, compressed, split_point};
use crate::limits::CompressionThreshold;

fn user(words: usize) -> Arc<Content> {
    Arc::new(Content::user("word ".repeat(words)))
}

fn model(words: usize) -> Arc<Content> {
    Arc::new(Content::model("word ".repeat(words)))
}

fn response() -> Arc<Content> {
    Arc::new(Content::responses([
        FunctionCall::new("glob", Map::new()).respond(Map::new())
    ]))
}

/// LO-5: recent turns stay, older ones are replaced.
#[test]
fn older_turns_go_and_recent_ones_stay() {
    let history = [
        user(100),
        model(100),
        user(100),
        model(100),
        user(10),
        model(10),
    ];
    assert_eq!(split_point(&history, Auto), 4);
}

/// LO-5: the latest turn stays, however large it is.
#[test]
fn the_latest_turn_stays() {
    assert_eq!(split_point(&[user(10), model(10), user(1000)], Auto), 2);
    assert_eq!(
        split_point(&[user(1000)], Auto),
        0,
        "nothing is old enough to be summarised"
    );
}

/// LO-5: a response to a call never loses its call.
#[test]
fn a_call_and_its_response_stay_together() {
    let history = [user(100), model(10), response(), model(10)];
    assert_eq!(split_point(&history, Auto), 0);
}

/// LO-5: on request, a conversation with a single turn is summarised too; one that waits for an
/// answer keeps its latest turn.
#[test]
fn one_answered_turn_is_summarised_on_request() {
    assert_eq!(split_point(&[user(10), model(10)], Manual), 2);
    assert_eq!(split_point(&[user(10), model(10)], Auto), 0);
    assert_eq!(split_point(&[user(10)], Manual), 0);
    assert_eq!(split_point(&[], Manual), 0);
    let called = [user(10), model(10), response(), model(10)];
    assert_eq!(split_point(&called, Manual), 4);
    assert_eq!(split_point(&called[..3], Manual), 0);
    let turns = [user(100), model(100), user(10), model(10)];
    assert_eq!(
        split_point(&turns, Manual),
        2,
        "recent turns stay where there are older ones"
    );
}

/// LO-5: the threshold is a share of the window, or a number of tokens.
#[test]
fn the_threshold_is_a_share_or_a_number() {
    assert_eq!(CompressionThreshold::ShareOfWindow(0.5).tokens(1000), 500);
    assert_eq!(CompressionThreshold::ShareOfWindow(7.0).tokens(1000), 1000);
    assert_eq!(CompressionThreshold::Tokens(12).tokens(1000), 12);
}

proptest! {
    /// LO-5: what stays begins with a message of the user, and nothing of it is lost.
    #[test]
    fn what_stays_begins_a_turn(kinds in prop::collection::vec(0..3_u8, 0..20)) {
        let history: Vec<Arc<Content>> = kinds
            .iter()
            .map(|kind| match kind {
                0 => user(20),
                1 => model(20),
                _ => response(),
            })
            .collect();
        let split = split_point(&history, Auto);
        prop_assert!(split == 0 || begins_turn(&history[split]));
        let after = compressed("notes", history[split..].to_vec());
        prop_assert_eq!(&after[2..], &history[split..]);
    }
}
