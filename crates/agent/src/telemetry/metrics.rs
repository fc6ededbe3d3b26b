//! Counters and latencies of a session, under the names that dashboards for Gemini CLI read (TE-4).

use std::time::{Duration, SystemTime};

use serde_json::{Map, Value, json};

/// The upper bounds of the latency buckets, in milliseconds. One more bucket follows the last
/// bound.
pub const BOUNDS: [f64; 15] = [
    0.0, 5.0, 10.0, 25.0, 50.0, 75.0, 100.0, 250.0, 500.0, 750.0, 1000.0, 2500.0, 5000.0, 7500.0,
    10000.0,
];

/// A metric, measured since the start of the session.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What it measures.
    pub description: &'static str,
    /// The values, one for each set of attributes.
    pub points: Vec<Point>,
}

/// A value for one set of attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct Point {
    /// The attributes of the value.
    pub attributes: Map<String, Value>,
    /// When the measurement started.
    pub since: SystemTime,
    /// When the value last changed.
    pub until: SystemTime,
    /// The value.
    pub value: Measured,
}

/// The value of a metric.
#[derive(Debug, Clone, PartialEq)]
pub enum Measured {
    /// A sum that only increases.
    Count(u64),
    /// Durations, in milliseconds.
    Latency(Latencies),
}

/// Durations, in milliseconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Latencies {
    /// The number of measurements.
    pub count: u64,
    /// The sum of all durations.
    pub sum: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// The number of measurements in each bucket of [`BOUNDS`].
    pub classes: [u64; BOUNDS.len() + 1],
}

impl Latencies {
    fn add(&mut self, milliseconds: f64) {
        self.min = if self.count == 0 {
            milliseconds
        } else {
            self.min.min(milliseconds)
        };
        self.max = self.max.max(milliseconds);
        self.count += 1;
        self.sum += milliseconds;
        let class = BOUNDS.iter().position(|bound| milliseconds <= *bound);
        self.classes[class.unwrap_or(BOUNDS.len())] += 1;
    }
}

const TEXTS: [(&str, &str); 8] = [
    ("session.count", "Sessions that began."),
    ("tool.call.count", "Tool calls, by function and success."),
    ("tool.call.latency", "How long tool calls took."),
    ("api.request.count", "Requests to the model, by status."),
    (
        "api.request.latency",
        "How long requests to the model took.",
    ),
    ("token.usage", "Tokens, by model and type."),
    ("hook_call.count", "Runs of hooks, by event and success."),
    ("hook_call.latency", "How long hooks ran."),
];

/// Collects measurements.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    all: Vec<Metric>,
    /// Whether anything was measured since they were last taken.
    has_news: bool,
}

impl Metrics {
    /// Adds to a sum.
    pub(crate) fn count(&mut self, name: &'static str, attributes: Map<String, Value>, more: u64) {
        let point = self.point(name, attributes, || Measured::Count(0));
        if let Measured::Count(count) = &mut point.value {
            *count += more;
        }
    }

    /// Adds a duration.
    pub(crate) fn record_duration(
        &mut self,
        name: &'static str,
        attributes: Map<String, Value>,
        duration: Duration,
    ) {
        let point = self.point(name, attributes, || Measured::Latency(Latencies::default()));
        if let Measured::Latency(latencies) = &mut point.value {
            latencies.add(duration.as_secs_f64() * 1e3);
        }
    }

    /// Returns everything, unless nothing has changed.
    pub(crate) fn take_changed(&mut self) -> Option<Vec<Metric>> {
        std::mem::take(&mut self.has_news).then(|| self.all.clone())
    }

    fn point(
        &mut self,
        name: &'static str,
        attributes: Map<String, Value>,
        value: impl FnOnce() -> Measured,
    ) -> &mut Point {
        self.has_news = true;
        let now = SystemTime::now();
        let place = self.all.iter().position(|it| it.name == name);
        let place = place.unwrap_or_else(|| {
            let text = TEXTS.iter().find(|(known, _)| *known == name);
            self.all.push(Metric {
                name,
                description: text.map_or("", |(_, text)| text),
                points: Vec::new(),
            });
            self.all.len() - 1
        });
        let points = &mut self.all[place].points;
        let place = points.iter().position(|it| it.attributes == attributes);
        let place = place.unwrap_or_else(|| {
            points.push(Point {
                attributes,
                since: now,
                until: now,
                value: value(),
            });
            points.len() - 1
        });
        points[place].until = now;
        &mut points[place]
    }
}

