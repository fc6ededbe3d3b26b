//! The tools that reach the web through the model's own tools.

mod google_web_search;
mod grounding;
mod web_fetch;

pub use google_web_search::GoogleWebSearch;
pub use grounding::{Grounding, GroundingKind, GroundingUnavailable};
pub use web_fetch::WebFetch;
