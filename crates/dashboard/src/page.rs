//! The page: numbers, sessions, hooks, and the latest runs.

use std::fmt::{self, Display, Formatter};

use hookloop_text::markup::Html;
use hookloop_trace::html::{RunItem, STYLE};
use hookloop_trace::{Loss, Origin};

use crate::gather::{Entry, Gathered, Hook, Numbers, Session};
use crate::request::Choice;

/// The script that updates the page.
pub(crate) const SCRIPT: &str = include_str!("follow.js");

const OWN_STYLE: &str = include_str!("style.css");

/// How many runs are shown; a search finds the others.
const SHOWN_RUNS: usize = 60;

/// How many sessions and hooks are shown.
const SHOWN_ROWS: usize = 40;

/// The kinds of runs that can be chosen, with their names for people.
const KINDS: [(&str, &str); 6] = [
    ("", "all runs"),
    ("refused", "refused or stopped"),
    ("asked", "asked"),
    ("rewritten", "rewritten"),
    ("failed", "failed"),
    ("shadow", "in shadow"),
];

/// Returns the whole page.
pub(crate) fn page(gathered: &Gathered, choice: &Choice) -> String {
    let form = Form(gathered, choice);
    let part = part(gathered, choice);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>Hooks</title>\n\
         <style>\n{STYLE}{OWN_STYLE}</style>\n<script src=\"follow.js\" defer></script>\n</head>\n\
         <body>\n<header>\n<h1><a href=\"./\">Hooks</a></h1>\n{form}</header>\n\
         <p class=\"gone\" role=\"status\">The dashboard was stopped: this page is no longer updated.</p>\n\
         {part}</body>\n</html>\n"
    )
}

/// Returns the part of the page that changes.
pub(crate) fn part(gathered: &Gathered, choice: &Choice) -> String {
    let Gathered {
        mark,
        numbers,
        problems,
        ..
    } = gathered;
    let overview = Overview {
        sessions: gathered.sessions.len(),
        numbers,
    };
    let sessions = Sessions(&gathered.sessions);
    let hooks = Hooks(&gathered.hooks);
    let losses = Losses(&gathered.losses);
    let runs = Runs(&gathered.entries, choice);
    let problems = Problems(problems);
    format!(
        "<main data-mark=\"{}\">\n{problems}{overview}{sessions}{losses}{hooks}{runs}</main>\n",
        Html(mark)
    )
}

struct Form<'a>(&'a Gathered, &'a Choice);

impl Display for Form<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(gathered, choice) = self;
        write!(
            formatter,
            "<form method=\"get\" action=\"./\">\n<input type=\"search\" name=\"q\" \
             aria-label=\"Search\" placeholder=\"Search hooks, reasons, commands …\" value=\"{}\">\n",
            Html(&choice.search)
        )?;
        formatter.write_str("<select name=\"show\" aria-label=\"Runs\">\n")?;
        for (kind, name) in KINDS {
            write_option(formatter, kind, name, &choice.show)?;
        }
        formatter.write_str("</select>\n<select name=\"agent\" aria-label=\"Agent\">\n")?;
        write_option(formatter, "", "all agents", &choice.agent)?;
        for agent in &gathered.agents {
            write_option(formatter, agent, agent, &choice.agent)?;
        }
        formatter.write_str("</select>\n")?;
        for (name, value) in [("session", &choice.session), ("project", &choice.project)] {
            if !value.is_empty() {
                writeln!(
                    formatter,
                    "<input type=\"hidden\" name=\"{name}\" value=\"{}\">",
                    Html(value)
                )?;
            }
        }
        formatter.write_str("<button>Show</button>\n</form>\n")?;
        if !choice.session.is_empty() {
            writeln!(
                formatter,
                "<p class=\"note\">Only session <code>{}</code>; <a href=\"./\">show all</a></p>",
                Html(&choice.session)
            )?;
        }
        Ok(())
    }
}

fn write_option(
    formatter: &mut Formatter<'_>,
    value: &str,
    name: &str,
    chosen: &str,
) -> fmt::Result {
    let selected = if value == chosen { " selected" } else { "" };
    writeln!(
        formatter,
        "<option value=\"{}\"{selected}>{}</option>",
        Html(value),
        Html(name)
    )
}

