package colonnade

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	pb "colonnade.dev/go/gen/colonnade/v1"
)

// Long returns the 8 bytes of LongType: signed, the most significant first.
func Long(number int64) []byte { return binary.BigEndian.AppendUint64(nil, uint64(number)) }

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

// What is read are messages of the contract. Methods such as GetColumn find what is in them, and never fail.
type (
	// Column is a name with a value. GetTimestamp decides between versions, microseconds by convention; GetTtlSeconds is the
	// time to live, 0 for ever.
	Column = pb.Column
	// Entry is what stands directly under a row: a column, or in a Super family a super column. Pages and streams give a
	// large super column in parts: entries of the same name, one after the other.
	Entry = pb.ColumnOrSuperColumn
	// Row is a row of several. A cursor gives a large one in parts: rows of the same key, one after the other.
	Row = pb.KeySlice
)

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
	// Since, unless nil, leaves out columns with a smaller timestamp: what stays was written since.
	Since *int64
}

// First returns a slice of the first entries.
func First(count int32) Slice { return Slice{Count: &count} }

// Last returns a slice of the last entries, the last one first.
func Last(count int32) Slice { return Slice{Count: &count, Reversed: true} }

func (s Slice) message() *pb.SlicePredicate {
	predicate := &pb.SlicePredicate{MinTimestamp: s.Since}
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

// join adds a part of a row to what came before, and puts super columns together.
func join(whole, part []*Entry) []*Entry {
	for _, next := range part {
		super, last := next.GetSuperColumn(), len(whole)-1
		if super != nil && last >= 0 && bytes.Equal(super.Name, whole[last].GetSuperColumn().GetName()) {
			whole[last].GetSuperColumn().Columns = append(whole[last].GetSuperColumn().Columns, super.Columns...)
		} else {
			whole = append(whole, next)
		}
	}
	return whole
}
