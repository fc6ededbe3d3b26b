//! Images and documents as parts of what a model is told (TO-1).

use hookloop_model::{InlineData, Part, PartData};
use hookloop_tools::Media;
use serde_json::Map;

/// Makes a part of an image or a document.
pub(crate) fn inline(media: Media) -> Part {
    Part::new(PartData::InlineData(InlineData {
        mime_type: media.mime_type.to_owned(),
        data: media.data,
        extra: Map::new(),
    }))
}
