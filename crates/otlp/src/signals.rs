//! Logs and metrics for a collector (TE-4), collected and sent on their own thread.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime};

use hookloop_model::Transport;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as AnyValue;
use opentelemetry_proto::tonic::common::v1::{
    AnyValue as Any, ArrayValue, InstrumentationScope, KeyValue,
};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::metrics::v1 as proto;
use opentelemetry_proto::tonic::resource::v1::Resource;
use prost::Message;
use serde_json::{Map, Value};

use crate::collector::{Collector, Loss};
use crate::delivery::Delivery;
use crate::endpoint::Endpoint;

/// How long records wait for a batch to fill. Spans are sent earlier, and report if nothing
/// arrives.
const DELAY: Duration = Duration::from_secs(5);

/// How many records go into one request.
const MAX_RECORDS: usize = 512;

/// A metric, measured since the session began.
#[derive(Debug, Clone)]
pub struct MeasuredMetric {
    /// Its name.
    pub name: String,
    /// Its description.
    pub description: String,
    /// Its data points.
    pub points: Vec<MeasuredPoint>,
}

/// The value for one set of attributes.
#[derive(Debug, Clone)]
pub struct MeasuredPoint {
    /// The attributes.
    pub attributes: Map<String, Value>,
    /// When the measurement began.
    pub since: SystemTime,
    /// When the value last changed.
    pub until: SystemTime,
    /// The value.
    pub value: MeasuredValue,
}

/// A measured value.
#[derive(Debug, Clone)]
pub enum MeasuredValue {
    /// A monotonic counter.
    Count(u64),
    /// A histogram of durations, in milliseconds.
    Latency {
        /// The number of measurements.
        count: u64,
        /// Their sum.
        sum: f64,
        /// The minimum and the maximum.
        range: (f64, f64),
        /// The upper bounds of the buckets.
        bounds: Vec<f64>,
        /// The count of each bucket, and of values above the last bound.
        classes: Vec<u64>,
    },
}

/// The severity of a log record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Informational.
    Usual,
    /// A refusal or a failure.
    Warning,
}

enum Outgoing {
    Log(LogRecord),
    Metrics(Vec<MeasuredMetric>),
}

/// Accepts logs and metrics.
#[derive(Debug)]
pub struct Signals {
    queue: Mutex<Option<Sender<Outgoing>>>,
    work: Mutex<Option<JoinHandle<()>>>,
}

impl Signals {
    pub(crate) fn start(
        endpoint: &Endpoint,
        transport: &Transport,
        version: &str,
        delivery: Arc<Delivery>,
    ) -> Self {
        let (queue, received) = channel();
        let collector = |what: &str| Collector::new(endpoint.for_signal(what), transport.clone());
        let sender = Sending {
            logs: collector("logs"),
            metrics: collector("metrics"),
            version: version.to_owned(),
            delivery,
        };
        let work = thread::Builder::new().name("signals".into());
        let work = work.spawn(move || sender.work(&received));
        Self {
            queue: Mutex::new(Some(queue)),
            // If no thread can be started, nothing is sent; the loss of spans reports that.
            work: Mutex::new(work.ok()),
        }
    }

    /// Adds a log record, named after its event.
    pub fn log(&self, event: &str, weight: Weight, attributes: &Map<String, Value>) {
        let now = nanoseconds(SystemTime::now());
        let (number, text) = match weight {
            Weight::Usual => (9, "INFO"),
            Weight::Warning => (13, "WARN"),
        };
        self.enqueue(Outgoing::Log(LogRecord {
            time_unix_nano: now,
            observed_time_unix_nano: now,
            severity_number: number,
            severity_text: text.to_owned(),
            body: any(&Value::from(event)),
            attributes: attributes_of(attributes),
            event_name: event.to_owned(),
            ..LogRecord::default()
        }));
    }

    /// Replaces the pending metrics by these, which cover everything measured so far.
    pub fn metrics(&self, all: Vec<MeasuredMetric>) {
        self.enqueue(Outgoing::Metrics(all));
    }

    fn enqueue(&self, outgoing: Outgoing) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(queue) = &*queue {
            // Fails if the thread has ended, which has been reported.
            let _ = queue.send(outgoing);
        }
    }

    /// Sends what is left. Blocks until that succeeded or failed.
    pub(crate) fn finish(&self) {
        drop(
            self.queue
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
        let work = self
            .work
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        if let Some(work) = work {
            let _ = work.join();
        }
    }
}

struct Sending {
    logs: Collector,
    metrics: Collector,
    version: String,
    delivery: Arc<Delivery>,
}

impl Sending {
    fn work(&self, outgoing: &Receiver<Outgoing>) {
        let mut records = Vec::new();
        let mut metrics = None;
        loop {
            match outgoing.recv_timeout(DELAY) {
                Ok(Outgoing::Log(record)) => records.push(record),
                Ok(Outgoing::Metrics(all)) => metrics = Some(all),
                Err(RecvTimeoutError::Timeout) => self.send(&mut records, &mut metrics),
                Err(RecvTimeoutError::Disconnected) => {
                    self.send(&mut records, &mut metrics);
                    return;
                }
            }
            if records.len() >= MAX_RECORDS {
                self.send(&mut records, &mut metrics);
            }
        }
    }

