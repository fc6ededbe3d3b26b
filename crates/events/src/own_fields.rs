//! The events' own fields, for code that knows an event only by its name.

use hookloop_hook::EventName;

use crate::after_agent::AfterAgent;
use crate::after_model::AfterModel;
use crate::after_tool::AfterTool;
use crate::before_agent::BeforeAgent;
use crate::before_model::BeforeModel;
use crate::before_tool::BeforeTool;
use crate::before_tool_selection::BeforeToolSelection;
use crate::event::Event;
use crate::notification::Notification;
use crate::pre_compress::PreCompress;
use crate::session_end::SessionEnd;
use crate::session_start::SessionStart;

/// Returns the fields of `hookSpecificOutput` that an event knows (OUT-6): its
/// [`Event::OWN_FIELDS`].
pub const fn own_fields(event: EventName) -> &'static [&'static str] {
    match event {
        EventName::SessionStart => SessionStart::OWN_FIELDS,
        EventName::SessionEnd => SessionEnd::OWN_FIELDS,
        EventName::BeforeAgent => BeforeAgent::OWN_FIELDS,
        EventName::AfterAgent => AfterAgent::OWN_FIELDS,
        EventName::BeforeModel => BeforeModel::OWN_FIELDS,
        EventName::BeforeToolSelection => BeforeToolSelection::OWN_FIELDS,
        EventName::AfterModel => AfterModel::OWN_FIELDS,
        EventName::BeforeTool => BeforeTool::OWN_FIELDS,
        EventName::AfterTool => AfterTool::OWN_FIELDS,
        EventName::PreCompress => PreCompress::OWN_FIELDS,
        EventName::Notification => Notification::OWN_FIELDS,
    }
}
