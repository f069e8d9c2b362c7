use async_stream::try_stream;
use tonic::{Response, Status, Streaming};

use crate::data::{entries, join, join_rows, rows};
use crate::{Client, Column, Cursor, Entry, Node, Page, Reading, Result, Row, Slice, SuperColumn, pb};

/// The pages of a call, each by the token of the one before.
macro_rules! pages {
    ($client:expr, $method:ident, $request:expr, $items:ident($field:ident)) => {{
        let (client, mut request) = ($client.clone(), $request);
        Cursor::new(try_stream! {
            loop {
                let call = async |mut node: Node, request| node.column_store.$method(request).await;
                let mut answer = client.call(false, request.clone(), call).await?;
                request.page_token = std::mem::take(&mut answer.next_page_token);
                yield Page { items: $items(answer.$field), token: request.page_token.clone() };
                if request.page_token.is_empty() {
                    break;
                }
            }
        })
    }};
}

/// Reads and writes the rows of a column family, or with [`Family::inside`] the columns of a super column.
#[derive(Clone, Debug)]
pub struct Family {
    pub(crate) client: Client,
    pub(crate) keyspace: String,
    pub(crate) parent: pb::ColumnParent,
    pub(crate) timestamp: Option<i64>,
    pub(crate) ttl: Option<i32>,
}

impl Family {
    /// The same family inside one super column: all methods then mean its columns.
    pub fn inside(&self, super_column: impl AsRef<[u8]>) -> Self {
        let parent = pb::ColumnParent { super_column: Some(super_column.as_ref().into()), ..self.parent.clone() };
        Family { parent, ..self.clone() }
    }

    /// The same family with a timestamp for its writes, instead of the node's clock. A write whose error says
    /// [`crate::Applied::Unknown`] can then be made again: the same write twice is the same as once.
    pub fn at(&self, timestamp: i64) -> Self {
        Family { timestamp: Some(timestamp), ..self.clone() }
    }

    /// The same family whose writes expire after these seconds.
    pub fn expiring(&self, ttl_seconds: i32) -> Self {
        Family { ttl: Some(ttl_seconds), ..self.clone() }
    }

