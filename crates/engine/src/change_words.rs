//! Other agents' field names for a change to the value that a hook judges (IO-26).

use hookloop_events::EventName;
use hookloop_events::refusal::squashed;

/// Words for a change, in lower case without `_` and `-`, and what is written instead of them.
pub(crate) struct Words {
    event: EventName,
    /// Words that can mean nothing else.
    distinct: &'static [&'static str],
    /// Words that a reply may also contain with another meaning: they count only in
    /// `hookSpecificOutput`.
    general: &'static [&'static str],
    pub(crate) meant: &'static str,
}

const WORDS: [Words; 5] = [
    Words {
        event: EventName::BeforeTool,
        distinct: &[
            "toolinput",
            "toolargs",
            "updatedinput",
            "updatedtoolinput",
            "updatedargs",
            "modifiedinput",
            "modifiedtoolinput",
            "modifiedargs",
            "newinput",
            "newtoolinput",
            "newargs",
        ],
        general: &["args", "arguments", "input", "parameters", "params"],
        meant: "`hookSpecificOutput.tool_input`",
    },
    Words {
        event: EventName::BeforeModel,
        distinct: &[
            "llmrequest",
            "modelrequest",
            "updatedrequest",
            "modifiedrequest",
            "newrequest",
        ],
        general: &["request", "messages", "contents"],
        meant: "`hookSpecificOutput.llm_request`",
    },
    Words {
        event: EventName::BeforeModel,
        distinct: &["llmresponse", "modelresponse", "syntheticresponse"],
        general: &["response"],
        meant: "`hookSpecificOutput.llm_response`",
    },
    Words {
        event: EventName::AfterModel,
        distinct: &[
            "llmresponse",
            "modelresponse",
            "syntheticresponse",
            "updatedresponse",
            "modifiedresponse",
            "newresponse",
            "updatedtext",
            "modifiedtext",
            "newtext",
        ],
        general: &["text", "content", "fullcontent", "candidates", "response"],
        meant: "`hookSpecificOutput.llm_response`",
    },
    Words {
        event: EventName::AfterTool,
        distinct: &[
            "updatedtooloutput",
            "updatedmcptooloutput",
            "updatedtoolresponse",
            "updatedtoolresult",
            "updatedoutput",
            "updatedresponse",
            "updatedresult",
            "modifiedtooloutput",
            "modifiedtoolresponse",
            "modifiedtoolresult",
            "modifiedoutput",
            "modifiedresponse",
            "modifiedresult",
            "newoutput",
            "newresponse",
            "newresult",
        ],
        general: &[
            "toolresponse",
            "toolresult",
            "tooloutput",
            "llmcontent",
            "returndisplay",
        ],
        meant: "`\"decision\": \"deny\"` with the new text as `reason`, at the top of the reply",
    },
];

/// Where a key is in a reply.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Top,
    Own,
}

/// Returns what is written instead of a word that others use for a change.
pub(crate) fn expected_word(event: EventName, key: &str) -> Option<&'static str> {
    words_for(event, key, Place::Own).map(|it| it.meant)
}

/// Returns the words of an event that a key is one of, if it is.
pub(crate) fn words_for(event: EventName, key: &str, place: Place) -> Option<&'static Words> {
    let word = squashed(key);
    let is_word = |words: &&Words| {
        words.event == event
            && (words.distinct.contains(&word.as_str())
                || place == Place::Own && words.general.contains(&word.as_str()))
    };
    WORDS.iter().find(is_word)
}
