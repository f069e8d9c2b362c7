use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::Applied;

/// What calls return.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A call failed; docs/errors.md lists the reasons.
#[derive(Clone, Debug)]
pub struct Error {
    /// The status of gRPC.
    pub code: Code,
    /// Such as `NOT_ENOUGH_REPLICAS`; empty if no node said it: a connection broke, or a deadline passed here.
    pub reason: String,
    /// What happened, for people.
    pub message: String,
    /// Whether a write took effect; `None` about a read.
    pub applied: Option<Applied>,
    /// How many replicas the consistency level asks for, where the error turned on that.
    pub required: Option<u32>,
    /// How many replicas answered in time.
    pub received: Option<u32>,
    /// How many replicas were believed to be up.
    pub alive: Option<u32>,
    /// All that the node said, such as `limit`.
    pub metadata: Box<HashMap<String, String>>,
    /// The paths of the fields of the request that are at fault.
    pub fields: Box<[String]>,
    /// How long to wait before trying again; `None` if that is not likely to help.
    pub retry_after: Option<Duration>,
}

impl Error {
    /// Reads the details of an error of a call.
    pub fn from_status(status: &Status, write: bool) -> Self {
        let details = status.get_error_details();
        let info = details.error_info().filter(|info| info.domain == "colonnade");
        let metadata = info.map(|info| info.metadata.clone()).unwrap_or_default();
        let said =
            metadata.get("applied").and_then(|it| Applied::from_str_name(&format!("APPLIED_{}", it.to_uppercase())));
        let number = |name| metadata.get(name)?.parse().ok();
        let violations = details.bad_request().map(|bad| bad.field_violations.as_slice()).unwrap_or_default();
        Error {
            code: match status.code() {
                // A connection broke: this is Unavailable, as in all languages, wherever in the transport it was noticed.
                Code::Unknown | Code::Internal if info.is_none() => Code::Unavailable,
                code => code,
            },
            reason: info.map(|info| info.reason.clone()).unwrap_or_default(),
            message: status.message().into(),
            applied: write.then_some(said.unwrap_or(Applied::Unknown)),
            required: number("required"),
            received: number("received"),
            alive: number("alive"),
            metadata: Box::new(metadata),
            fields: violations.iter().map(|each| each.field.clone()).collect(),
            retry_after: details.retry_info().and_then(|retry| retry.retry_delay),
        }
    }

    /// Whether the node does not serve, so that the next call had better go to another one.
    pub(crate) fn node_is_gone(&self) -> bool {
        self.reason == "NODE_NOT_READY" || self.reason.is_empty() && self.code == Code::Unavailable
    }

    /// Whether the call may be made again without asking: a write only if it was certainly not applied.
    pub(crate) fn may_retry(&self) -> bool {
        matches!(self.applied, None | Some(Applied::No)) && (self.node_is_gone() || self.retry_after.is_some())
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = if self.reason.is_empty() { format!("{:?}", self.code) } else { self.reason.clone() };
        write!(f, "{what}: {}", self.message)
    }
}

impl std::error::Error for Error {}
