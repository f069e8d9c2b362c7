use std::collections::VecDeque;
use std::pin::Pin;

use tokio_stream::{Stream, StreamExt};

use crate::Result;

/// A part of a long answer.
#[derive(Clone, Debug)]
pub struct Page<T> {
    /// What it holds.
    pub items: Vec<T>,
    /// Where the next page begins: a later read with the same arguments continues there, on any node.
    pub token: String,
}

/// Where a long read begins, and how large its pages are.
#[derive(Clone, Debug, Default)]
pub struct Reading {
    /// The token of an earlier page; empty for the beginning.
    pub token: String,
    /// The most bytes of a page; 0 leaves that to the node.
    pub page_bytes: i32,
}

/// Items in constant memory, however many there are. Dropping it ends the call.
pub struct Cursor<T> {
    pages: Pin<Box<dyn Stream<Item = Result<Page<T>>> + Send>>,
    taken: VecDeque<T>,
}

impl<T> Cursor<T> {
    pub(crate) fn new(pages: impl Stream<Item = Result<Page<T>>> + Send + 'static) -> Self {
        Cursor { pages: Box::pin(pages), taken: VecDeque::new() }
    }

    /// The next item; `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<T>> {
        while self.taken.is_empty() {
            match self.next_page().await? {
                Some(page) => self.taken = page.items.into(),
                None => break,
            }
        }
        Ok(self.taken.pop_front())
    }

    /// The next page; `None` after the last one.
    pub async fn next_page(&mut self) -> Result<Option<Page<T>>> {
        self.pages.next().await.transpose()
    }
}
