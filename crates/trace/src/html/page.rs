//! The page around the timeline.

use std::fmt::{self, Display};

use hookloop_engine::RunResult;

use super::STYLE;
use super::timeline::{Timeline, firings};
use crate::loss::Loss;
use crate::row::RESULTS;
use crate::run::StoredRun;
use hookloop_text::markup::Html;

/// Forbids everything but the page's own style.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; \
                      form-action 'none'";

pub(super) fn page(session_id: &str, runs: &[StoredRun], losses: &[Loss]) -> String {
    let session = Html(session_id);
    let began = StartTime(runs);
    let overview = Overview(runs);
    let filters = Filters(runs);
    let losses = Losses(losses);
    let timeline = Timeline(runs);
    let rules = FilterRules;
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Hooks of session {session}</title>\n<style>\n{STYLE}{rules}</style>\n</head>\n\
         <body>\n<header>\n<h1>Hooks of a session</h1>\n\
         <p class=\"session\"><code>{session}</code>{began}</p>\n{overview}{filters}</header>\n\
         <main>\n{losses}{timeline}</main>\n</body>\n</html>\n",
    )
}

/// The date and time of the beginning; the times below are of that day or a later one.
struct StartTime<'a>(&'a [StoredRun]);

impl Display for StartTime<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.0.first() else {
            return Ok(());
        };
        let date = first.started_at.split('T').next().unwrap_or_default();
        write!(
            formatter,
            "<br><span class=\"began\">{}, times in UTC</span>",
            Html(date)
        )
    }
}

/// The totals.
struct Overview<'a>(&'a [StoredRun]);

impl Display for Overview<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0;
        let of = |result| runs.iter().filter(|run| run.result == result).count();
        let refused = of(RunResult::Refused) + of(RunResult::Stopped);
        let numbers = [
            ("events", firings(runs).count()),
            ("runs", runs.len()),
            ("refused or stopped", refused),
            (
                "failed",
                runs.iter().filter(|run| run.failure.is_some()).count(),
            ),
        ];
        formatter.write_str("<dl class=\"overview\">\n")?;
        for (name, number) in numbers {
            writeln!(formatter, "<div><dt>{name}</dt><dd>{number}</dd></div>")?;
        }
        formatter.write_str("</dl>\n")
    }
}

/// What the agent couldn't do.
struct Losses<'a>(&'a [Loss]);

impl Display for Losses<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        formatter.write_str("<h2>Lost in this agent</h2>\n<ul class=\"losses\">\n")?;
        for loss in self.0 {
            writeln!(
                formatter,
                "<li><b>{}</b> {}: {}</li>",
                Html(&loss.agent),
                loss.event,
                Html(&loss.text)
            )?;
        }
        formatter.write_str("</ul>\n")
    }
}

/// Checkboxes that work with style rules alone.
struct Filters<'a>(&'a [StoredRun]);

impl Display for Filters<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("<fieldset class=\"filters\">\n<legend>Show</legend>\n")?;
        for result in RESULTS {
            let count = self.0.iter().filter(|run| run.result == result).count();
            if count > 0 {
                let word = result.as_str();
                writeln!(
                    formatter,
                    "<label><input type=\"checkbox\" id=\"show-{word}\" checked> {word} \
                     <span class=\"count\">{count}</span></label>"
                )?;
            }
        }
        formatter.write_str("</fieldset>\n")
    }
}

/// The style rules that hide runs whose box isn't checked, and firings that contain no others.
struct FilterRules;

impl Display for FilterRules {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for result in RESULTS {
            let word = result.as_str();
            writeln!(
                formatter,
                "body:has(#show-{word}:not(:checked)) :is(.run.{word}, .only-{word}) \
                 {{ display: none }}"
            )?;
        }
        Ok(())
    }
}
