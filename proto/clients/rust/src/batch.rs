use async_stream::try_stream;
use tokio_stream::{Stream, StreamExt};

use crate::{Client, Cursor, Entry, Family, Outcome, Page, Result, Slice, pb};
use pb::mutation::Kind;

/// Changes that one call applies: those of a row together, those of different rows side by side.
#[derive(Clone, Debug)]
pub struct Batch {
    pub(crate) client: Client,
    pub(crate) request: pb::BatchMutateRequest,
}

impl Batch {
    /// Adds the write of a column.
    pub fn put(self, family: &Family, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        let column = family.column(name, value);
        let entry = match family.parent.super_column.clone() {
            Some(name) => Entry::SuperColumn(pb::SuperColumn { name, columns: vec![column] }),
            None => Entry::Column(column),
        };
        self.add(family, key, Kind::ColumnOrSuperColumn(pb::ColumnOrSuperColumn { value: Some(entry) }))
    }

    /// Adds the removal of the entries of a slice, or without one of the row or the super column.
    pub fn remove(self, family: &Family, key: impl AsRef<[u8]>, slice: impl Into<Option<Slice>>) -> Self {
        let (timestamp, super_column) = (family.timestamp, family.parent.super_column.clone());
        let predicate = slice.into().and_then(Slice::predicate);
        self.add(family, key, Kind::Deletion(pb::Deletion { timestamp, super_column, predicate }))
    }

    fn add(mut self, family: &Family, key: impl AsRef<[u8]>, kind: Kind) -> Self {
        let (key, column_family) = (key.as_ref().into(), family.parent.column_family.clone());
        let mutations = vec![pb::Mutation { kind: Some(kind) }];
        self.request.rows.push(pb::RowMutation { key, column_family, mutations });
        self
    }

    /// Applies the changes.
    pub async fn apply(self) -> Result<()> {
        let apply = async |mut node: crate::Node, request| node.column_store.batch_mutate(request).await;
        self.client.call(true, self.request, apply).await?;
        Ok(())
    }
}

impl Client {
    /// Applies batches as they come, and counts them from 1. Outcomes come in any order; a batch that fails does not end
    /// the stream.
    pub fn mutate_stream(&self, batches: impl Stream<Item = Batch> + Send + 'static) -> Cursor<Outcome> {
        let mut sequence = 0;
        let requests = batches.map(move |batch| {
            sequence += 1;
            pb::StreamMutateRequest { sequence, batch: Some(batch.request) }
        });
        let mut node = self.node();
        Cursor::new(try_stream! {
            let answers = node.column_store.stream_mutate(requests).await;
            let mut answers = answers.map_err(|status| node.failed(&status, true))?.into_inner();
            while let Some(answer) = answers.message().await.map_err(|status| node.failed(&status, true))? {
                yield Page { items: answer.outcomes, token: String::new() };
            }
        })
    }
}
