use serde_json::Value;

use crate::world::World;

/// ST-9, CM-8: `schema` prints the JSON Schema of settings files, in either format.
#[test]
fn the_schema_is_printed() {
    let world = World::new();
    for arguments in [&["schema"][..], &["schema", "--json"]] {
        let finished = world.hooks(arguments);
        assert_eq!((finished.code, finished.stderr.as_str()), (Some(0), ""));
        let schema: Value = serde_json::from_str(&finished.stdout).unwrap();
        assert_eq!(schema["$schema"], "http://json-schema.org/draft-07/schema#");
        for key in ["hooks", "hooksConfig", "mcpServers", "security"] {
            assert!(schema["properties"][key].is_object(), "{key}");
        }
    }
}
