use std::collections::VecDeque;
use std::time::Duration;

use tonic::{Code, Request, Response, Status, Streaming};

use crate::client::backoff;
use crate::data::{entries, rows};
use crate::{Client, Entry, Error, Node, Row, pb};

/// A part of a long answer.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// What it holds.
    pub items: Vec<T>,
    /// Where the next page begins: a later read with the same arguments continues there, on any node.
    pub token: String,
}

/// Where a cursor's pages come from.
pub trait Source: Send {
    /// What is read.
    type Item: Send;

    /// The page at the token; `None` after the last one.
    fn next(
        &mut self,
        node: Node,
        token: String,
        timeout: Duration,
    ) -> impl Future<Output = Result<Option<Page<Self::Item>>, Status>> + Send;

    /// Whether a call is open, which goes on at its node.
    fn reset(&mut self) {}
}

/// Items in constant memory, however many there are. If a node fails it continues on another one, without a gap and
/// without repeating anything. Dropping it ends the call.
pub struct Cursor<S: Source> {
    client: Client,
    source: S,
    token: String,
    taken: VecDeque<S::Item>,
    /// The one that an open call is on.
    node: Option<Node>,
}

impl<S: Source> Cursor<S> {
    pub(crate) fn new(client: Client, source: S) -> Self {
        Cursor { client, source, token: String::new(), taken: VecDeque::new(), node: None }
    }

    /// Begins at the token of an earlier page.
    pub fn from(mut self, token: impl Into<String>) -> Self {
        self.token = token.into();
        self
    }

    /// The next item; `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<S::Item>, Error> {
        loop {
            if let Some(item) = self.taken.pop_front() {
                return Ok(Some(item));
            }
            match self.next_page().await? {
                Some(page) => self.taken = page.items.into(),
                None => return Ok(None),
            }
        }
    }

    /// The next page; `None` after the last one.
    pub async fn next_page(&mut self) -> Result<Option<Page<S::Item>>, Error> {
        let mut failures = 0;
        loop {
            let node = self.node.get_or_insert_with(|| self.client.node()).clone();
            let index = node.index();
            match self.source.next(node, self.token.clone(), self.client.settings.timeout).await {
                Ok(page) => {
                    if let Some(page) = &page {
                        self.token.clone_from(&page.token);
                    }
                    return Ok(page);
                }
                Err(status) => {
                    self.source.reset();
                    self.node = None;
                    failures += 1;
                    let error = self.client.failed(index, &status, false);
                    if failures >= self.client.settings.attempts || !error.may_retry() {
                        return Err(error);
                    }
                    tokio::time::sleep(backoff(failures, &error)).await;
                }
            }
        }
    }
}

/// Entries of a row, each page a call.
pub struct Pages {
    request: pb::GetSliceRequest,
    ended: bool,
}

impl Pages {
    pub(crate) fn new(request: pb::GetSliceRequest) -> Self {
        Pages { request, ended: false }
    }
}

impl Source for Pages {
    type Item = Entry;

    async fn next(&mut self, mut node: Node, token: String, timeout: Duration) -> Result<Option<Page<Entry>>, Status> {
        if self.ended {
            return Ok(None);
        }
        let request = pb::GetSliceRequest { page_token: token, ..self.request.clone() };
        let answer = limited(timeout, node.column_store.get_slice(within(timeout, request))).await?;
        self.ended = answer.next_page_token.is_empty();
        let items = entries(answer.columns, answer.super_column_continues);
        Ok(Some(Page { items, token: answer.next_page_token }))
    }
}

/// Entries of a row, as one call.
pub struct Streamed {
    request: pb::StreamSliceRequest,
    open: Option<Streaming<pb::StreamSliceResponse>>,
}

impl Streamed {
    pub(crate) fn new(request: pb::StreamSliceRequest) -> Self {
        Streamed { request, open: None }
    }
}

impl Source for Streamed {
    type Item = Entry;

    async fn next(&mut self, mut node: Node, token: String, _: Duration) -> Result<Option<Page<Entry>>, Status> {
        let open = match &mut self.open {
            Some(open) => open,
            None => {
                let request = pb::StreamSliceRequest { resume_token: token, ..self.request.clone() };
                self.open.insert(node.column_store.stream_slice(request).await?.into_inner())
            }
        };
        Ok(open
            .message()
            .await?
            .map(|part| Page { items: entries(part.columns, part.super_column_continues), token: part.resume_token }))
    }

    fn reset(&mut self) {
        self.open = None;
    }
}

/// Rows of a family, each page a call.
pub struct Rows {
    request: pb::GetRangeSlicesRequest,
    ended: bool,
}

impl Rows {
    pub(crate) fn new(request: pb::GetRangeSlicesRequest) -> Self {
        Rows { request, ended: false }
    }
}

impl Source for Rows {
    type Item = Row;

    async fn next(&mut self, mut node: Node, token: String, timeout: Duration) -> Result<Option<Page<Row>>, Status> {
        if self.ended {
            return Ok(None);
        }
        let request = pb::GetRangeSlicesRequest { page_token: token, ..self.request.clone() };
        let answer = limited(timeout, node.column_store.get_range_slices(within(timeout, request))).await?;
        self.ended = answer.next_page_token.is_empty();
        let items = rows(answer.rows, answer.row_continues, answer.super_column_continues);
        Ok(Some(Page { items, token: answer.next_page_token }))
    }
}

fn within<Q>(timeout: Duration, request: Q) -> Request<Q> {
    let mut request = Request::new(request);
    request.set_timeout(timeout);
    request
}

async fn limited<R>(timeout: Duration, call: impl Future<Output = Result<Response<R>, Status>>) -> Result<R, Status> {
    match tokio::time::timeout(timeout, call).await {
        Ok(answer) => Ok(answer?.into_inner()),
        Err(_) => Err(Status::new(Code::DeadlineExceeded, "the deadline passed before an answer came")),
    }
}
