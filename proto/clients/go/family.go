package colonnade

import (
	"context"
	"errors"
	"io"

	pb "colonnade.dev/go/gen/colonnade/v1"
)

// Family reads and writes the rows of a column family, or with [Family.In] the columns of a super column.
type Family struct {
	client         *Client
	keyspace, name string
	super          []byte
}

// Family returns a column family. It makes no call, and does not ask whether there is one.
func (c *Client) Family(keyspace, name string) *Family {
	return &Family{client: c, keyspace: keyspace, name: name}
}

// In returns the same family inside one super column: all methods then mean its columns.
func (f *Family) In(superColumn []byte) *Family {
	inside := *f
	inside.super = superColumn
	if inside.super == nil {
		inside.super = []byte{}
	}
	return &inside
}

// WriteOption is what a write may be given besides a value.
type WriteOption func(*pb.Column)

// Timestamp gives a write its timestamp, instead of the node's clock. A write whose error says AppliedUnknown can then
// be made again: the same write twice is the same as once.
func Timestamp(timestamp int64) WriteOption {
	return func(c *pb.Column) { c.Timestamp = &timestamp }
}

// TTL makes a column expire after so many seconds.
func TTL(seconds int32) WriteOption {
	return func(c *pb.Column) { c.TtlSeconds = &seconds }
}

// Put writes a column, and returns its timestamp.
func (f *Family) Put(ctx context.Context, key, name, value []byte, options ...WriteOption) (int64, error) {
	answer, err := Call(ctx, f.client, true, (*Node).ColumnStore, pb.ColumnStoreServiceClient.Insert, &pb.InsertRequest{
		Keyspace: f.keyspace, Key: key, ColumnParent: f.parent(), Column: newColumn(name, value, options),
		Options: &pb.WriteOptions{ConsistencyLevel: f.client.writeLevel},
	})
	return answer.GetTimestamp(), err
}

// Get reads a column. [IsNotFound] tells whether an error means that there is none.
func (f *Family) Get(ctx context.Context, key, name []byte) (Column, error) {
	found, err := f.get(ctx, key, &pb.ColumnPath{ColumnFamily: f.name, SuperColumn: f.super, Column: name})
	return found.Column, err
}

// GetSuper reads a super column with all its columns.
func (f *Family) GetSuper(ctx context.Context, key, name []byte) (Entry, error) {
	return f.get(ctx, key, &pb.ColumnPath{ColumnFamily: f.name, SuperColumn: name})
}

func (f *Family) get(ctx context.Context, key []byte, path *pb.ColumnPath) (Entry, error) {
	answer, err := Call(ctx, f.client, false, (*Node).ColumnStore, pb.ColumnStoreServiceClient.Get, &pb.GetRequest{
		Keyspace: f.keyspace, Key: key, ColumnPath: path, Options: f.reads(),
	})
	if err != nil {
		return Entry{}, err
	}
	return entry(answer.GetColumnOrSuperColumn()), nil
}

// Slice reads entries of a row, super columns whole. A row that does not exist has none.
func (f *Family) Slice(ctx context.Context, key []byte, slice Slice) ([]Entry, error) {
	var all []Entry
	for page, err := range f.Pages(ctx, key, slice, 0).Pages() {
		if err != nil {
			return nil, err
		}
		all = join(all, page.Items)
	}
	return all, nil
}

// Multiget reads the same entries of several rows: one row for each distinct key, in the order of the keys.
func (f *Family) Multiget(ctx context.Context, keys [][]byte, slice Slice) ([]Row, error) {
	request := &pb.MultigetSliceRequest{
		Keyspace: f.keyspace, Keys: keys, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.reads(),
	}
	parts := paged(ctx, f.client, func(ctx context.Context, node *Node, token string) ([]Row, string, error) {
		request.PageToken = token
		answer, err := node.ColumnStore().MultigetSlice(ctx, request)
		part := rows(answer.GetRows(), answer.GetRowContinues(), answer.GetSuperColumnContinues())
		return part, answer.GetNextPageToken(), err
	})
	var all []Row
	for row, err := range parts.All() {
		if err != nil {
			return nil, err
		}
		if last := len(all) - 1; last >= 0 && all[last].Continues && string(all[last].Key) == string(row.Key) {
			all[last].Entries, all[last].Continues = join(all[last].Entries, row.Entries), row.Continues
			continue
		}
		all = append(all, row)
	}
	return all, nil
}

