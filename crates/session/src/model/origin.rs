//! Where the name of a session's model comes from, for the message about a name that its service
//! doesn't know (MO-1, MO-2).

use hookloop_model::ModelOrigins;

use crate::model::ChosenModel;

/// Returns what is said about the name of a model that isn't found.
pub(super) fn origins(chosen: ChosenModel) -> ModelOrigins {
    ModelOrigins::new(move |asked| Some(told(&chosen, asked)))
}

fn told(chosen: &ChosenModel, asked: &str) -> String {
    let place = (asked == chosen.served).then(|| {
        let is_alias = chosen.name != chosen.served;
        let alias = is_alias.then(|| format!("\"{}\" stands for it: ", chosen.name));
        format!("{}{}; ", alias.unwrap_or_default(), chosen.named_by)
    });
    let place = place.unwrap_or_default();
    format!("{place}`/model` in a session lists those of the service")
}

#[cfg(test)]
mod tests {
    use hookloop_hook::{Position, Source};
    use hookloop_settings::{AgentSettings, Provided};

    use super::*;
    use crate::environment::Environment;
    use crate::model::chosen_model;
    use crate::options::Options;

    /// Returns what is said if a session's model isn't found.
    fn said(option: Option<&str>, variables: &[(&str, &str)], settings: &AgentSettings) -> String {
        let options = Options {
            model: option.map(str::to_owned),
            ..Options::default()
        };
        let environment = Environment::from_variables(variables);
        let chosen = chosen_model(&options, &environment, settings).expect("a model");
        let served = chosen.served.clone();
        told(&chosen, &served)
    }

    /// MO-1, MO-2: the place that names the model is the one that counts, of each kind of service;
    /// another model, which a hook or somebody in the session chose, isn't said to come from there.
    #[test]
    fn the_place_of_a_model_is_known() {
        let none = AgentSettings::default();
        let mut source = Source::of_file("/p/.gemini/settings.json".as_ref());
        source.position = Some(Position { line: 3, column: 5 });
        let written = AgentSettings {
            model_name: Some(Provided {
                value: "written".to_owned(),
                source: Some(source),
            }),
            ..AgentSettings::default()
        };
        assert!(said(Some("x"), &[("GEMINI_MODEL", "y")], &written).contains("--model"));
        for (key, name) in [
            ("GEMINI_API_KEY", "GEMINI_MODEL"),
            ("OPENAI_API_KEY", "OPENAI_MODEL"),
            ("ANTHROPIC_API_KEY", "ANTHROPIC_MODEL"),
        ] {
            let variables = [(key, "k"), (name, "y")];
            assert!(said(None, &variables, &written).contains(name));
            let of_file = said(None, &variables[..1], &written);
            assert!(
                of_file.contains("/p/.gemini/settings.json:3:5"),
                "{of_file}"
            );
            assert!(said(None, &variables[..1], &none).contains("nothing names"));
        }
        let options = Options::default();
        let chosen = chosen_model(&options, &Environment::from_variables(&[]), &written);
        let other = told(&chosen.expect("a model"), "other");
        assert!(
            !other.contains("settings.json") && other.contains("`/model`"),
            "{other}"
        );
    }
}
