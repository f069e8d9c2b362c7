use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Whether a write took effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Applied {
    /// It did.
    Yes,
    /// It did not and will not.
    No,
    /// It may have. Writing the same with the same timestamp again is safe.
    Unknown,
}

/// A call failed; docs/errors.md lists the reasons.
#[derive(Clone, Debug)]
pub struct Error {
    /// The status of gRPC.
    pub code: Code,
    /// Such as `NOT_ENOUGH_REPLICAS`; empty if no node said it: a connection broke, or a deadline passed here.
    pub reason: String,
    /// What happened, for people.
    pub message: String,
    /// About a write; `None` about a read.
    pub applied: Option<Applied>,
    /// All that the node said, such as `limit`.
    pub metadata: HashMap<String, String>,
    /// The paths of the fields of the request that are at fault.
    pub fields: Vec<String>,
    /// How long to wait before trying again; `None` if that is not likely to help.
    pub retry_after: Option<Duration>,
}

impl Error {
    /// Reads the details of an error of a call.
    pub fn from_status(status: &Status, write: bool) -> Self {
        let details = status.get_error_details();
        let info = details.error_info().filter(|info| info.domain == "colonnade");
        let metadata = info.map(|info| info.metadata.clone()).unwrap_or_default();
        let applied = match metadata.get("applied").map(String::as_str) {
            Some("no") => Applied::No,
            Some("yes") => Applied::Yes,
            _ => Applied::Unknown,
        };
        let violations = details.bad_request().map(|bad| bad.field_violations.as_slice()).unwrap_or_default();
        Error {
            code: if info.is_some() { status.code() } else { of_transport(status.code()) },
            reason: info.map(|info| info.reason.clone()).unwrap_or_default(),
            message: status.message().to_owned(),
            applied: write.then_some(applied),
            metadata,
            fields: violations.iter().map(|each| each.field.clone()).collect(),
            retry_after: details.retry_info().and_then(|retry| retry.retry_delay),
        }
    }

    /// How many replicas the consistency level asks for, where the error turned on that.
    pub fn required(&self) -> Option<u32> {
        self.number("required")
    }

    /// How many replicas answered in time.
    pub fn received(&self) -> Option<u32> {
        self.number("received")
    }

    /// How many replicas were believed to be up.
    pub fn alive(&self) -> Option<u32> {
        self.number("alive")
    }

    fn number(&self, name: &str) -> Option<u32> {
        self.metadata.get(name)?.parse().ok()
    }

    /// Whether the node does not serve, so that the next call had better go to another one.
    pub(crate) fn node_is_gone(&self) -> bool {
        match self.reason.as_str() {
            "" => self.code == Code::Unavailable,
            reason => reason == "NODE_NOT_READY",
        }
    }

    /// Whether the call may be made again without asking: a write only if it was certainly not applied.
    pub(crate) fn may_retry(&self) -> bool {
        matches!(self.applied, None | Some(Applied::No)) && (self.node_is_gone() || self.retry_after.is_some())
    }
}

/// A connection that breaks is `Unavailable`, as in all languages, wherever in the transport it was noticed.
fn of_transport(code: Code) -> Code {
    match code {
        Code::Unknown | Code::Internal => Code::Unavailable,
        other => other,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.reason.as_str() {
            "" => write!(f, "{:?}: {}", self.code, self.message),
            reason => write!(f, "{reason}: {}", self.message),
        }
    }
}

impl std::error::Error for Error {}