struct Problems<'a>(&'a [String]);

impl Display for Problems<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for problem in self.0 {
            writeln!(
                formatter,
                "<p class=\"problem\" role=\"alert\">{}</p>",
                Html(problem)
            )?;
        }
        Ok(())
    }
}

struct Overview<'a> {
    sessions: usize,
    numbers: &'a Numbers,
}

impl Display for Overview<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Numbers {
            runs,
            refused,
            rewrites,
            failed,
            shadow,
            ..
        } = self.numbers;
        let numbers = [
            ("sessions", self.sessions.to_string()),
            ("runs", runs.to_string()),
            ("refused or stopped", refused.to_string()),
            ("rewritten", rewrites.to_string()),
            ("failed", failed.to_string()),
            ("would have counted, in shadow", shadow.to_string()),
            ("p50", Time(self.numbers.percentile(50)).to_string()),
            ("p95", Time(self.numbers.percentile(95)).to_string()),
        ];
        formatter.write_str("<dl class=\"overview\">\n")?;
        for (name, number) in numbers {
            writeln!(formatter, "<div><dt>{name}</dt><dd>{number}</dd></div>")?;
        }
        formatter.write_str("</dl>\n")
    }
}

/// A duration in milliseconds.
struct Time(Option<f64>);

impl Display for Time {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(time) => write!(formatter, "{time:.1} ms"),
            None => formatter.write_str("–"),
        }
    }
}

struct Sessions<'a>(&'a [Session]);

impl Display for Sessions<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        formatter.write_str("<h2>Sessions</h2>\n<ul class=\"sessions\">\n")?;
        for session in self.0.iter().take(SHOWN_ROWS) {
            write_session(formatter, session)?;
        }
        formatter.write_str("</ul>\n")?;
        write_rest(formatter, self.0.len(), SHOWN_ROWS, "sessions")
    }
}

fn write_session(formatter: &mut Formatter<'_>, session: &Session) -> fmt::Result {
    let Numbers {
        runs,
        refused,
        failed,
        ..
    } = session.numbers;
    let chosen = Choice {
        agent: session.agent.clone(),
        session: session.id.clone(),
        project: session.project.to_string(),
        ..Choice::default()
    };
    let query = chosen.query();
    let state = if session.is_live {
        "<span class=\"live\">live</span> "
    } else {
        ""
    };
    let folder = session.folder.as_deref().unwrap_or(&session.project);
    writeln!(
        formatter,
        "<li>{state}<span class=\"agent\">{agent}</span> <a href=\"./?{query}\"><code>{id}</code></a> \
         <bdi class=\"folder\">{folder}</bdi> <time>{last}</time> <span class=\"count\">runs: {runs}, \
         refused: {refused}, failed: {failed}</span> <a href=\"session?{query}\">timeline</a></li>",
        agent = Html(&session.agent),
        query = Html(&query),
        id = Html(&session.id),
        folder = Html(folder),
        last = Html(&shown_time(&session.last_at)),
    )
}

/// Formats an ISO 8601 time for people, to the second.
fn shown_time(time: &str) -> String {
    let time = time.split_once('.').map_or(time, |(time, _)| time);
    time.trim_end_matches('Z').replace('T', " ")
}

/// Wishes of hooks that other agents couldn't carry out (BR-21).
struct Losses<'a>(&'a [Loss]);

impl Display for Losses<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        formatter.write_str("<h2>Lost in other agents</h2>\n<ul class=\"sessions\">\n")?;
        for loss in self.0.iter().take(SHOWN_ROWS) {
            let chosen = Choice {
                agent: loss.agent.clone(),
                session: loss.session_id.clone(),
                ..Choice::default()
            };
            writeln!(
                formatter,
                "<li class=\"loss\"><span class=\"agent\">{agent}</span> {event} <bdi>{text}</bdi> \
                 <time>{at}</time> <a href=\"./?{query}\">session</a></li>",
                agent = Html(&loss.agent),
                event = loss.event,
                text = Html(&loss.text),
                at = Html(&shown_time(&loss.lost_at)),
                query = Html(&chosen.query()),
            )?;
        }
        formatter.write_str("</ul>\n")?;
        write_rest(formatter, self.0.len(), SHOWN_ROWS, "losses")
    }
}