// Count counts the entries of a row.
func (f *Family) Count(ctx context.Context, key []byte, slice Slice) (int64, error) {
	answer, err := Call(ctx, f.client, false, (*Node).ColumnStore, pb.ColumnStoreServiceClient.GetCount, &pb.GetCountRequest{
		Keyspace: f.keyspace, Key: key, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.reads(),
	})
	return answer.GetCount(), err
}

// Remove removes a column, or without a name the super column or the row. It returns the timestamp of the removal.
func (f *Family) Remove(ctx context.Context, key, name []byte, options ...WriteOption) (int64, error) {
	answer, err := Call(ctx, f.client, true, (*Node).ColumnStore, pb.ColumnStoreServiceClient.Remove, &pb.RemoveRequest{
		Keyspace: f.keyspace, Key: key,
		ColumnPath: &pb.ColumnPath{ColumnFamily: f.name, SuperColumn: f.super, Column: name},
		Timestamp:  newColumn(nil, nil, options).Timestamp,
		Options:    &pb.WriteOptions{ConsistencyLevel: f.client.writeLevel},
	})
	return answer.GetTimestamp(), err
}

// Pages reads entries of a row a page at a time: each is a call with a deadline. A page has up to pageBytes bytes; 0
// stands for 1 MiB.
func (f *Family) Pages(ctx context.Context, key []byte, slice Slice, pageBytes int32) *Cursor[Entry] {
	request := &pb.GetSliceRequest{
		Keyspace: f.keyspace, Key: key, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.reads(),
		PageBytes: pageBytes,
	}
	return paged(ctx, f.client, func(ctx context.Context, node *Node, token string) ([]Entry, string, error) {
		request.PageToken = token
		answer, err := node.ColumnStore().GetSlice(ctx, request)
		return entries(answer.GetColumns(), answer.GetSuperColumnContinues()), answer.GetNextPageToken(), err
	})
}

// Stream reads entries of a row as they come, in one call that may take as long as its reader. A page has up to
// chunkBytes bytes; 0: the node chooses.
func (f *Family) Stream(ctx context.Context, key []byte, slice Slice, chunkBytes int32) *Cursor[Entry] {
	request := &pb.StreamSliceRequest{
		Keyspace: f.keyspace, Key: key, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.reads(),
		MaxChunkBytes: chunkBytes,
	}
	return &Cursor[Entry]{client: f.client, ctx: ctx, open: func(ctx context.Context, node *Node, token string, yield func([]Entry, string) bool) error {
		request.ResumeToken = token
		stream, err := node.ColumnStore().StreamSlice(ctx, request)
		for err == nil {
			var part *pb.StreamSliceResponse
			if part, err = stream.Recv(); err == nil {
				if !yield(entries(part.GetColumns(), part.GetSuperColumnContinues()), part.GetResumeToken()) {
					return nil
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		return err
	}}
}

// Rows reads the rows of the family in the order of the partitioner, a page at a time: those from start to finish, both
// of which may be nil.
func (f *Family) Rows(ctx context.Context, start, finish []byte, slice Slice, pageBytes int32) *Cursor[Row] {
	request := &pb.GetRangeSlicesRequest{
		Keyspace: f.keyspace, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.reads(), PageBytes: pageBytes,
		Range: &pb.KeyRange{Bounds: &pb.KeyRange_Keys{Keys: &pb.KeyBounds{StartKey: start, EndKey: finish}}},
	}
	return paged(ctx, f.client, func(ctx context.Context, node *Node, token string) ([]Row, string, error) {
		request.PageToken = token
		answer, err := node.ColumnStore().GetRangeSlices(ctx, request)
		part := rows(answer.GetRows(), answer.GetRowContinues(), answer.GetSuperColumnContinues())
		return part, answer.GetNextPageToken(), err
	})
}

func (f *Family) parent() *pb.ColumnParent {
	return &pb.ColumnParent{ColumnFamily: f.name, SuperColumn: f.super}
}

func (f *Family) reads() *pb.ReadOptions {
	return &pb.ReadOptions{ConsistencyLevel: f.client.readLevel}
}

func newColumn(name, value []byte, options []WriteOption) *pb.Column {
	c := &pb.Column{Name: name, Value: value}
	for _, option := range options {
		option(c)
	}
	return c
}
