//! Hooks that need a part that the program was built without.

use std::sync::Arc;

use hookloop_engine::{Ending, Executor as _};
use hookloop_exec::{MissingPart, missing_part};
use hookloop_hook::{Handler, HttpRequest, Plugin};

use crate::support::Stage;

/// IO-21: a hook whose type the program was built without couldn't start, and says why and what to
/// do. What the program has isn't missing.
#[tokio::test]
async fn a_hook_without_its_part_couldnt_start() {
    let http = MissingPart::new("HTTP", "http");
    let plugins = MissingPart::new("plugins", "plugins");
    let handlers = [
        (
            Handler::Http(HttpRequest::default()),
            http,
            cfg!(feature = "http"),
        ),
        (
            Handler::Plugin(Plugin::default()),
            plugins,
            cfg!(feature = "plugins"),
        ),
    ];
    for (handler, part, is_built) in handlers {
        assert_eq!(missing_part(&handler), (!is_built).then_some(part));
        let stage = Stage::new();
        let mut invocation = stage.invocation("");
        Arc::make_mut(&mut invocation.hook).handler = handler;
        let completion = stage.executor().execute(invocation).await;
        let Ending::NotStarted(why) = &completion.ending else {
            panic!("{completion:?}");
        };
        assert_eq!(!is_built, why.contains("was built without"), "{why}");
        let remedy = format!("--features {}", part.feature);
        assert_eq!(!is_built, why.contains(&remedy), "{why}");
    }
}
