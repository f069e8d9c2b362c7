use crate::{Entry, Slice, SliceRange, pb};
use pb::slice_predicate::Kind;

/// The 8 bytes of LongType: signed, the most significant first.
pub fn long(number: i64) -> [u8; 8] {
    number.to_be_bytes()
}

/// The number in the 8 bytes of LongType; `None` if there are not 8.
pub fn unlong(data: &[u8]) -> Option<i64> {
    data.try_into().ok().map(i64::from_be_bytes)
}

impl Entry {
    /// The name.
    pub fn name(&self) -> &[u8] {
        match self {
            Entry::Column(column) => &column.name,
            Entry::SuperColumn(super_column) => &super_column.name,
        }
    }
}

/// A row of several, or the part of it that one page holds: then the next row has the same key.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// The key.
    pub key: Vec<u8>,
    /// The entries found.
    pub entries: Vec<Entry>,
}

/// The default means all.
impl Slice {
    /// The first entries.
    pub fn first(count: i32) -> Self {
        Slice::range(SliceRange { count: Some(count), ..Default::default() })
    }

    /// The last entries, the last one first.
    pub fn last(count: i32) -> Self {
        Slice::range(SliceRange { count: Some(count), reversed: true, ..Default::default() })
    }

    /// The entries of an interval.
    pub fn range(range: SliceRange) -> Self {
        Slice { kind: Some(Kind::SliceRange(range)), min_timestamp: None }
    }

    /// The entries of these names. None finds nothing.
    pub fn names(names: impl IntoIterator<Item: AsRef<[u8]>>) -> Self {
        let names = names.into_iter().map(|name| name.as_ref().into()).collect();
        Slice { kind: Some(Kind::ColumnNames(pb::ColumnNames { names })), min_timestamp: None }
    }

    /// The same columns, as far as they have this timestamp or a greater one: what was written since.
    pub fn since(self, timestamp: i64) -> Self {
        Slice { min_timestamp: Some(timestamp), ..self }
    }

    pub(crate) fn predicate(mut self) -> Option<Self> {
        self.kind.get_or_insert(Kind::SliceRange(SliceRange::default()));
        Some(self)
    }
}

pub(crate) fn entries(messages: Vec<pb::ColumnOrSuperColumn>) -> Vec<Entry> {
    messages.into_iter().filter_map(|message| message.value).collect()
}

pub(crate) fn rows(messages: Vec<pb::KeySlice>) -> Vec<Row> {
    messages.into_iter().map(|row| Row { key: row.key, entries: entries(row.columns) }).collect()
}

/// Adds a page to those before. A super column that was cut in two is whole again.
pub(crate) fn join(whole: &mut Vec<Entry>, page: Vec<Entry>) {
    for mut each in page {
        match (whole.last_mut(), &mut each) {
            (Some(Entry::SuperColumn(last)), Entry::SuperColumn(more)) if last.name == more.name => {
                last.columns.append(&mut more.columns);
            }
            _ => whole.push(each),
        }
    }
}

/// Adds a page to those before. A row that was cut in two is whole again.
pub(crate) fn join_rows(whole: &mut Vec<Row>, page: Vec<Row>) {
    for row in page {
        match whole.last_mut() {
            Some(last) if last.key == row.key => join(&mut last.entries, row.entries),
            _ => whole.push(row),
        }
    }
}
