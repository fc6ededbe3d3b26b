//! What `/stats` says about models and tools (TU-6).

use std::fmt::Write as _;

use hookloop_agent::{Stats, TokenStats};
use hookloop_settings::{AgentSettings, ModelPrice};

/// The number of tokens that prices are for.
const MILLION: f64 = 1_000_000.0;

/// Describes what the session used, and what that cost if the settings name a price.
pub(super) fn text(stats: &Stats, settings: &AgentSettings) -> String {
    let mut text = String::from("This session so far:");
    let mut costs = Vec::new();
    for (name, model) in &stats.models {
        let _ = write!(
            text,
            "\n  {name}: {}, {} failed, {} tokens in ({} of them cached), {} tokens out, {} of thoughts",
            count_of(model.api.total_requests, "request"),
            model.api.total_errors,
            model.tokens.prompt,
            model.tokens.cached,
            model.tokens.candidates,
            model.tokens.thoughts
        );
        let price = settings.prices.iter().find(|(known, _)| known == name);
        if let Some((_, price)) = price {
            let cost = cost(&model.tokens, &price.value);
            let _ = write!(text, ", cost {}", money(cost, settings));
            costs.push(cost);
        }
    }
    if costs.len() > 1 {
        let unknown = stats.models.len() - costs.len();
        let rest = match unknown {
            0 => String::new(),
            _ => format!(" without {}", count_of(unknown as u64, "model")),
        };
        let all = money(costs.iter().sum(), settings);
        let _ = write!(text, "\n  cost of all{rest}: {all}");
    }
    let tools = &stats.tools;
    let _ = write!(
        text,
        "\n  tools: {}, {} succeeded, {} failed\n  edits of files: {}",
        count_of(tools.total_calls, "call"),
        tools.total_success,
        tools.total_fail,
        stats.files.edits
    );
    text
}

/// Computes what tokens cost. Cached tokens are included in those of the prompt; thoughts aren't
/// included in those of the answer.
fn cost(tokens: &TokenStats, price: &ModelPrice) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "nobody has so many tokens")]
    let of = |count: u64, price: f64| count as f64 / MILLION * price;
    of(tokens.input + tokens.tool, price.input)
        + of(tokens.cached, price.cached.unwrap_or(price.input))
        + of(tokens.candidates + tokens.thoughts, price.output)
}

fn money(amount: f64, settings: &AgentSettings) -> String {
    // Single sessions cost little, so small sums get more digits.
    let amount = if amount < 1.0 {
        format!("{amount:.4}")
    } else {
        format!("{amount:.2}")
    };
    match &settings.currency {
        Some(currency) => format!("{amount} {}", currency.value),
        None => amount,
    }
}

fn count_of(count: u64, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

#[cfg(test)]
mod tests {
    use hookloop_agent::ModelStats;
    use hookloop_settings::Provided;

    use super::*;

    fn used(input: u64, cached: u64, candidates: u64, thoughts: u64) -> ModelStats {
        let tokens = TokenStats {
            input,
            prompt: input + cached,
            candidates,
            cached,
            thoughts,
            ..TokenStats::default()
        };
        ModelStats {
            tokens,
            ..ModelStats::default()
        }
    }

    fn settings(prices: &[(&str, ModelPrice)], currency: Option<&str>) -> AgentSettings {
        let prices = prices.iter().map(|(name, price)| {
            let value = Provided::default_of(*price);
            ((*name).to_owned(), value)
        });
        AgentSettings {
            prices: prices.collect(),
            currency: currency.map(|it| Provided::default_of(it.to_owned())),
            ..AgentSettings::default()
        }
    }

    /// TU-6: a cost is shown only if the settings name a price; thoughts cost what answers do, and
    /// cached tokens have their own price.
    #[test]
    fn costs_come_from_the_settings_alone() {
        let mut stats = Stats::default();
        let _ = stats.models.insert(
            "dear".to_owned(),
            used(1_000_000, 500_000, 100_000, 100_000),
        );
        assert!(!text(&stats, &AgentSettings::default()).contains("cost"));
        let dear = ModelPrice {
            input: 2.0,
            cached: Some(1.0),
            output: 10.0,
        };
        let report = text(&stats, &settings(&[("dear", dear)], Some("EUR")));
        assert!(report.contains("cost 4.50 EUR"), "{report}");
        assert!(!report.contains("cost of all"), "{report}");
        let uncached = ModelPrice {
            cached: None,
            ..dear
        };
        let report = text(&stats, &settings(&[("dear", uncached)], None));
        assert!(report.contains("cost 5.00\n"), "{report}");
    }

    /// TU-6: the sum says how many models it leaves out.
    #[test]
    fn a_sum_says_what_it_leaves_out() {
        let mut stats = Stats::default();
        for name in ["a", "b", "c"] {
            let _ = stats.models.insert(name.to_owned(), used(1000, 0, 0, 0));
        }
        let price = ModelPrice {
            input: 1.0,
            ..ModelPrice::default()
        };
        let said = text(&stats, &settings(&[("a", price), ("c", price)], None));
        assert!(
            said.contains("cost of all without 1 model: 0.0020"),
            "{said}"
        );
    }
}
