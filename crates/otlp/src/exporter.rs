//! The exporter that receives finished spans from the SDK.

use std::sync::Arc;

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use opentelemetry_proto::transform::trace::tonic::group_spans_by_resource_and_scope;
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::error::{OTelSdkError, OTelSdkResult};
use opentelemetry_sdk::trace::{SpanData, SpanExporter};
use prost::Message;

use crate::collector::{Collector, Loss};
use crate::delivery::Delivery;

/// Sends batches of spans, and counts them.
#[derive(Debug)]
pub(crate) struct Exporter {
    collector: Collector,
    resource: ResourceAttributesWithSchema,
    delivery: Arc<Delivery>,
}

impl Exporter {
    pub(crate) fn new(collector: Collector, delivery: Arc<Delivery>) -> Self {
        Self {
            collector,
            resource: ResourceAttributesWithSchema::default(),
            delivery,
        }
    }

    fn send(&self, batch: Vec<SpanData>) -> OTelSdkResult {
        let count = batch.len();
        let request = ExportTraceServiceRequest {
            resource_spans: group_spans_by_resource_and_scope(batch, &self.resource),
        };
        let (lost, cause) = match self.collector.send(&request.encode_to_vec()) {
            Ok(()) => {
                self.delivery.note_arrival(count);
                return Ok(());
            }
            Err(Loss::All(cause)) => (count, cause),
            Err(Loss::Some { rejected, cause }) => (rejected.min(count), cause),
        };
        self.delivery.note_arrival(count - lost);
        self.delivery.note_loss(lost, cause.clone());
        Err(OTelSdkError::InternalFailure(cause))
    }
}

impl SpanExporter for Exporter {
    /// Sends a batch. Blocks: the SDK's processor calls it on a thread of its own.
    fn export(&self, batch: Vec<SpanData>) -> impl Future<Output = OTelSdkResult> + Send {
        std::future::ready(self.send(batch))
    }

    fn set_resource(&mut self, resource: &Resource) {
        self.resource = resource.into();
    }
}
