package colonnade

import (
	"context"
	"errors"
	"io"
	"iter"

	"google.golang.org/grpc"

	pb "colonnade.dev/go/gen/colonnade/v1"
)

// Page is a part of a long answer.
type Page[T any] struct {
	Items []T
	// Token is where the next page begins: a later read with the same arguments continues there, on any node.
	Token string
}

// Cursor reads entries or rows in constant memory, however many there are. If a node fails it continues on another one,
// without a gap and without repeating anything. A cursor is for one goroutine.
type Cursor[T any] struct {
	// read passes the pages from a token on to yield until that returns false; after an error there are no more.
	read  func(token string, yield func(Page[T], error) bool)
	token string
}

// From makes the cursor begin at the token of an earlier page.
func (c Cursor[T]) From(token string) Cursor[T] { return Cursor[T]{c.read, token} }

// Pages yields the parts in which the answer comes; after an error there are no more. Leaving the loop ends the call.
func (c Cursor[T]) Pages() iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) { c.read(c.token, yield) }
}

// All yields the items one by one; after an error there are no more.
func (c Cursor[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range c.Pages() {
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
			if err != nil {
				yield(*new(T), err)
			}
		}
	}
}

// paged reads pages with a call each. token is where the request says where its page begins; a page has the token of the
// next one, which is empty at the end.
func paged[Q any, A interface{ GetNextPageToken() string }, T any](
	ctx context.Context, call func(context.Context, Q, ...grpc.CallOption) (A, error), request Q, token *string, items func(A) []T,
) Cursor[T] {
	return Cursor[T]{read: func(from string, yield func(Page[T], error) bool) {
		for *token = from; ; {
			answer, err := call(ctx, request)
			*token = answer.GetNextPageToken()
			if !yield(Page[T]{items(answer), *token}, err) || *token == "" {
				return
			}
		}
	}}
}

// streamed reads pages as they come in one call, and begins again behind the last one when a node fails.
func (c *Client) streamed(ctx context.Context, request *pb.StreamSliceRequest) Cursor[*Entry] {
	return Cursor[*Entry]{read: func(token string, yield func(Page[*Entry], error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for attempt := 1; ; attempt++ {
			node := c.node()
			request.ResumeToken = token
			stream, err := pb.NewColumnStoreServiceClient(node).StreamSlice(ctx, request)
			for err == nil {
				var part *pb.StreamSliceResponse
				if part, err = stream.Recv(); err == nil {
					attempt, token = 1, part.GetResumeToken()
					if !yield(Page[*Entry]{part.GetColumns(), token}, nil) {
						return
					}
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if e := c.failed(node, err, false); !c.again(ctx, attempt, e) {
				yield(Page[*Entry]{}, e)
				return
			}
		}
	}}
}
