use crate::pb;

/// The 8 bytes of LongType: signed, the most significant first.
pub fn long(number: i64) -> [u8; 8] {
    number.to_be_bytes()
}

/// The number in the 8 bytes of LongType; `None` if there are not 8.
pub fn unlong(data: &[u8]) -> Option<i64> {
    data.try_into().ok().map(i64::from_be_bytes)
}

/// A name with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// The name.
    pub name: Vec<u8>,
    /// The value.
    pub value: Vec<u8>,
    /// Decides between versions; microseconds by convention.
    pub timestamp: i64,
    /// The time to live in seconds; `None` for ever.
    pub ttl: Option<i32>,
}

/// A name and columns, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuperColumn {
    /// The name.
    pub name: Vec<u8>,
    /// The columns inside.
    pub columns: Vec<Column>,
    /// There may be more of it: the next entry then has the same name. Only pages and streams give it in parts.
    pub continues: bool,
}

/// What stands directly under a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// In a Standard family, or inside a super column.
    Column(Column),
    /// In a Super family.
    Super(SuperColumn),
}

impl Entry {
    /// The name.
    pub fn name(&self) -> &[u8] {
        match self {
            Entry::Column(column) => &column.name,
            Entry::Super(super_column) => &super_column.name,
        }
    }
}

/// A row of several, or the part of it that one page holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The key.
    pub key: Vec<u8>,
    /// The entries found.
    pub entries: Vec<Entry>,
    /// There may be more of this row: the next one then has the same key.
    pub continues: bool,
}

/// Which entries of a row are meant: those of an interval, or those of `names`. The default means all.
#[derive(Clone, Debug, Default)]
pub struct Slice {
    /// Where to begin, in the direction of travel; empty for the first.
    pub start: Vec<u8>,
    /// Where to end, in the direction of travel; empty for the last.
    pub finish: Vec<u8>,
    /// From the greatest name to the smallest.
    pub reversed: bool,
    /// The most entries; `None` for no limit.
    pub count: Option<i32>,
    /// Only these names. An empty list finds nothing.
    pub names: Option<Vec<Vec<u8>>>,
    /// Leave out the entry that equals `start`.
    pub start_exclusive: bool,
    /// Leave out the entry that equals `finish`.
    pub finish_exclusive: bool,
    /// Only columns with this timestamp or a greater one.
    pub min_timestamp: Option<i64>,
}

impl Slice {
    /// The first entries.
    pub fn first(count: i32) -> Self {
        Slice { count: Some(count), ..Slice::default() }
    }

    /// The last entries, the last one first.
    pub fn last(count: i32) -> Self {
        Slice { reversed: true, ..Slice::first(count) }
    }

    /// The same columns, as far as they have this timestamp or a greater one: what was written since.
    pub fn since(self, timestamp: i64) -> Self {
        Slice { min_timestamp: Some(timestamp), ..self }
    }

    pub(crate) fn predicate(self) -> pb::SlicePredicate {
        let kind = match self.names {
            Some(names) => pb::slice_predicate::Kind::ColumnNames(pb::ColumnNames { names }),
            None => pb::slice_predicate::Kind::SliceRange(pb::SliceRange {
                start: self.start,
                finish: self.finish,
                reversed: self.reversed,
                count: self.count,
                start_exclusive: self.start_exclusive,
                finish_exclusive: self.finish_exclusive,
            }),
        };
        pb::SlicePredicate {
            kind: Some(kind),
            min_timestamp: self.min_timestamp,
        }
    }
}

fn column(message: pb::Column) -> Column {
    Column {
        name: message.name,
        value: message.value,
        timestamp: message.timestamp.unwrap_or_default(),
        ttl: message.ttl_seconds,
    }
}

pub(crate) fn entry(message: pb::ColumnOrSuperColumn) -> Option<Entry> {
    use pb::column_or_super_column::Value;
    Some(match message.value? {
        Value::Column(each) => Entry::Column(column(each)),
        Value::SuperColumn(each) => Entry::Super(SuperColumn {
            name: each.name,
            columns: each.columns.into_iter().map(column).collect(),
            continues: false,
        }),
    })
}

pub(crate) fn entries(messages: Vec<pb::ColumnOrSuperColumn>, continues: bool) -> Vec<Entry> {
    let mut all: Vec<Entry> = messages.into_iter().filter_map(entry).collect();
    if let Some(Entry::Super(last)) = all.last_mut() {
        last.continues = continues;
    }
    all
}

pub(crate) fn rows(messages: Vec<pb::KeySlice>, row_continues: bool, super_continues: bool) -> Vec<Row> {
    let last = messages.len().saturating_sub(1);
    let part = |(i, message): (usize, pb::KeySlice)| Row {
        key: message.key,
        entries: entries(message.columns, super_continues && i == last),
        continues: row_continues && i == last,
    };
    messages.into_iter().enumerate().map(part).collect()
}

/// Adds a part of a row to what came before, and puts super columns together.
pub(crate) fn join(whole: &mut Vec<Entry>, part: Vec<Entry>) {
    for mut each in part {
        match (whole.last_mut(), &mut each) {
            (Some(Entry::Super(last)), Entry::Super(more)) if last.continues && last.name == more.name => {
                last.columns.append(&mut more.columns);
                last.continues = more.continues;
            }
            _ => whole.push(each),
        }
    }
}

/// What was cut is whole now.
pub(crate) fn close(whole: &mut [Entry]) {
    for each in whole {
        if let Entry::Super(each) = each {
            each.continues = false;
        }
    }
}