    fn send(&self, records: &mut Vec<LogRecord>, metrics: &mut Option<Vec<MeasuredMetric>>) {
        // A collector that didn't accept spans has been reported, and won't accept these either.
        if self.delivery.has_lost() {
            records.clear();
            *metrics = None;
        }
        if !records.is_empty() {
            let count = records.len();
            let request = self.request_of(std::mem::take(records));
            self.judge(
                "log records",
                count,
                self.logs.send(&request.encode_to_vec()),
            );
        }
        if let Some(all) = metrics.take() {
            let count = all.len();
            let request = self.request_of_metrics(all);
            self.judge(
                "metrics",
                count,
                self.metrics.send(&request.encode_to_vec()),
            );
        }
    }

    fn judge(&self, what: &str, count: usize, sent: Result<(), Loss>) {
        let (lost, cause) = match sent {
            Ok(()) => return,
            Err(Loss::All(cause)) => (count, cause),
            Err(Loss::Some { rejected, cause }) => (rejected, cause),
        };
        self.delivery.note_other_loss(what, lost, cause);
    }

    fn resource(&self) -> Resource {
        let named = [
            ("service.name", crate::SERVICE),
            ("service.version", &self.version),
        ];
        let attributes = named.map(|(name, value)| pair(name, &Value::from(value)));
        Resource {
            attributes: attributes.into(),
            ..Resource::default()
        }
    }

    fn scope(&self) -> InstrumentationScope {
        InstrumentationScope {
            name: crate::SERVICE.to_owned(),
            version: self.version.clone(),
            ..InstrumentationScope::default()
        }
    }

    fn request_of(&self, log_records: Vec<LogRecord>) -> ExportLogsServiceRequest {
        ExportLogsServiceRequest {
            resource_logs: vec![ResourceLogs {
                resource: Some(self.resource()),
                scope_logs: vec![ScopeLogs {
                    scope: Some(self.scope()),
                    log_records,
                    ..ScopeLogs::default()
                }],
                ..ResourceLogs::default()
            }],
        }
    }

    fn request_of_metrics(&self, all: Vec<MeasuredMetric>) -> ExportMetricsServiceRequest {
        ExportMetricsServiceRequest {
            resource_metrics: vec![proto::ResourceMetrics {
                resource: Some(self.resource()),
                scope_metrics: vec![proto::ScopeMetrics {
                    scope: Some(self.scope()),
                    metrics: all.into_iter().map(metric).collect(),
                    ..proto::ScopeMetrics::default()
                }],
                ..proto::ResourceMetrics::default()
            }],
        }
    }
}

fn metric(measured: MeasuredMetric) -> proto::Metric {
    let cumulative = proto::AggregationTemporality::Cumulative.into();
    let mut sums = Vec::new();
    let mut latencies = Vec::new();
    for point in measured.points {
        let attributes = attributes_of(&point.attributes);
        let (since, until) = (nanoseconds(point.since), nanoseconds(point.until));
        match point.value {
            MeasuredValue::Count(count) => sums.push(proto::NumberDataPoint {
                attributes,
                start_time_unix_nano: since,
                time_unix_nano: until,
                value: Some(proto::number_data_point::Value::AsInt(
                    i64::try_from(count).unwrap_or(i64::MAX),
                )),
                ..proto::NumberDataPoint::default()
            }),
            MeasuredValue::Latency {
                count,
                sum,
                range: (min, max),
                bounds,
                classes,
            } => latencies.push(proto::HistogramDataPoint {
                attributes,
                start_time_unix_nano: since,
                time_unix_nano: until,
                count,
                sum: Some(sum),
                min: Some(min),
                max: Some(max),
                explicit_bounds: bounds,
                bucket_counts: classes,
                ..proto::HistogramDataPoint::default()
            }),
        }
    }
    let (data, unit) = if latencies.is_empty() {
        let sum = proto::Sum {
            data_points: sums,
            aggregation_temporality: cumulative,
            is_monotonic: true,
        };
        (proto::metric::Data::Sum(sum), "")
    } else {
        let histogram = proto::Histogram {
            data_points: latencies,
            aggregation_temporality: cumulative,
        };
        (proto::metric::Data::Histogram(histogram), "ms")
    };
    proto::Metric {
        name: measured.name,
        description: measured.description,
        unit: unit.to_owned(),
        data: Some(data),
        ..proto::Metric::default()
    }
}

fn attributes_of(attributes: &Map<String, Value>) -> Vec<KeyValue> {
    let present = attributes.iter().filter(|(_, value)| !value.is_null());
    present.map(|(name, value)| pair(name, value)).collect()
}

fn pair(name: &str, value: &Value) -> KeyValue {
    KeyValue {
        key: name.to_owned(),
        value: any(value),
        ..KeyValue::default()
    }
}

fn any(value: &Value) -> Option<Any> {
    let value = match value {
        Value::Null => return None,
        Value::Bool(value) => AnyValue::BoolValue(*value),
        Value::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(integer), _) => AnyValue::IntValue(integer),
            (None, number) => AnyValue::DoubleValue(number.unwrap_or_default()),
        },
        Value::String(text) => AnyValue::StringValue(text.clone()),
        Value::Array(values) => AnyValue::ArrayValue(ArrayValue {
            values: values.iter().filter_map(any).collect(),
        }),
        object @ Value::Object(_) => AnyValue::StringValue(object.to_string()),
    };
    Some(Any { value: Some(value) })
}

fn nanoseconds(time: SystemTime) -> u64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH);
    u64::try_from(since.unwrap_or_default().as_nanos()).unwrap_or(u64::MAX)
}