struct Hooks<'a>(&'a [Hook]);

impl Display for Hooks<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return Ok(());
        }
        formatter.write_str(
            "<h2>Hooks</h2>\n<div class=\"wide\"><table>\n<thead><tr><th>hook</th><th>runs</th>\
             <th>refused</th><th>rewritten</th><th>failed</th><th>p50</th><th>p95</th></tr></thead>\n\
             <tbody>\n",
        )?;
        for hook in self.0.iter().take(SHOWN_ROWS) {
            let Numbers {
                runs,
                refused,
                rewrites,
                failed,
                shadow,
                ..
            } = hook.numbers;
            let in_shadow = if hook.is_shadow {
                format!(" <span class=\"origin\">in shadow: would have counted {shadow} ×</span>")
            } else {
                String::new()
            };
            writeln!(
                formatter,
                "<tr><th scope=\"row\"><bdi class=\"label\">{}</bdi>{in_shadow}</th><td>{runs}</td>\
                 <td>{refused}</td><td>{rewrites}</td><td>{failed}</td><td>{}</td><td>{}</td></tr>",
                Html(&hook.label),
                Time(hook.numbers.percentile(50)),
                Time(hook.numbers.percentile(95)),
            )?;
        }
        formatter.write_str("</tbody>\n</table></div>\n")?;
        write_rest(formatter, self.0.len(), SHOWN_ROWS, "hooks")
    }
}

struct Runs<'a>(&'a [Entry], &'a Choice);

impl Display for Runs<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        let Self(entries, choice) = self;
        formatter.write_str("<h2>Runs</h2>\n")?;
        if entries.is_empty() {
            let text = if **choice == Choice::default() {
                "No hook has run yet. This page updates on its own."
            } else {
                "No run matches."
            };
            return writeln!(formatter, "<p class=\"empty\">{text}</p>");
        }
        let shown = || entries.iter().take(SHOWN_RUNS);
        let longest_ms = shown()
            .map(|entry| entry.run.duration_ms)
            .fold(f64::MIN_POSITIVE, f64::max);
        formatter.write_str("<ol class=\"latest\">\n")?;
        for entry in shown() {
            let run = &entry.run;
            let subject = run.subject().unwrap_or_default();
            let origin = match run.origin {
                Origin::Session => "",
                other => other.as_str(),
            };
            let rewrites = if entry.is_rewrite { "rewrites" } else { "" };
            writeln!(
                formatter,
                "<li class=\"entry\" data-key=\"{key}\"><p class=\"about\"><time>{time}</time> \
                 <span class=\"agent\">{agent}</span> {event} <code>{subject}</code>{marks}</p>\n<ul class=\"runs\">\n{item}</ul></li>",
                key = Html(&run.run_id),
                time = Html(&shown_time(&run.started_at)),
                agent = Html(entry.agent()),
                event = run.event,
                subject = Html(&subject),
                marks = Marks([origin, rewrites]),
                item = RunItem { run, longest_ms },
            )?;
        }
        formatter.write_str("</ol>\n")?;
        write_rest(formatter, entries.len(), SHOWN_RUNS, "runs")
    }
}

/// Highlighted words; empty ones are omitted.
struct Marks<'a>([&'a str; 2]);

impl Display for Marks<'_> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for mark in self.0.iter().filter(|mark| !mark.is_empty()) {
            write!(formatter, " <span class=\"origin\">{}</span>", Html(mark))?;
        }
        Ok(())
    }
}

/// Writes how many rows aren't shown.
fn write_rest(formatter: &mut Formatter<'_>, all: usize, shown: usize, of: &str) -> fmt::Result {
    let rest = all.saturating_sub(shown);
    if rest == 0 {
        return Ok(());
    }
    writeln!(
        formatter,
        "<p class=\"note\">{rest} more {of}; a search or a session narrows it down.</p>"
    )
}
