//! What is set for single models: `model.settings`, and `modelConfigs` of Gemini CLI (MO-6).

use serde_json::{Map, Value};

use crate::provided::Provided;

/// The most aliases that may extend each other.
const LONGEST_CHAIN: usize = 16;

/// What is set for models, by their names (MO-6).
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelTable {
    /// By names, which may end in `*`; those of a higher layer first.
    pub(crate) settings: Vec<(String, Provided<ModelSettings>)>,
    /// Other names of models, those of a higher layer first.
    pub(crate) aliases: Vec<(String, Provided<ModelAlias>)>,
}

/// What is set for a model.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelSettings {
    /// The parameters of its requests, named as in Gemini's API: `temperature`, `maxOutputTokens`,
    /// …
    pub parameters: Map<String, Value>,
    /// The size of its context window, in tokens.
    pub context_window: Option<u64>,
}

/// Another name for a model, with what is set for it under this name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ModelAlias {
    /// The model; `None` for that of the alias that it extends.
    pub model: Option<String>,
    /// The alias that it extends.
    pub extends: Option<String>,
    /// What is set.
    pub settings: ModelSettings,
}

/// The model that a name stands for, and what is set for it.
#[derive(Debug, Clone, PartialEq)]
pub struct ModelProfile {
    /// The name of the model at its service.
    pub model: String,
    /// What is set for it.
    pub settings: ModelSettings,
}

impl ModelSettings {
    /// Takes over what isn't set yet.
    fn complete(&mut self, other: &Self) {
        for (name, value) in &other.parameters {
            self.parameters
                .entry(name.as_str())
                .or_insert_with(|| value.clone());
        }
        self.context_window = self.context_window.or(other.context_window);
    }
}

impl ModelTable {
    /// Finds what a name stands for and what is set for it: of several entries the most specific
    /// counts, of equals that of the highest layer, and all of them before what comes with an alias
    /// (MO-6).
    pub fn profile(&self, name: &str) -> ModelProfile {
        let chain = self.aliases_of(name);
        let named = chain.iter().find_map(|it| it.model.clone());
        let model = named.unwrap_or_else(|| name.to_owned());
        let mut fitting: Vec<_> = self
            .settings
            .iter()
            .filter(|(pattern, _)| fits(pattern, name) || fits(pattern, &model))
            .collect();
        fitting.sort_by_key(|(pattern, _)| std::cmp::Reverse(specificity(pattern)));
        let mut settings = ModelSettings::default();
        let by_name = fitting.into_iter().map(|(_, it)| &it.value);
        for more in by_name.chain(chain.into_iter().map(|it| &it.settings)) {
            settings.complete(more);
        }
        ModelProfile { model, settings }
    }

    /// Returns the names that one can choose from: aliases, and models that have settings.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let aliases = self.aliases.iter().map(|(name, _)| name.as_str());
        let models = self.settings.iter().map(|(name, _)| name.as_str());
        aliases.chain(models.filter(|name| !name.ends_with('*')))
    }

    /// Lays this table over that of a lower layer.
    pub(crate) fn over(mut self, low: Self) -> Self {
        self.settings.extend(low.settings);
        self.aliases.extend(low.aliases);
        self
    }

    /// Returns the alias of a name and those that it extends, the nearest first. A circle ends
    /// where it closes.
    fn aliases_of<'t>(&'t self, name: &'t str) -> Vec<&'t ModelAlias> {
        let mut chain: Vec<&ModelAlias> = Vec::new();
        let mut next = Some(name);
        while let Some(name) = next.take()
            && chain.len() < LONGEST_CHAIN
            && let Some((_, alias)) = self.aliases.iter().find(|(known, _)| known == name)
        {
            chain.push(&alias.value);
            next = alias.value.extends.as_deref();
        }
        chain
    }
}

fn fits(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == pattern,
    }
}

/// Whole names are more specific than any start of one, and longer starts more than shorter ones.
fn specificity(pattern: &str) -> usize {
    if pattern.ends_with('*') {
        pattern.len()
    } else {
        usize::MAX
    }
}
