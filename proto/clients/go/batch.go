package colonnade

import (
	"context"
	"errors"
	"io"
	"iter"
	"strconv"

	spb "google.golang.org/genproto/googleapis/rpc/status"

	pb "colonnade.dev/go/gen/colonnade/v1"
)

// Batch is changes that one call applies: those of a row together, those of different rows side by side. A batch is for
// one goroutine.
type Batch struct {
	client  *Client
	request *pb.BatchMutateRequest
	rows    map[string]*pb.RowMutation
}

// Batch begins an empty batch.
func (c *Client) Batch(keyspace string) *Batch {
	return &Batch{client: c, rows: map[string]*pb.RowMutation{}, request: &pb.BatchMutateRequest{
		Keyspace: keyspace, Options: &pb.WriteOptions{ConsistencyLevel: c.writeLevel},
	}}
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

// Remove adds the removal of the entries of a slice.
func (b *Batch) Remove(f *Family, key []byte, slice Slice, options ...WriteOption) *Batch {
	return b.remove(f, key, slice.message(), options)
}

// RemoveAll adds the removal of the row, or of the super column.
func (b *Batch) RemoveAll(f *Family, key []byte, options ...WriteOption) *Batch {
	return b.remove(f, key, nil, options)
}

func (b *Batch) remove(f *Family, key []byte, predicate *pb.SlicePredicate, options []WriteOption) *Batch {
	deletion := &pb.Deletion{
		Timestamp: newColumn(nil, nil, options).Timestamp, SuperColumn: f.super, Predicate: predicate,
	}
	return b.add(f, key, &pb.Mutation{Kind: &pb.Mutation_Deletion{Deletion: deletion}})
}

func (b *Batch) add(f *Family, key []byte, mutation *pb.Mutation) *Batch {
	id := f.name + "\x00" + string(key)
	row, ok := b.rows[id]
	if !ok {
		row = &pb.RowMutation{Key: key, ColumnFamily: f.name}
		b.rows[id] = row
		b.request.Rows = append(b.request.Rows, row)
	}
	row.Mutations = append(row.Mutations, mutation)
	return b
}

// Apply applies the changes.
func (b *Batch) Apply(ctx context.Context) error {
	_, err := Call(ctx, b.client, true, (*Node).ColumnStore, pb.ColumnStoreServiceClient.BatchMutate, b.request)
	return err
}

// Outcome is how one batch of a stream ended.
type Outcome struct {
	// Sequence counts the batches from 1.
	Sequence uint64
	Applied  Applied
	// Err is nil if the batch was applied, or an *Error.
	Err error
}

// MutateStream applies batches as they come, and yields an outcome for each, in any order. A batch that fails does not
// end the stream; when the stream itself fails, an error comes last. The batches are taken by another goroutine, which
// takes one more at most after the stream has ended.
func (c *Client) MutateStream(ctx context.Context, batches iter.Seq[*Batch]) iter.Seq2[Outcome, error] {
	return func(yield func(Outcome, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		node := c.Node()
		stream, err := node.ColumnStore().StreamMutate(ctx)
		if err != nil {
			yield(Outcome{}, c.failed(node, err, true))
			return
		}
		go func() {
			sequence := uint64(0)
			for batch := range batches {
				sequence++
				// Send waits while the node takes no more. If the stream failed, Recv says why.
				if stream.Send(&pb.StreamMutateRequest{Sequence: sequence, Batch: batch.request}) != nil {
					return
				}
			}
			_ = stream.CloseSend()
		}()
		for {
			answer, err := stream.Recv()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Outcome{}, c.failed(node, err, true))
				return
			}
			for _, each := range answer.GetOutcomes() {
				if !yield(outcome(each), nil) {
					return
				}
			}
		}
	}
}

func outcome(o *pb.MutateOutcome) Outcome {
	result := Outcome{Sequence: o.GetSequence(), Applied: AppliedUnknown}
	switch o.GetApplied() {
	case pb.Applied_APPLIED_YES:
		result.Applied = AppliedYes
	case pb.Applied_APPLIED_NO:
		result.Applied = AppliedNo
	}
	if o.GetCode() != 0 {
		e := FromStatus(&spb.Status{Code: o.GetCode(), Message: o.GetMessage()}, true)
		e.Reason, e.Applied = o.GetReason(), result.Applied
		e.Metadata = map[string]string{
			"required": strconv.Itoa(int(o.GetRequired())), "received": strconv.Itoa(int(o.GetReceived())),
		}
		result.Err = e
	}
	return result
}
