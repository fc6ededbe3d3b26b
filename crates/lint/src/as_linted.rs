//! Hooks in which the same is wrong, because everything is equal that is looked at.

use std::hash::{Hash, Hasher};

use hookloop_hook::{HookDeclaration, Source};
use hookloop_settings::MatchedTools;

/// A hook without its name and its place, and without what decides only when it runs and how it is
/// shown. Of its matcher, the tools that it names count: their fields are what a script may read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct AsLinted<'h>(pub(crate) &'h HookDeclaration);

impl PartialEq for AsLinted<'_> {
    fn eq(&self, other: &Self) -> bool {
        // Each field is named, so that a new one isn't left out by mistake.
        let HookDeclaration {
            id: _,
            event,
            handler,
            broken,
            name: _,
            description: _,
            matcher: _,
            grouping: _,
            timeout: _,
            env,
            on_failure,
            dialect,
            dialect_event,
            mode,
            condition: _,
            recheck,
            data,
            hold_back: _,
            chunks,
            status_message: _,
            asynchronous,
            rewakes,
            loop_limit,
            skips_confirmation,
            once,
            agents,
            withholds,
            sandbox,
            in_their_file,
            from: _,
            source:
                Source {
                    layer,
                    extension: _,
                    file: _,
                    position: _,
                },
            extension,
            places: _,
        } = self.0;
        let other = other.0;
        *event == other.event
            && *handler == other.handler
            && *broken == other.broken
            && *env == other.env
            && *on_failure == other.on_failure
            && *dialect == other.dialect
            && *dialect_event == other.dialect_event
            && *mode == other.mode
            && *recheck == other.recheck
            && *data == other.data
            && *chunks == other.chunks
            && *asynchronous == other.asynchronous
            && *rewakes == other.rewakes
            && *loop_limit == other.loop_limit
            && *skips_confirmation == other.skips_confirmation
            && *once == other.once
            && *agents == other.agents
            && *withholds == other.withholds
            && *sandbox == other.sandbox
            && *in_their_file == other.in_their_file
            && *layer == other.source.layer
            && *extension == other.extension
            && MatchedTools::of(self.0) == MatchedTools::of(other)
    }
}

impl Eq for AsLinted<'_> {}

impl Hash for AsLinted<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let hook = self.0;
        // What differs most often is enough to tell most hooks apart.
        hook.handler.summary().hash(state);
        hook.handler.args().hash(state);
        hook.event.hash(state);
        hook.env.hash(state);
    }
}