/// Writes metrics as readers of Gemini CLI's file expect them.
pub(crate) fn line(metrics: &[Metric], about: &Map<String, Value>) -> String {
    let metrics: Vec<Value> = metrics.iter().map(|it| metric_value(it, about)).collect();
    let all = json!({
        "resource": {"attributes": {"service.name": "hookloop"}},
        "scopeMetrics": [{"scope": {"name": "hookloop"}, "metrics": metrics}],
    });
    format!("{all}\n")
}

fn metric_value(metric: &Metric, about: &Map<String, Value>) -> Value {
    let is_count = metric
        .points
        .iter()
        .any(|it| matches!(it.value, Measured::Count(_)));
    let (kind, unit, point_type) = if is_count {
        ("COUNTER", "", 3)
    } else {
        ("HISTOGRAM", "ms", 0)
    };
    let points: Vec<Value> = metric
        .points
        .iter()
        .map(|point| {
            let mut attributes = about.clone();
            attributes.extend(point.attributes.clone());
            json!({
                "attributes": attributes,
                "startTime": parts(point.since),
                "endTime": parts(point.until),
                "value": value(&point.value),
            })
        })
        .collect();
    json!({
        "descriptor": {
            "name": format!("gemini_cli.{}", metric.name),
            "type": kind,
            "description": metric.description,
            "unit": unit,
        },
        // Cumulative: each value covers the whole session so far.
        "aggregationTemporality": 1,
        "dataPointType": point_type,
        "isMonotonic": is_count,
        "dataPoints": points,
    })
}

fn value(measured: &Measured) -> Value {
    match measured {
        Measured::Count(count) => json!(count),
        Measured::Latency(latencies) => json!({
            "count": latencies.count,
            "sum": latencies.sum,
            "min": latencies.min,
            "max": latencies.max,
            "buckets": {"boundaries": BOUNDS, "counts": latencies.classes},
        }),
    }
}

/// A time in seconds and nanoseconds.
fn parts(time: SystemTime) -> Value {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    let since = since.unwrap_or_default();
    json!([since.as_secs(), since.subsec_nanos()])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TE-4: a value is kept for each set of attributes, sums grow, latencies are put into buckets,
    /// and what hasn't changed is reported once.
    #[test]
    fn values_are_kept_by_their_attributes() {
        let mut metrics = Metrics::default();
        let named = |name: &str| Map::from_iter([("function_name".to_owned(), json!(name))]);
        metrics.count("tool.call.count", named("a"), 1);
        metrics.count("tool.call.count", named("b"), 1);
        metrics.count("tool.call.count", named("a"), 2);
        for milliseconds in [5, 7, 20_000] {
            let took = Duration::from_millis(milliseconds);
            metrics.record_duration("tool.call.latency", named("a"), took);
        }
        let all = metrics.take_changed().expect("news");
        assert_eq!(metrics.take_changed(), None);
        let line: Value = serde_json::from_str(&line(&all, &Map::new())).expect("JSON");
        let metrics = &line["scopeMetrics"][0]["metrics"];
        let points = &metrics[0]["dataPoints"];
        assert_eq!(
            metrics[0]["descriptor"]["name"],
            "gemini_cli.tool.call.count"
        );
        assert_eq!(
            (&points[0]["value"], &points[1]["value"]),
            (&json!(3), &json!(1))
        );
        let latency = &metrics[1]["dataPoints"][0]["value"];
        assert_eq!(latency["buckets"]["counts"][1], 1);
        assert_eq!(latency["buckets"]["counts"][2], 1);
        assert_eq!(latency["buckets"]["counts"][15], 1);
        assert_eq!(
            (&latency["min"], &latency["max"]),
            (&json!(5.0), &json!(20_000.0))
        );
    }
}
