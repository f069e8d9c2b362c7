use std::time::Duration;

use async_stream::try_stream;
use tonic::Status;

use crate::client::within;
use crate::data::{close, entries, entry, join, rows};
use crate::{Client, Column, Cursor, Entry, Error, Node, Page, Row, Slice, SuperColumn, pb};

/// What a write may be given besides a value.
#[derive(Clone, Copy, Debug, Default)]
pub struct Write {
    /// Instead of the node's clock. A write whose error says [`crate::Applied::Unknown`] can then be made again: the same
    /// write twice is the same as once.
    pub timestamp: Option<i64>,
    /// Seconds after which the column expires.
    pub ttl: Option<i32>,
}

impl Write {
    /// With this timestamp.
    pub fn at(timestamp: i64) -> Self {
        Write { timestamp: Some(timestamp), ttl: None }
    }
}

/// Reads and writes the rows of a column family, or with [`Family::inside`] the columns of a super column.
#[derive(Clone, Debug)]
pub struct Family {
    client: Client,
    keyspace: String,
    pub(crate) name: String,
    pub(crate) super_column: Option<Vec<u8>>,
}

impl Family {
    pub(crate) fn new(client: Client, keyspace: &str, name: &str) -> Self {
        Family { client, keyspace: keyspace.into(), name: name.into(), super_column: None }
    }

    /// The same family inside one super column: all methods then mean its columns.
    pub fn inside(&self, super_column: impl AsRef<[u8]>) -> Self {
        Family { super_column: Some(super_column.as_ref().into()), ..self.clone() }
    }

    /// Writes a column, and returns its timestamp, which is the node's clock.
    pub async fn put(
        &self,
        key: impl AsRef<[u8]>,
        name: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
    ) -> Result<i64, Error> {
        self.put_with(key, name, value, Write::default()).await
    }

    /// Writes a column with a timestamp or a time to live.
    pub async fn put_with(
        &self,
        key: impl AsRef<[u8]>,
        name: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        write: Write,
    ) -> Result<i64, Error> {
        let request = pb::InsertRequest {
            keyspace: self.keyspace.clone(),
            key: key.as_ref().into(),
            column_parent: Some(self.parent()),
            column: Some(column(name.as_ref(), value.as_ref(), write)),
            options: Some(self.writes()),
        };
        let insert = |mut node: Node, request| async move { node.column_store.insert(request).await };
        Ok(self.client.call(true, request, insert).await?.timestamp)
    }

