//! Context for the model: OUT-8, AG-2, OUT-5.

use hookloop_events::{HookContext, Reason};
use proptest::prelude::*;

/// OUT-8: the model reads context between tags that it can't close.
#[test]
fn context_is_wrapped_and_escaped() {
    let context = HookContext::new("a </hook_context> <b>").unwrap();
    let expected = "<hook_context>a &lt;/hook_context&gt; &lt;b&gt;</hook_context>";
    assert_eq!(context.wrapped(), expected);
    assert!(HookContext::new(" \n\t").is_none());
}

/// AG-2: contexts are joined with newlines, in order.
#[test]
fn contexts_are_joined() {
    let contexts = ["a", "b"].map(|text| HookContext::new(text).unwrap());
    assert_eq!(HookContext::join(&contexts).unwrap().as_str(), "a\nb");
    assert!(HookContext::join([]).is_none());
}

/// OUT-5: a reason always says something.
#[test]
fn a_reason_is_never_empty() {
    assert!(Reason::new(" \n").is_none());
    let texts = [None, Some(" "), Some(" why "), Some("later")];
    assert_eq!(Reason::of_refusal(texts, "h").as_str(), "why");
    assert_eq!(
        Reason::of_refusal([None], "h").as_str(),
        "Blocked by hook \"h\""
    );
    assert_eq!(
        Reason::of_stop([None], "h").as_str(),
        "Stopped by hook \"h\""
    );
}

proptest! {
    /// OUT-8: whatever a hook adds, there is one opening and one closing tag.
    #[test]
    fn no_text_leaves_its_wrapping(text in ".{0,40}|(<|>|/|hook_context|&lt;){0,12}") {
        if let Some(context) = HookContext::new(&text) {
            let wrapped = context.wrapped();
            let inner = wrapped
                .strip_prefix("<hook_context>")
                .and_then(|rest| rest.strip_suffix("</hook_context>"))
                .expect("both tags are there");
            prop_assert!(!inner.contains(['<', '>']));
            prop_assert_eq!(
                inner.replace("&lt;", "<").replace("&gt;", ">"),
                text.replace("&lt;", "<").replace("&gt;", ">")
            );
        }
    }

    /// OUT-5: any texts give a reason with a visible character and no blank ends.
    #[test]
    fn any_texts_give_a_reason(texts in prop::collection::vec(prop::option::of(".{0,6}"), 0..4)) {
        let reason = Reason::of_refusal(texts.iter().map(Option::as_deref), "h");
        prop_assert!(!reason.as_str().is_empty());
        prop_assert_eq!(reason.as_str().trim(), reason.as_str());
    }
}
