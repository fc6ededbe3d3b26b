//! A collector on the loopback interface, and what it received.

use std::fmt::Write as _;

use hookloop_testkit::model_server::{ModelServer, ReceivedRequest, Reply};
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::collector::trace::v1::{
    ExportTracePartialSuccess, ExportTraceServiceRequest, ExportTraceServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value as AnyValue;
use opentelemetry_proto::tonic::common::v1::{AnyValue as Any, KeyValue};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::number_data_point::Value as Number;
use opentelemetry_proto::tonic::trace::v1::Span as SentSpan;
use prost::Message as _;
use serde_json::{Value, json};

/// More requests than any test sends.
const REQUESTS: usize = 64;

/// Accepts everything.
pub(crate) fn willing() -> ModelServer {
    ModelServer::start((0..REQUESTS).map(|_| taken(&ExportTraceServiceResponse::default())))
}

/// The response of a collector that doesn't accept everything.
pub(crate) fn rejecting(spans: i64, message: &str) -> Reply {
    taken(&ExportTraceServiceResponse {
        partial_success: Some(ExportTracePartialSuccess {
            rejected_spans: spans,
            error_message: message.to_owned(),
        }),
    })
}

fn taken(response: &ExportTraceServiceResponse) -> Reply {
    let body = response.encode_to_vec();
    let head = format!(
        "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    Reply::new().send(head).send(body)
}

/// The requests of one kind that a collector received; there are only kinds that it knows.
pub(crate) fn requests(server: &ModelServer, kind: &str) -> Vec<ReceivedRequest> {
    let all = server.requests();
    for request in &all {
        let known = ["traces", "logs", "metrics"].map(|it| format!("POST /v1/{it}"));
        assert!(known.contains(&request.line), "{}", request.line);
    }
    let line = format!("POST /v1/{kind}");
    all.into_iter().filter(|it| it.line == line).collect()
}

/// The records that a collector received, by their events.
pub(crate) fn logs(server: &ModelServer) -> Vec<Value> {
    let requests = requests(server, "logs").into_iter();
    let requests = requests.map(|it| ExportLogsServiceRequest::decode(&*it.body).unwrap());
    let resources = requests.flat_map(|it| it.resource_logs);
    let scopes = resources.flat_map(|it| it.scope_logs);
    let records = scopes.flat_map(|it| it.log_records);
    records.map(|record| plain(&record.attributes)).collect()
}

/// The metrics that a collector got last: name, attributes, and value, for a latency its count.
pub(crate) fn metrics(server: &ModelServer) -> Vec<(String, Value, u64)> {
    let Some(request) = requests(server, "metrics").pop() else {
        return Vec::new();
    };
    let request = ExportMetricsServiceRequest::decode(&*request.body).unwrap();
    let resources = request.resource_metrics.into_iter();
    let metrics = resources
        .flat_map(|it| it.scope_metrics)
        .flat_map(|it| it.metrics);
    let points = metrics.flat_map(|metric| match metric.data.unwrap() {
        Data::Sum(sum) => {
            assert!(sum.is_monotonic);
            let points = sum.data_points.into_iter();
            let points = points.map(|it| match it.value.unwrap() {
                Number::AsInt(count) => (it.attributes, u64::try_from(count).unwrap()),
                Number::AsDouble(_) => panic!("counts are whole"),
            });
            named(&metric.name, points.collect())
        }
        Data::Histogram(histogram) => {
            let points = histogram.data_points.into_iter();
            let points = points.map(|it| (it.attributes, it.count));
            named(&metric.name, points.collect())
        }
        other => panic!("{other:?}"),
    });
    points.collect()
}

fn named(name: &str, points: Vec<(Vec<KeyValue>, u64)>) -> Vec<(String, Value, u64)> {
    let points = points.into_iter();
    points
        .map(|(attributes, value)| (name.to_owned(), plain(&attributes), value))
        .collect()
}

/// The spans that a collector received.
pub(crate) struct Spans(Vec<Span>);

/// A span in plain values.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    pub(crate) trace: String,
    pub(crate) id: String,
    /// Empty for a span that begins a trace.
    pub(crate) parent: String,
    pub(crate) name: String,
    pub(crate) attributes: Value,
    /// Whether its status is an error.
    pub(crate) failed: bool,
    pub(crate) nanoseconds: u64,
}

impl Spans {
    pub(crate) fn of(server: &ModelServer) -> Self {
        let mut spans = Vec::new();
        for request in requests(server, "traces") {
            assert_eq!(
                request.header("content-type"),
                Some("application/x-protobuf")
            );
            let request = ExportTraceServiceRequest::decode(&*request.body).unwrap();
            for resource in request.resource_spans {
                let attributes = plain(&resource.resource.unwrap().attributes);
                assert_eq!(attributes["service.name"], "hookloop");
                let scopes = resource.scope_spans.into_iter();
                spans.extend(scopes.flat_map(|scope| scope.spans).map(Span::of));
            }
        }
        Self(spans)
    }

    pub(crate) fn named(&self, name: &str) -> Vec<&Span> {
        self.0.iter().filter(|span| span.name == name).collect()
    }

    /// Returns the only span with a name.
    pub(crate) fn the(&self, name: &str) -> &Span {
        match *self.named(name) {
            [span] => span,
            ref spans => panic!("{} spans are called {name}: {:#?}", spans.len(), self.0),
        }
    }

    /// Returns the only run of a hook with a name.
    pub(crate) fn hook(&self, name: &str) -> &Span {
        match *self.hooks(name) {
            [span] => span,
            ref spans => panic!("hook {name} has {} spans: {:#?}", spans.len(), self.0),
        }
    }

    pub(crate) fn hooks(&self, name: &str) -> Vec<&Span> {
        let hooks = self.named("hookloop.hook").into_iter();
        hooks
            .filter(|span| span.attributes["hook.name"] == name)
            .collect()
    }

    pub(crate) fn parent_of(&self, span: &Span) -> &Span {
        let parent = self.0.iter().find(|other| other.id == span.parent);
        parent.unwrap_or_else(|| panic!("{span:#?} has no parent in {:#?}", self.0))
    }

    pub(crate) fn all(&self) -> &[Span] {
        &self.0
    }
}

impl Span {
    fn of(span: SentSpan) -> Self {
        Self {
            trace: hex(&span.trace_id),
            id: hex(&span.span_id),
            parent: hex(&span.parent_span_id),
            attributes: plain(&span.attributes),
            failed: span.status.is_some_and(|status| status.code == 2),
            nanoseconds: span.end_time_unix_nano - span.start_time_unix_nano,
            name: span.name,
        }
    }

    /// The trace parent for a process below this span.
    pub(crate) fn trace_parent(&self) -> String {
        format!("00-{}-{}-01", self.trace, self.id)
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").unwrap();
        hex
    })
}

/// Every attribute counts once.
fn plain(attributes: &[KeyValue]) -> Value {
    let mut fields = serde_json::Map::new();
    for attribute in attributes {
        let value = value(attribute.value.as_ref().unwrap());
        let before = fields.insert(attribute.key.clone(), value);
        assert_eq!(before, None, "{} is there twice", attribute.key);
    }
    Value::Object(fields)
}

fn value(any: &Any) -> Value {
    match any.value.as_ref().unwrap() {
        AnyValue::StringValue(text) => json!(text),
        AnyValue::IntValue(number) => json!(number),
        AnyValue::BoolValue(flag) => json!(flag),
        AnyValue::DoubleValue(number) => json!(number),
        AnyValue::ArrayValue(list) => list.values.iter().map(value).collect(),
        other => panic!("{other:?}"),
    }
}
