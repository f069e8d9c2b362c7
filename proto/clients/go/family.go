package colonnade

import (
	"bytes"
	"context"

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
	inside.super = append([]byte{}, superColumn...)
	return &inside
}

// WriteOption is what a write may be given besides a value.
type WriteOption func(*pb.Column)

// Timestamp gives a write its timestamp, instead of the node's clock. A write whose error says "unknown" can then be
// made again: the same write twice is the same as once.
func Timestamp(timestamp int64) WriteOption { return func(c *pb.Column) { c.Timestamp = &timestamp } }

// TTL makes a column expire after so many seconds.
func TTL(seconds int32) WriteOption { return func(c *pb.Column) { c.TtlSeconds = &seconds } }

// Put writes a column, and returns its timestamp.
func (f *Family) Put(ctx context.Context, key, name, value []byte, options ...WriteOption) (int64, error) {
	answer, err := f.client.Store().Insert(ctx, &pb.InsertRequest{
		Keyspace: f.keyspace, Key: key, ColumnParent: f.parent(), Column: newColumn(name, value, options),
		Options: f.client.writes,
	})
	return answer.GetTimestamp(), err
}

// Remove removes a column, or without a name the super column or the row. It returns the timestamp of the removal.
func (f *Family) Remove(ctx context.Context, key, name []byte, options ...WriteOption) (int64, error) {
	answer, err := f.client.Store().Remove(ctx, &pb.RemoveRequest{
		Keyspace: f.keyspace, Key: key, ColumnPath: f.path(name),
		Timestamp: newColumn(nil, nil, options).Timestamp, Options: f.client.writes,
	})
	return answer.GetTimestamp(), err
}

// Get reads a column. [IsNotFound] tells whether an error means that there is none.
func (f *Family) Get(ctx context.Context, key, name []byte) (*Column, error) {
	found, err := f.get(ctx, key, f.path(name))
	return found.GetColumn(), err
}

// GetSuper reads a super column with all its columns.
func (f *Family) GetSuper(ctx context.Context, key, name []byte) (*pb.SuperColumn, error) {
	found, err := f.get(ctx, key, f.In(name).path(nil))
	return found.GetSuperColumn(), err
}

func (f *Family) get(ctx context.Context, key []byte, path *pb.ColumnPath) (*Entry, error) {
	request := &pb.GetRequest{Keyspace: f.keyspace, Key: key, ColumnPath: path, Options: f.client.reads}
	answer, err := f.client.Store().Get(ctx, request)
	return answer.GetColumnOrSuperColumn(), err
}

// Slice reads entries of a row, super columns whole. A row that does not exist has none.
func (f *Family) Slice(ctx context.Context, key []byte, slice Slice) ([]*Entry, error) {
	var all []*Entry
	for page, err := range f.Pages(ctx, key, slice, 0).Pages() {
		if err != nil {
			return nil, err
		}
		all = join(all, page.Items)
	}
	return all, nil
}

// Multiget reads the same entries of several rows: one row for each distinct key, in the order of the keys.
func (f *Family) Multiget(ctx context.Context, keys [][]byte, slice Slice) ([]*Row, error) {
	request := &pb.MultigetSliceRequest{
		Keyspace: f.keyspace, Keys: keys, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.client.reads,
	}
	parts := paged(ctx, f.client.Store().MultigetSlice, request, &request.PageToken, (*pb.MultigetSliceResponse).GetRows)
	var all []*Row
	for next, err := range parts.All() {
		if err != nil {
			return nil, err
		}
		if last := len(all) - 1; last >= 0 && bytes.Equal(all[last].Key, next.Key) {
			all[last].Columns = join(all[last].Columns, next.Columns)
		} else {
			all = append(all, next)
		}
	}
	return all, nil
}

// Count counts the entries of a row.
func (f *Family) Count(ctx context.Context, key []byte, slice Slice) (int64, error) {
	answer, err := f.client.Store().GetCount(ctx, &pb.GetCountRequest{
		Keyspace: f.keyspace, Key: key, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.client.reads,
	})
	return answer.GetCount(), err
}

// Pages reads entries of a row a page at a time: each is a call with a deadline. A page has up to pageBytes bytes; 0
// stands for 1 MiB.
func (f *Family) Pages(ctx context.Context, key []byte, slice Slice, pageBytes int32) Cursor[*Entry] {
	request := &pb.GetSliceRequest{
		Keyspace: f.keyspace, Key: key, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.client.reads,
		PageBytes: pageBytes,
	}
	return paged(ctx, f.client.Store().GetSlice, request, &request.PageToken, (*pb.GetSliceResponse).GetColumns)
}

