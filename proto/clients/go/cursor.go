package colonnade

import (
	"context"
	"iter"
)

// Page is a part of a long answer.
type Page[T any] struct {
	Items []T
	// Token is where the next page begins: a later read with the same arguments continues there, on any node.
	Token string
}

// Cursor reads entries or rows in constant memory, however many there are. If a node fails it continues on another one,
// without a gap and without repeating anything.
type Cursor[T any] struct {
	client *Client
	ctx    context.Context
	token  string
	// open reads from a token on, and passes each part to yield until that returns false.
	open func(ctx context.Context, node *Node, token string, yield func([]T, string) bool) error
}

// paged returns a cursor whose pages are a call each, with the deadline of a call. A page has the token of the next one,
// which is empty at the end.
func paged[T any](ctx context.Context, client *Client, page func(context.Context, *Node, string) ([]T, string, error)) *Cursor[T] {
	return &Cursor[T]{client: client, ctx: ctx, open: func(ctx context.Context, node *Node, token string, yield func([]T, string) bool) error {
		for {
			limited, cancel := context.WithTimeout(ctx, client.timeout)
			items, next, err := page(limited, node, token)
			cancel()
			if err != nil {
				return err
			}
			if token = next; !yield(items, token) || token == "" {
				return nil
			}
		}
	}}
}

// From makes the cursor begin at the token of an earlier page.
func (c *Cursor[T]) From(token string) *Cursor[T] {
	c.token = token
	return c
}

// Pages yields the parts in which the answer comes; after an error there are no more. Leaving the loop ends the call.
func (c *Cursor[T]) Pages() iter.Seq2[Page[T], error] {
	return func(yield func(Page[T], error) bool) {
		token, failures, more := c.token, 0, true
		for {
			node := c.client.Node()
			ctx, cancel := context.WithCancel(c.ctx)
			err := c.open(ctx, node, token, func(items []T, next string) bool {
				token, failures = next, 0
				more = yield(Page[T]{items, next}, nil)
				return more
			})
			cancel()
			if err == nil || !more {
				return
			}
			failures++
			e := c.client.failed(node, err, false)
			if failures >= c.client.attempts || !e.mayRetry(false) || !pause(c.ctx, failures, e) {
				yield(Page[T]{}, e)
				return
			}
		}
	}
}

// All yields the items one by one; after an error there are no more.
func (c *Cursor[T]) All() iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for page, err := range c.Pages() {
			if err != nil {
				var none T
				yield(none, err)
				return
			}
			for _, item := range page.Items {
				if !yield(item, nil) {
					return
				}
			}
		}
	}
}