    /// Reads a column; `None` if there is none.
    pub async fn get(&self, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Result<Option<Column>, Error> {
        let found = self.find(key.as_ref(), self.super_column.clone(), Some(name.as_ref().into())).await?;
        Ok(found.and_then(|entry| match entry {
            Entry::Column(column) => Some(column),
            Entry::Super(_) => None,
        }))
    }

    /// Reads a super column with all its columns; `None` if there is none.
    pub async fn get_super(&self, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Result<Option<SuperColumn>, Error> {
        let found = self.find(key.as_ref(), Some(name.as_ref().into()), None).await?;
        Ok(found.and_then(|entry| match entry {
            Entry::Super(super_column) => Some(super_column),
            Entry::Column(_) => None,
        }))
    }

    async fn find(
        &self,
        key: &[u8],
        super_column: Option<Vec<u8>>,
        column: Option<Vec<u8>>,
    ) -> Result<Option<Entry>, Error> {
        let path = pb::ColumnPath { column_family: self.name.clone(), super_column, column };
        let request = pb::GetRequest {
            keyspace: self.keyspace.clone(),
            key: key.into(),
            column_path: Some(path),
            options: Some(self.reads()),
        };
        let get = |mut node: Node, request| async move { node.column_store.get(request).await };
        match self.client.call(false, request, get).await {
            Ok(answer) => Ok(answer.column_or_super_column.and_then(entry)),
            Err(error) if error.reason == "COLUMN_NOT_FOUND" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads entries of a row, super columns whole. A row that does not exist has none.
    pub async fn slice(&self, key: impl AsRef<[u8]>, slice: Slice) -> Result<Vec<Entry>, Error> {
        let mut all = Vec::new();
        let mut pages = self.pages(key, slice, 0);
        while let Some(page) = pages.next_page().await? {
            join(&mut all, page.items);
        }
        close(&mut all);
        Ok(all)
    }

    /// Reads the same entries of several rows: one row for each distinct key, in the order of the keys.
    pub async fn multiget<K: AsRef<[u8]>>(
        &self,
        keys: impl IntoIterator<Item = K>,
        slice: Slice,
    ) -> Result<Vec<Row>, Error> {
        let request = pb::MultigetSliceRequest {
            keyspace: self.keyspace.clone(),
            keys: keys.into_iter().map(|key| key.as_ref().into()).collect(),
            column_parent: Some(self.parent()),
            predicate: Some(slice.predicate()),
            options: Some(self.reads()),
            ..Default::default()
        };
        let mut parts = self.paged(move |mut node, token, timeout| {
            let request = pb::MultigetSliceRequest { page_token: token, ..request.clone() };
            async move {
                let answer = within(timeout, request, |request| node.column_store.multiget_slice(request)).await?;
                let items = rows(answer.rows, answer.row_continues, answer.super_column_continues);
                Ok(Page { items, token: answer.next_page_token })
            }
        });
        let mut all: Vec<Row> = Vec::new();
        while let Some(row) = parts.next().await? {
            match all.last_mut() {
                Some(last) if last.continues && last.key == row.key => {
                    join(&mut last.entries, row.entries);
                    last.continues = row.continues;
                }
                _ => all.push(row),
            }
        }
        for row in &mut all {
            row.continues = false;
            close(&mut row.entries);
        }
        Ok(all)
    }

    /// Counts the entries of a row.
    pub async fn count(&self, key: impl AsRef<[u8]>, slice: Slice) -> Result<i64, Error> {
        let request = pb::GetCountRequest {
            keyspace: self.keyspace.clone(),
            key: key.as_ref().into(),
            column_parent: Some(self.parent()),
            predicate: Some(slice.predicate()),
            options: Some(self.reads()),
        };
        let count = |mut node: Node, request| async move { node.column_store.get_count(request).await };
        Ok(self.client.call(false, request, count).await?.count)
    }

    /// Removes a column. Returns the timestamp of the removal.
    pub async fn remove(&self, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>, write: Write) -> Result<i64, Error> {
        self.remove_path(key.as_ref(), Some(name.as_ref().into()), write).await
    }

    /// Removes the row, or the super column. Returns the timestamp of the removal.
    pub async fn remove_all(&self, key: impl AsRef<[u8]>, write: Write) -> Result<i64, Error> {
        self.remove_path(key.as_ref(), None, write).await
    }

    async fn remove_path(&self, key: &[u8], column: Option<Vec<u8>>, write: Write) -> Result<i64, Error> {
        let super_column = self.super_column.clone();
        let request = pb::RemoveRequest {
            keyspace: self.keyspace.clone(),
            key: key.into(),
            column_path: Some(pb::ColumnPath { column_family: self.name.clone(), super_column, column }),
            predicate: None,
            timestamp: write.timestamp,
            options: Some(self.writes()),
        };
        let remove = |mut node: Node, request| async move { node.column_store.remove(request).await };
        Ok(self.client.call(true, request, remove).await?.timestamp)
    }

    /// Reads entries of a row a page at a time: each is a call with a deadline. A page has up to `page_bytes` bytes; 0
    /// stands for 1 MiB.
    pub fn pages(&self, key: impl AsRef<[u8]>, slice: Slice, page_bytes: i32) -> Cursor<Entry> {
        let request = pb::GetSliceRequest {
            keyspace: self.keyspace.clone(),
            key: key.as_ref().into(),
            column_parent: Some(self.parent()),
            predicate: Some(slice.predicate()),
            options: Some(self.reads()),
            page_bytes,
            ..Default::default()
        };
        self.paged(move |mut node, token, timeout| {
            let request = pb::GetSliceRequest { page_token: token, ..request.clone() };
            async move {
                let answer = within(timeout, request, |request| node.column_store.get_slice(request)).await?;
                let items = entries(answer.columns, answer.super_column_continues);
                Ok(Page { items, token: answer.next_page_token })
            }
        })
    }

    /// Reads entries of a row as they come, in one call that may take as long as its reader. A page has up to
    /// `chunk_bytes` bytes; 0: the node chooses.
    pub fn stream(&self, key: impl AsRef<[u8]>, slice: Slice, chunk_bytes: i32) -> Cursor<Entry> {
        let request = pb::StreamSliceRequest {
            keyspace: self.keyspace.clone(),
            key: key.as_ref().into(),
            column_parent: Some(self.parent()),
            predicate: Some(slice.predicate()),
            options: Some(self.reads()),
            max_chunk_bytes: chunk_bytes,
            ..Default::default()
        };
        Cursor::new(self.client.clone(), move |mut node, token| {
            let request = pb::StreamSliceRequest { resume_token: token, ..request.clone() };
            Box::pin(try_stream! {
                let mut parts = node.column_store.stream_slice(request).await?.into_inner();
                while let Some(part) = parts.message().await? {
                    yield Page { items: entries(part.columns, part.super_column_continues), token: part.resume_token };
                }
            })
        })
    }

    /// Reads the rows of the family in the order of the partitioner, a page at a time: those from `start` to `finish`,
    /// both of which may be empty.
    pub fn rows(
        &self,
        start: impl AsRef<[u8]>,
        finish: impl AsRef<[u8]>,
        slice: Slice,
        page_bytes: i32,
    ) -> Cursor<Row> {
        let keys = pb::KeyBounds { start_key: start.as_ref().into(), end_key: finish.as_ref().into() };
        let request = pb::GetRangeSlicesRequest {
            keyspace: self.keyspace.clone(),
            column_parent: Some(self.parent()),
            predicate: Some(slice.predicate()),
            range: Some(pb::KeyRange { bounds: Some(pb::key_range::Bounds::Keys(keys)), count: None }),
            options: Some(self.reads()),
            page_bytes,
            ..Default::default()
        };
        self.paged(move |mut node, token, timeout| {
            let request = pb::GetRangeSlicesRequest { page_token: token, ..request.clone() };
            async move {
                let answer = within(timeout, request, |request| node.column_store.get_range_slices(request)).await?;
                let items = rows(answer.rows, answer.row_continues, answer.super_column_continues);
                Ok(Page { items, token: answer.next_page_token })
            }
        })
    }

    /// A cursor whose pages are a call each.
    fn paged<T, F>(&self, call: impl Fn(Node, String, Duration) -> F + Clone + Send + Sync + 'static) -> Cursor<T>
    where
        T: Send + 'static,
        F: Future<Output = Result<Page<T>, Status>> + Send,
    {
        let timeout = self.client.settings.timeout;
        Cursor::new(self.client.clone(), move |node, mut token| {
            let call = call.clone();
            Box::pin(try_stream! {
                loop {
                    let page = call(node.clone(), token, timeout).await?;
                    token = page.token.clone();
                    let last = token.is_empty();
                    yield page;
                    if last {
                        break;
                    }
                }
            })
        })
    }

    fn parent(&self) -> pb::ColumnParent {
        pb::ColumnParent { column_family: self.name.clone(), super_column: self.super_column.clone() }
    }

    fn reads(&self) -> pb::ReadOptions {
        let consistency_level = self.client.settings.read_level.into();
        pb::ReadOptions { consistency_level, include_stats: false }
    }

    fn writes(&self) -> pb::WriteOptions {
        let consistency_level = self.client.settings.write_level.into();
        pb::WriteOptions { consistency_level, include_stats: false }
    }
}

pub(crate) fn column(name: &[u8], value: &[u8], write: Write) -> pb::Column {
    pb::Column { name: name.into(), value: value.into(), timestamp: write.timestamp, ttl_seconds: write.ttl }
}