// Rows reads the rows of the family in the order of the partitioner, a page at a time: those from start to finish, both
// of which may be nil.
func (f *Family) Rows(ctx context.Context, start, finish []byte, slice Slice, pageBytes int32) Cursor[*Row] {
	request := &pb.GetRangeSlicesRequest{
		Keyspace: f.keyspace, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.client.reads,
		Range:     &pb.KeyRange{Bounds: &pb.KeyRange_Keys{Keys: &pb.KeyBounds{StartKey: start, EndKey: finish}}},
		PageBytes: pageBytes,
	}
	return paged(ctx, f.client.Store().GetRangeSlices, request, &request.PageToken, (*pb.GetRangeSlicesResponse).GetRows)
}

// Stream reads entries of a row as they come, in one call that may take as long as its reader. A page has up to
// chunkBytes bytes; 0: the node chooses.
func (f *Family) Stream(ctx context.Context, key []byte, slice Slice, chunkBytes int32) Cursor[*Entry] {
	request := &pb.StreamSliceRequest{
		Keyspace: f.keyspace, Key: key, ColumnParent: f.parent(), Predicate: slice.message(), Options: f.client.reads,
		MaxChunkBytes: chunkBytes,
	}
	return f.client.streamed(ctx, request)
}

// Batch is changes that one call applies: those of a row together, those of different rows side by side. A batch is for
// one goroutine.
type Batch struct {
	client  *Client
	request *pb.BatchMutateRequest
}

// Batch begins an empty batch.
func (c *Client) Batch(keyspace string) *Batch {
	return &Batch{c, &pb.BatchMutateRequest{Keyspace: keyspace, Options: c.writes}}
}

// Put adds the write of a column.
func (b *Batch) Put(f *Family, key, name, value []byte, options ...WriteOption) *Batch {
	column := newColumn(name, value, options)
	written := &pb.ColumnOrSuperColumn{Value: &pb.ColumnOrSuperColumn_Column{Column: column}}
	if f.super != nil {
		super := &pb.SuperColumn{Name: f.super, Columns: []*pb.Column{column}}
		written.Value = &pb.ColumnOrSuperColumn_SuperColumn{SuperColumn: super}
	}
	return b.add(f, key, &pb.Mutation{Kind: &pb.Mutation_ColumnOrSuperColumn{ColumnOrSuperColumn: written}})
}

// Remove adds the removal of the entries of a slice; the zero value of a slice means all of the row or the super column.
func (b *Batch) Remove(f *Family, key []byte, slice Slice, options ...WriteOption) *Batch {
	timestamp := newColumn(nil, nil, options).Timestamp
	deletion := &pb.Deletion{Timestamp: timestamp, SuperColumn: f.super, Predicate: slice.message()}
	return b.add(f, key, &pb.Mutation{Kind: &pb.Mutation_Deletion{Deletion: deletion}})
}

func (b *Batch) add(f *Family, key []byte, mutation *pb.Mutation) *Batch {
	last := len(b.request.Rows) - 1
	if last < 0 || b.request.Rows[last].ColumnFamily != f.name || !bytes.Equal(b.request.Rows[last].Key, key) {
		b.request.Rows = append(b.request.Rows, &pb.RowMutation{Key: key, ColumnFamily: f.name})
		last++
	}
	b.request.Rows[last].Mutations = append(b.request.Rows[last].Mutations, mutation)
	return b
}

// Apply applies the changes.
func (b *Batch) Apply(ctx context.Context) error {
	_, err := b.client.Store().BatchMutate(ctx, b.request)
	return err
}

// Message returns the changes as the contract has them, to send them with others on a stream of [Client.Store]:
// StreamMutate answers how each batch ended.
func (b *Batch) Message() *pb.BatchMutateRequest { return b.request }

func (f *Family) parent() *pb.ColumnParent {
	return &pb.ColumnParent{ColumnFamily: f.name, SuperColumn: f.super}
}

func (f *Family) path(name []byte) *pb.ColumnPath {
	return &pb.ColumnPath{ColumnFamily: f.name, SuperColumn: f.super, Column: name}
}

func newColumn(name, value []byte, options []WriteOption) *pb.Column {
	c := &pb.Column{Name: name, Value: value}
	for _, option := range options {
		option(c)
	}
	return c
}
