package colonnade

import (
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	pb "colonnade.dev/go/gen/colonnade/v1"
)

// Long returns the 8 bytes of LongType: signed, the most significant first.
func Long(number int64) []byte {
	return binary.BigEndian.AppendUint64(nil, uint64(number))
}

// ParseLong returns the number in the 8 bytes of LongType.
func ParseLong(data []byte) (int64, error) {
	if len(data) != 8 {
		return 0, fmt.Errorf("a long has 8 bytes, and this has %d", len(data))
	}
	return int64(binary.BigEndian.Uint64(data)), nil
}

// Text returns the text in bytes that are UTF-8, and an error if they are not. A conversion with string(data) would
// keep wrong bytes silently.
func Text(data []byte) (string, error) {
	if !utf8.Valid(data) {
		return "", fmt.Errorf("not UTF-8: %x", data)
	}
	return string(data), nil
}

// Column is a name with a value.
type Column struct {
	Name, Value []byte
	// Timestamp decides between versions; microseconds by convention.
	Timestamp int64
	// TTL is the time to live in seconds; 0 for ever.
	TTL int32
}

// Entry is what stands directly under a row: a column, or in a Super family a super column.
type Entry struct {
	// Column is the column; of a super column only the name is set.
	Column
	// Columns are those of a super column, ascending; nil for a column.
	Columns []Column
	// Continues says that there may be more of this super column: the next entry then has the same name. Only pages
	// and streams give a super column in parts.
	Continues bool
}

// Row is a row of several, or the part of it that one page holds.
type Row struct {
	Key     []byte
	Entries []Entry
	// Continues says that there may be more of this row: the next one then has the same key.
	Continues bool
}

// Slice says which entries of a row are meant: those of an interval, or those of Names. The zero value means all.
type Slice struct {
	// Start and Finish are the ends in the direction of travel; empty means open.
	Start, Finish []byte
	Reversed      bool
	// Count is the most entries; nil for no limit.
	Count *int32
	// Names, unless nil, are the names of the entries. An empty list finds nothing.
	Names                           [][]byte
	StartExclusive, FinishExclusive bool
	// MinTimestamp, unless nil, leaves out columns with a smaller timestamp.
	MinTimestamp *int64
}

// First returns a slice of the first entries.
func First(count int32) Slice { return Slice{Count: &count} }

// Last returns a slice of the last entries, the last one first.
func Last(count int32) Slice { return Slice{Count: &count, Reversed: true} }

// Since returns a slice of the same columns as far as they have this timestamp or a greater one: what was written since.
func (s Slice) Since(timestamp int64) Slice {
	s.MinTimestamp = &timestamp
	return s
}

func (s Slice) message() *pb.SlicePredicate {
	predicate := &pb.SlicePredicate{MinTimestamp: s.MinTimestamp}
	if s.Names != nil {
		predicate.Kind = &pb.SlicePredicate_ColumnNames{ColumnNames: &pb.ColumnNames{Names: s.Names}}
		return predicate
	}
	predicate.Kind = &pb.SlicePredicate_SliceRange{SliceRange: &pb.SliceRange{
		Start: s.Start, Finish: s.Finish, Reversed: s.Reversed, Count: s.Count,
		StartExclusive: s.StartExclusive, FinishExclusive: s.FinishExclusive,
	}}
	return predicate
}

func column(c *pb.Column) Column {
	return Column{Name: c.GetName(), Value: c.GetValue(), Timestamp: c.GetTimestamp(), TTL: c.GetTtlSeconds()}
}

func entry(e *pb.ColumnOrSuperColumn) Entry {
	if super := e.GetSuperColumn(); super != nil {
		columns := make([]Column, len(super.GetColumns()))
		for i, each := range super.GetColumns() {
			columns[i] = column(each)
		}
		return Entry{Column: Column{Name: super.GetName()}, Columns: columns}
	}
	return Entry{Column: column(e.GetColumn())}
}

func entries(list []*pb.ColumnOrSuperColumn, continues bool) []Entry {
	all := make([]Entry, len(list))
	for i, each := range list {
		all[i] = entry(each)
	}
	if len(all) > 0 {
		all[len(all)-1].Continues = continues
	}
	return all
}

func rows(list []*pb.KeySlice, rowContinues, superContinues bool) []Row {
	all := make([]Row, len(list))
	for i, each := range list {
		last := i == len(list)-1
		all[i] = Row{each.GetKey(), entries(each.GetColumns(), superContinues && last), rowContinues && last}
	}
	return all
}

// join adds a part of a row to what came before, and puts super columns together.
func join(whole, part []Entry) []Entry {
	for _, each := range part {
		if last := len(whole) - 1; last >= 0 && whole[last].Continues && string(whole[last].Name) == string(each.Name) {
			whole[last].Columns = append(whole[last].Columns, each.Columns...)
			whole[last].Continues = each.Continues
			continue
		}
		if last := len(whole) - 1; last >= 0 {
			whole[last].Continues = false
		}
		whole = append(whole, each)
	}
	return whole
}
