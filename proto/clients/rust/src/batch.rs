use std::collections::{HashMap, VecDeque};

use tokio_stream::{Stream, StreamExt};
use tonic::{Code, Streaming};

use crate::family::column;
use crate::{Applied, Client, Error, Family, Slice, Write, pb};

/// Changes that one call applies: those of a row together, those of different rows side by side.
#[derive(Clone, Debug)]
pub struct Batch {
    client: Client,
    keyspace: String,
    rows: Vec<pb::RowMutation>,
    places: HashMap<(String, Vec<u8>), usize>,
}

impl Batch {
    pub(crate) fn new(client: Client, keyspace: &str) -> Self {
        Batch { client, keyspace: keyspace.into(), rows: Vec::new(), places: HashMap::new() }
    }

    /// Adds the write of a column.
    pub fn put(self, family: &Family, key: impl AsRef<[u8]>, name: impl AsRef<[u8]>, value: impl AsRef<[u8]>) -> Self {
        self.put_with(family, key, name, value, Write::default())
    }

    /// Adds the write of a column with a timestamp or a time to live.
    pub fn put_with(
        self,
        family: &Family,
        key: impl AsRef<[u8]>,
        name: impl AsRef<[u8]>,
        value: impl AsRef<[u8]>,
        write: Write,
    ) -> Self {
        use pb::column_or_super_column::Value;
        let column = column(name.as_ref(), value.as_ref(), write);
        let value = match &family.super_column {
            Some(name) => Value::SuperColumn(pb::SuperColumn { name: name.clone(), columns: vec![column] }),
            None => Value::Column(column),
        };
        let written = pb::ColumnOrSuperColumn { value: Some(value) };
        self.add(family, key.as_ref(), pb::mutation::Kind::ColumnOrSuperColumn(written))
    }

    /// Adds the removal of the entries of a slice, or without one of the row or the super column.
    pub fn remove(self, family: &Family, key: impl AsRef<[u8]>, slice: Option<Slice>, write: Write) -> Self {
        let deletion = pb::Deletion {
            timestamp: write.timestamp,
            super_column: family.super_column.clone(),
            predicate: slice.map(Slice::predicate),
        };
        self.add(family, key.as_ref(), pb::mutation::Kind::Deletion(deletion))
    }

    fn add(mut self, family: &Family, key: &[u8], kind: pb::mutation::Kind) -> Self {
        let place = *self.places.entry((family.name.clone(), key.into())).or_insert_with(|| {
            let row = pb::RowMutation { key: key.into(), column_family: family.name.clone(), mutations: Vec::new() };
            self.rows.push(row);
            self.rows.len() - 1
        });
        self.rows[place].mutations.push(pb::Mutation { kind: Some(kind) });
        self
    }

    /// Applies the changes.
    pub async fn apply(self) -> Result<(), Error> {
        let client = self.client.clone();
        let apply = |mut node: crate::Node, request| async move { node.column_store.batch_mutate(request).await };
        client.call(true, self.message(), apply).await?;
        Ok(())
    }

    fn message(self) -> pb::BatchMutateRequest {
        let consistency_level = self.client.settings.write_level.into();
        let options = Some(pb::WriteOptions { consistency_level, include_stats: false });
        pb::BatchMutateRequest { keyspace: self.keyspace, rows: self.rows, options }
    }
}

/// How one batch of a stream ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Counts the batches from 1.
    pub sequence: u64,
    /// Whether it was applied.
    pub applied: Applied,
    /// Why not.
    pub error: Option<Error>,
}

/// The outcomes of a stream of batches, in any order. Dropping it ends the stream.
pub struct Outcomes {
    client: Client,
    node: usize,
    open: Streaming<pb::StreamMutateResponse>,
    taken: VecDeque<pb::MutateOutcome>,
}

impl Client {
    /// Applies batches as they come. A batch that fails does not end the stream.
    pub async fn mutate_stream(&self, batches: impl Stream<Item = Batch> + Send + 'static) -> Result<Outcomes, Error> {
        let mut sequence = 0;
        let requests = batches.map(move |batch| {
            sequence += 1;
            pb::StreamMutateRequest { sequence, batch: Some(batch.message()) }
        });
        let mut node = self.node();
        let index = node.index();
        match node.column_store.stream_mutate(requests).await {
            Ok(answer) => {
                Ok(Outcomes { client: self.clone(), node: index, open: answer.into_inner(), taken: VecDeque::new() })
            }
            Err(status) => Err(self.failed(index, &status, true)),
        }
    }
}

impl Outcomes {
    /// The next outcome; `None` when all batches have one.
    pub async fn next(&mut self) -> Result<Option<Outcome>, Error> {
        loop {
            if let Some(message) = self.taken.pop_front() {
                return Ok(Some(outcome(message)));
            }
            match self.open.message().await {
                Ok(Some(answer)) => self.taken = answer.outcomes.into(),
                Ok(None) => return Ok(None),
                Err(status) => return Err(self.client.failed(self.node, &status, true)),
            }
        }
    }
}

fn outcome(message: pb::MutateOutcome) -> Outcome {
    let applied = match message.applied() {
        pb::Applied::Yes => Applied::Yes,
        pb::Applied::No => Applied::No,
        pb::Applied::Unknown | pb::Applied::Unspecified => Applied::Unknown,
    };
    let mut metadata = HashMap::new();
    if message.required > 0 {
        metadata.insert("required".into(), message.required.to_string());
        metadata.insert("received".into(), message.received.to_string());
    }
    let error = (message.code != 0).then(|| Error {
        code: Code::from(message.code),
        reason: message.reason,
        message: message.message,
        applied: Some(applied),
        metadata,
        fields: Vec::new(),
        retry_after: None,
    });
    Outcome { sequence: message.sequence, applied, error }
}