    /// Writes a column. Returns its timestamp.
    pub async fn put(&self, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Result<i64> {
        let (keyspace, key, column_parent) = self.row(key);
        let column = Some(self.column(name, value));
        let request = pb::InsertRequest { keyspace, key, column_parent, column, options: self.client.writes() };
        let insert = async |mut node: Node, request| node.column_store.insert(request).await;
        Ok(self.client.call(true, request, insert).await?.timestamp)
    }

    /// Reads a column; `None` if there is none.
    pub async fn get(&self, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Result<Option<Column>> {
        match self.find(key, self.path(Some(name.as_ref()))).await? {
            Some(Entry::Column(column)) => Ok(Some(column)),
            _ => Ok(None),
        }
    }

    /// Reads a super column with all its columns; `None` if there is none.
    pub async fn get_super(&self, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Result<Option<SuperColumn>> {
        match self.find(key, self.inside(name).path(None)).await? {
            Some(Entry::SuperColumn(super_column)) => Ok(Some(super_column)),
            _ => Ok(None),
        }
    }

    async fn find(&self, key: impl AsRef<[u8]>, path: Option<pb::ColumnPath>) -> Result<Option<Entry>> {
        let (keyspace, key, _) = self.row(key);
        let request = pb::GetRequest { keyspace, key, column_path: path, options: self.reads() };
        let get = async |mut node: Node, request| node.column_store.get(request).await;
        match self.client.call(false, request, get).await {
            Ok(answer) => Ok(answer.column_or_super_column.and_then(|found| found.value)),
            Err(error) if error.reason == "COLUMN_NOT_FOUND" => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads entries of a row, super columns whole. A row that does not exist has none.
    pub async fn slice(&self, key: impl AsRef<[u8]>, slice: Slice) -> Result<Vec<Entry>> {
        let mut pages = self.pages(key, slice, Reading::default());
        let mut all = Vec::new();
        while let Some(page) = pages.next_page().await? {
            join(&mut all, page.items);
        }
        Ok(all)
    }

    /// Reads the same entries of several rows: one row for each distinct key, in the order of the keys.
    pub async fn multiget(&self, keys: impl IntoIterator<Item: AsRef<[u8]>>, slice: Slice) -> Result<Vec<Row>> {
        let (keyspace, _, column_parent) = self.row("");
        let keys = keys.into_iter().map(|key| key.as_ref().into()).collect();
        let (predicate, options) = (slice.predicate(), self.reads());
        let fixed =
            pb::MultigetSliceRequest { keyspace, keys, column_parent, predicate, options, ..Default::default() };
        let mut pages = pages!(self.client, multiget_slice, fixed, rows(rows));
        let mut all = Vec::new();
        while let Some(page) = pages.next_page().await? {
            join_rows(&mut all, page.items);
        }
        Ok(all)
    }

    /// Counts the entries of a row.
    pub async fn count(&self, key: impl AsRef<[u8]>, slice: Slice) -> Result<i64> {
        let (keyspace, key, column_parent) = self.row(key);
        let predicate = slice.predicate();
        let request = pb::GetCountRequest { keyspace, key, column_parent, predicate, options: self.reads() };
        let count = async |mut node: Node, request| node.column_store.get_count(request).await;
        Ok(self.client.call(false, request, count).await?.count)
    }

    /// Removes a column. Returns the timestamp of the removal.
    pub async fn remove(&self, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>) -> Result<i64> {
        self.remove_path(key, self.path(Some(name.as_ref()))).await
    }

    /// Removes the row, or the super column. Returns the timestamp of the removal.
    pub async fn remove_all(&self, key: impl AsRef<[u8]>) -> Result<i64> {
        self.remove_path(key, self.path(None)).await
    }

    async fn remove_path(&self, key: impl AsRef<[u8]>, column_path: Option<pb::ColumnPath>) -> Result<i64> {
        let (keyspace, key, _) = self.row(key);
        let (timestamp, options) = (self.timestamp, self.client.writes());
        let request = pb::RemoveRequest { keyspace, key, column_path, predicate: None, timestamp, options };
        let remove = async |mut node: Node, request| node.column_store.remove(request).await;
        Ok(self.client.call(true, request, remove).await?.timestamp)
    }

    /// Reads entries of a row a page at a time: each is a call with a deadline and retries.
    pub fn pages(&self, key: impl AsRef<[u8]>, slice: Slice, read: Reading) -> Cursor<Entry> {
        let (keyspace, key, column_parent) = self.row(key);
        let (predicate, options) = (slice.predicate(), self.reads());
        let Reading { token: page_token, page_bytes } = read;
        let request = pb::GetSliceRequest { keyspace, key, column_parent, predicate, options, page_bytes, page_token };
        pages!(self.client, get_slice, request, entries(columns))
    }

    /// Reads the rows of the family in the order of the partitioner, a page at a time: those from `start` to `finish`,
    /// both of which may be empty.
    pub fn rows(&self, start: impl AsRef<[u8]>, finish: impl AsRef<[u8]>, slice: Slice, read: Reading) -> Cursor<Row> {
        let (keyspace, start_key, column_parent) = self.row(start);
        let keys = pb::key_range::Bounds::Keys(pb::KeyBounds { start_key, end_key: finish.as_ref().into() });
        let range = Some(pb::KeyRange { bounds: Some(keys), count: None });
        let (predicate, options) = (slice.predicate(), self.reads());
        let fixed =
            pb::GetRangeSlicesRequest { keyspace, column_parent, predicate, range, options, ..Default::default() };
        let request = pb::GetRangeSlicesRequest { page_bytes: read.page_bytes, page_token: read.token, ..fixed };
        pages!(self.client, get_range_slices, request, rows(rows))
    }

    /// Reads entries of a row as they come, in one call that may take as long as its reader. If the node fails it
    /// continues on another one, without a gap and without repeating anything.
    pub fn stream(&self, key: impl AsRef<[u8]>, slice: Slice, read: Reading) -> Cursor<Entry> {
        let (keyspace, key, column_parent) = self.row(key);
        let (predicate, options) = (slice.predicate(), self.reads());
        let Reading { token: resume_token, page_bytes: max_chunk_bytes } = read;
        let mut request =
            pb::StreamSliceRequest { keyspace, key, column_parent, predicate, options, resume_token, max_chunk_bytes };
        let client = self.client.clone();
        Cursor::new(try_stream! {
            let mut failures = 0;
            loop {
                let mut node = client.node();
                let mut parts = node.column_store.stream_slice(request.clone()).await.map(Response::into_inner);
                let status = loop {
                    match next(&mut parts).await {
                        Err(status) => break status,
                        Ok(None) => return,
                        Ok(Some(part)) => {
                            failures = 0;
                            request.resume_token.clone_from(&part.resume_token);
                            yield Page { items: entries(part.columns), token: part.resume_token };
                        }
                    }
                };
                failures += 1;
                client.pause(failures, node.failed(&status, false), None).await?;
            }
        })
    }

    /// The fields that most requests have.
    fn row(&self, key: impl AsRef<[u8]>) -> (String, Vec<u8>, Option<pb::ColumnParent>) {
        (self.keyspace.clone(), key.as_ref().into(), Some(self.parent.clone()))
    }

    fn path(&self, column: Option<&[u8]>) -> Option<pb::ColumnPath> {
        let pb::ColumnParent { column_family, super_column } = self.parent.clone();
        Some(pb::ColumnPath { column_family, super_column, column: column.map(Into::into) })
    }

    pub(crate) fn column(&self, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Column {
        let (name, value) = (name.as_ref().into(), value.as_ref().into());
        Column { name, value, timestamp: self.timestamp, ttl_seconds: self.ttl }
    }

    fn reads(&self) -> Option<pb::ReadOptions> {
        let consistency_level = self.client.settings.read_level.into();
        Some(pb::ReadOptions { consistency_level, ..Default::default() })
    }
}

/// The next part of a stream, which may have failed to open.
async fn next<T>(parts: &mut Result<Streaming<T>, Status>) -> Result<Option<T>, Status> {
    parts.as_mut().map_err(|status| status.clone())?.message().await
}
