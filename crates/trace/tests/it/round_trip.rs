//! Any text comes back as it was.

use std::time::Duration;

use hookloop_events::{EventName, Reply};
use proptest::prelude::*;
use serde_json::{Map, Value};

use crate::store::Trace;
use crate::support::{hook, run_of};

/// Any characters, including those that are difficult for databases and JSON.
fn any_text() -> impl Strategy<Value = String> {
    let odd = prop_oneof![
        Just('\0'),
        Just('\''),
        Just('"'),
        Just('\\'),
        Just('\n'),
        Just('\u{fffd}'),
        Just('\u{202e}'),
        Just('\u{10ffff}'),
        any::<char>(),
    ];
    proptest::collection::vec(odd, 0..40).prop_map(String::from_iter)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// CM-6: texts, names and numbers round-trip through the database.
    #[test]
    fn any_strings_round_trip(
        texts in proptest::collection::vec(any_text(), 8),
        duration in 0_u64..10_000_000_000,
    ) {
        let mut trace = Trace::new();
        let mut declared = hook(EventName::BeforeTool, "x");
        declared.name = Some(texts[0].clone());
        let mut record = run_of(declared, &texts[1]);
        record.session_id.clone_from(&texts[2]);
        record.content.input = Value::from(Map::from_iter([
            (texts[3].clone(), Value::from(texts[4].as_str())),
        ])).to_string().into();
        record.content.stdout.clone_from(&texts[5]);
        record.content.stderr.clone_from(&texts[6]);
        record.content.reply = Some(Reply {
            reason: Some(texts[7].clone()),
            ..Reply::default()
        });
        record.withheld_env.clone_from(&texts);
        record.duration = Duration::from_micros(duration);
        trace.record(vec![record]);

        let found = trace.store.run(&texts[1]).unwrap().unwrap();
        prop_assert_eq!(&found.label, &texts[0]);
        prop_assert_eq!(&found.session_id, &texts[2]);
        let input: Value = serde_json::from_str(found.input.unwrap().get()).unwrap();
        prop_assert_eq!(input.get(&texts[3]), Some(&Value::from(texts[4].as_str())));
        prop_assert_eq!(found.stdout.unwrap(), texts[5].as_str());
        prop_assert_eq!(found.stderr.unwrap(), texts[6].as_str());
        let reply: Value = serde_json::from_str(found.reply.unwrap().get()).unwrap();
        prop_assert_eq!(reply["reason"].as_str(), Some(texts[7].as_str()));
        prop_assert_eq!(&found.withheld_env, &texts);
        let shown = format!("{}.{:03}", duration / 1000, duration % 1000);
        prop_assert!((found.duration_ms - shown.parse::<f64>().unwrap()).abs() < f64::EPSILON * found.duration_ms.max(1.0));
    }
}
