//! The firings of a session, in order, each with its runs.

use std::fmt::{self, Display, Formatter};

use serde_json::Value;

use crate::run::{Origin, StoredRun};
use hookloop_text::markup::Html;

/// How many bytes of a text the page shows, so that phones can open it.
const SHOWN_BYTES: usize = 64 * 1024;

pub(super) struct Timeline<'a>(pub(super) &'a [StoredRun]);

/// Groups runs by firing.
pub(super) fn firings(runs: &[StoredRun]) -> impl Iterator<Item = &[StoredRun]> {
    runs.chunk_by(|one, next| one.firing == next.firing && one.event == next.event)
}

impl Display for Timeline<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return formatter.write_str("<p class=\"empty\">No hook ran in this session.</p>\n");
        }
        let longest = self
            .0
            .iter()
            .map(|run| run.duration_ms)
            .fold(f64::MIN_POSITIVE, f64::max);
        formatter.write_str("<ol class=\"timeline\">\n")?;
        for runs in firings(self.0) {
            write_firing(formatter, runs, longest)?;
        }
        formatter.write_str("</ol>\n")
    }
}

fn write_firing(formatter: &mut Formatter<'_>, runs: &[StoredRun], longest: f64) -> fmt::Result {
    let Some(first) = runs.first() else {
        return Ok(());
    };
    let only = runs.iter().all(|run| run.result == first.result);
    let class = if only { " only-" } else { "" };
    let word = if only { first.result.as_str() } else { "" };
    write!(
        formatter,
        "<li class=\"firing{class}{word}\">\n<h2>{event}",
        event = first.event
    )?;
    if let Some(subject) = first.subject() {
        write!(
            formatter,
            " <span class=\"subject\">{}</span>",
            Html(&subject)
        )?;
    }
    writeln!(
        formatter,
        "{origin} <time>{}</time></h2>\n<ul class=\"runs\">",
        Html(time_of_day(&first.started_at)),
        origin = OriginMark(first.origin)
    )?;
    for run in runs {
        let item = RunItem {
            run,
            longest_ms: longest,
        };
        item.fmt(formatter)?;
    }
    formatter.write_str("</ul>\n</li>\n")
}

/// A mark for what made the hooks run, if it wasn't a session.
struct OriginMark(Origin);

impl Display for OriginMark {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Origin::Session => Ok(()),
            other => write!(
                formatter,
                " <span class=\"origin\">{}</span>",
                other.as_str()
            ),
        }
    }
}

/// Returns the time of day of an ISO 8601 time: the page shows the date at its top.
fn time_of_day(time: &str) -> &str {
    match time.split_once('T') {
        Some((_, time_of_day)) => time_of_day.strip_suffix('Z').unwrap_or(time_of_day),
        None => time,
    }
}

/// A run as a list item: its result on one line, and all details when it is opened.
#[derive(Debug, Clone, Copy)]
pub struct RunItem<'a> {
    /// The run.
    pub run: &'a StoredRun,
    /// The duration of the longest run of the list, in milliseconds, to which the bars are
    /// relative.
    pub longest_ms: f64,
}

impl Display for RunItem<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write_run(formatter, self.run, self.longest_ms)
    }
}

fn write_run(formatter: &mut Formatter<'_>, run: &StoredRun, longest: f64) -> fmt::Result {
    let word = run.result.as_str();
    let share = (run.duration_ms / longest * 100.0).clamp(0.5, 100.0);
    writeln!(
        formatter,
        "<li class=\"run {word}\">\n<details>\n<summary><span class=\"badge\">{word}</span>{shadow} \
         <bdi class=\"label\">{label}</bdi> <span class=\"duration\">{duration:.1} ms</span>\
         <span class=\"said\"><bdi>{said}</bdi></span>\
         <span class=\"bar\" style=\"width: {share:.1}%\"></span></summary>\n<dl>",
        shadow = if run.shadow {
            " <span class=\"origin\">shadow</span>"
        } else {
            ""
        },
        label = Html(&run.label),
        duration = run.duration_ms,
        said = Html(&run.summary_line().unwrap_or_default()),
    )?;
    write_facts(formatter, run)?;
    formatter.write_str("</dl>\n")?;
    if run.suppressed {
        formatter
            .write_str("<p class=\"note\">The hook keeps its content out of records.</p>\n")?;
    }
    let texts = [
        ("Reply", run.reply.as_deref().map(|json| pretty(json.get()))),
        ("Standard output", run.stdout.clone()),
        ("Standard error", run.stderr.clone()),
        ("Input", run.input.as_deref().map(|json| pretty(json.get()))),
    ];
    for (title, text) in texts {
        if let Some(text) = text.filter(|text| !text.is_empty()) {
            write_text(formatter, title, &text)?;
        }
    }
    formatter.write_str("</details>\n</li>\n")
}

fn write_facts(formatter: &mut Formatter<'_>, run: &StoredRun) -> fmt::Result {
    let ending = match (run.ending.exit_code(), run.ending.signal()) {
        (Some(code), _) => format!("exit code {code}"),
        (_, Some(signal)) => format!("killed by {signal}"),
        _ => run.ending.kind().replace('_', " "),
    };
    let cut = run
        .truncated
        .then(|| "a stream went over the cap and was cut".to_owned());
    let withheld = (!run.withheld_env.is_empty()).then(|| run.withheld_env.join(", "));
    let facts = [
        (
            "Failure",
            run.failure.as_ref().map(|failure| failure.message.clone()),
        ),
        ("Ending", Some(ending)),
        ("Started", Some(run.started_at.clone())),
        ("Configured in", Some(run.source.to_string())),
        ("Agent", run.agent.clone()),
        (
            "Shadow",
            run.shadow.then(|| "its answer had no effect".to_owned()),
        ),
        ("Origin", Some(run.origin.as_str().to_owned())),
        ("Cut", cut),
        ("Withheld variables", withheld),
        ("Run", Some(run.run_id.clone())),
    ];
    for (name, fact) in facts {
        if let Some(fact) = fact {
            writeln!(
                formatter,
                "<div><dt>{name}</dt><dd>{}</dd></div>",
                Html(&fact)
            )?;
        }
    }
    Ok(())
}

fn write_text(formatter: &mut Formatter<'_>, title: &str, text: &str) -> fmt::Result {
    let shown = &text[..text.floor_char_boundary(SHOWN_BYTES)];
    // The line break after the tag belongs to the markup, not to the text.
    writeln!(formatter, "<h3>{title}</h3>\n<pre>\n{}</pre>", Html(shown))?;
    let rest = text.len() - shown.len();
    if rest > 0 {
        writeln!(
            formatter,
            "<p class=\"note\">{rest} more bytes are in the trace, and not on this page.</p>"
        )?;
    }
    Ok(())
}

/// Indents JSON for people.
fn pretty(json: &str) -> String {
    serde_json::from_str::<Value>(json)
        .and_then(|value| serde_json::to_string_pretty(&value))
        .unwrap_or_else(|_| json.to_owned())
}
