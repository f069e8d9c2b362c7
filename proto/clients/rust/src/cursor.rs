use std::collections::VecDeque;
use std::pin::Pin;

use tokio_stream::{Stream, StreamExt};
use tonic::Status;

use crate::client::backoff;
use crate::{Client, Error, Node};

/// A part of a long answer.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// What it holds.
    pub items: Vec<T>,
    /// Where the next page begins: a later read with the same arguments continues there, on any node.
    pub token: String,
}

/// The pages that a node sends from a token on.
pub(crate) type Parts<T> = Pin<Box<dyn Stream<Item = Result<Page<T>, Status>> + Send>>;

type Open<T> = Box<dyn Fn(Node, String) -> Parts<T> + Send + Sync>;

/// Items in constant memory, however many there are. If a node fails it continues on another one, without a gap and
/// without repeating anything. Dropping it ends the call.
pub struct Cursor<T> {
    client: Client,
    open: Open<T>,
    token: String,
    taken: VecDeque<T>,
    /// The node that is read from, and what it sends.
    parts: Option<(usize, Parts<T>)>,
}

impl<T> Cursor<T> {
    pub(crate) fn new(client: Client, open: impl Fn(Node, String) -> Parts<T> + Send + Sync + 'static) -> Self {
        Cursor { client, open: Box::new(open), token: String::new(), taken: VecDeque::new(), parts: None }
    }

    /// Begins at the token of an earlier page.
    pub fn from(mut self, token: impl Into<String>) -> Self {
        self.token = token.into();
        self
    }

    /// The next item; `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<T>, Error> {
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
    pub async fn next_page(&mut self) -> Result<Option<Page<T>>, Error> {
        let mut failures = 0;
        loop {
            let (index, parts) = self.parts.get_or_insert_with(|| {
                let node = self.client.node();
                (node.index(), (self.open)(node, self.token.clone()))
            });
            let status = match parts.next().await.transpose() {
                Ok(page) => {
                    if let Some(page) = &page {
                        self.token.clone_from(&page.token);
                    }
                    return Ok(page);
                }
                Err(status) => status,
            };
            let error = self.client.failed(*index, &status, false);
            self.parts = None;
            failures += 1;
            if failures >= self.client.settings.attempts || !error.may_retry() {
                return Err(error);
            }
            tokio::time::sleep(backoff(failures, &error)).await;
        }
    }
}
