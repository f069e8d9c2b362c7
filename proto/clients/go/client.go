// Package colonnade is a client for Colonnade, a wide-column store with the data model of the first Cassandra.
//
//	client, err := colonnade.Dial([]string{"127.0.0.1:9160"})
//	users := client.Family("Example", "UserProfile")
//	_, err = users.Put(ctx, []byte("jsmith"), []byte("city"), []byte("Tulsa"))
//	column, err := users.Get(ctx, []byte("jsmith"), []byte("city"))
//
// Keys, names and values are bytes, as they are stored; []byte("text") is UTF-8, and [Long] makes the name of a
// family that compares by LongType. All methods are safe for concurrent use, take a context, and return an [*Error]
// when a call fails.
package colonnade

//go:generate go run ./internal/generate

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/credentials/local"
	"google.golang.org/grpc/keepalive"

	adminpb "colonnade.dev/go/gen/colonnade/admin/v1"
	pb "colonnade.dev/go/gen/colonnade/v1"
)

// Level is a consistency level: how many replicas must answer.
type Level = pb.ConsistencyLevel

// The levels that programs use most; package colonnade.dev/go/gen/colonnade/v1 has all of them.
const (
	Any    = pb.ConsistencyLevel_CONSISTENCY_LEVEL_ANY
	One    = pb.ConsistencyLevel_CONSISTENCY_LEVEL_ONE
	Quorum = pb.ConsistencyLevel_CONSISTENCY_LEVEL_QUORUM
	All    = pb.ConsistencyLevel_CONSISTENCY_LEVEL_ALL
)

// Option changes how a client calls.
type Option func(*Client)

// WithReadLevel sets the consistency level of reads; One without it.
func WithReadLevel(level Level) Option { return func(c *Client) { c.reads.ConsistencyLevel = level } }

// WithWriteLevel sets the consistency level of writes; One without it.
func WithWriteLevel(level Level) Option { return func(c *Client) { c.writes.ConsistencyLevel = level } }

// WithTimeout sets how long a call may take with its retries, if the deadline of its context is not earlier; 10 s without
// it. Streams have no limit but that of their context.
func WithTimeout(timeout time.Duration) Option { return func(c *Client) { c.timeout = timeout } }

// WithAttempts sets how often a call is made at most; 4 without it. A read is repeated when its node cannot be reached
// or does not serve, a write only when the node said that it was not applied.
func WithAttempts(attempts int) Option { return func(c *Client) { c.attempts = attempts } }

// WithTLS encrypts the connections. RootCAs are the authorities that may have signed the nodes' certificates; a client
// that has a certificate of its own gives it in Certificates.
func WithTLS(config *tls.Config) Option {
	return func(c *Client) { c.security = credentials.NewTLS(config) }
}

// WithUser says who calls, by a name and a password. They are sent as they are: without TLS only nodes on loopback are
// reached.
func WithUser(name, password string) Option {
	header := "Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password))
	return func(c *Client) {
		c.dial = append(c.dial, grpc.WithPerRPCCredentials(user{"authorization": header}))
		// These make connections on loopback alone.
		c.security = cmp.Or(c.security, local.NewCredentials())
	}
}

// user is the header that says who calls.
type user map[string]string

// GetRequestMetadata implements [credentials.PerRPCCredentials].
func (u user) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return u, nil
}

// RequireTransportSecurity implements [credentials.PerRPCCredentials]. WithUser sees to it.
func (u user) RequireTransportSecurity() bool { return false }

// Client calls the nodes of one cluster. Make one for a program. It serves generated stubs as their connection, so that
// their calls have its deadline, retries and errors, too:
//
//	info, err := adminpb.NewNodeServiceClient(client).GetInfo(ctx, &adminpb.GetInfoRequest{})
type Client struct {
	nodes    []*node
	reads    *pb.ReadOptions
	writes   *pb.WriteOptions
	timeout  time.Duration
	attempts int
	security credentials.TransportCredentials
	dial     []grpc.DialOption
}

type node struct {
	*grpc.ClientConn
	avoidUntil atomic.Int64 // in nanoseconds since 1970
}

// Dial makes a client of nodes, each "host:port". It does not wait for a connection. Calls go to the first node that
// works; any node answers for the whole cluster.
func Dial(addresses []string, options ...Option) (*Client, error) {
	if len(addresses) == 0 {
		return nil, errors.New("colonnade: give the address of a node at least, such as 127.0.0.1:9160")
	}
	c := &Client{
		reads: &pb.ReadOptions{ConsistencyLevel: One}, writes: &pb.WriteOptions{ConsistencyLevel: One},
		timeout: 10 * time.Second, attempts: 4,
		dial: []grpc.DialOption{
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16 << 20)),
			// A dead peer is noticed, so that a stream without a deadline does not wait for ever.
			grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute, Timeout: 30 * time.Second}),
		},
	}
	for _, option := range options {
		option(c)
	}
	c.dial = append(c.dial, grpc.WithTransportCredentials(cmp.Or(c.security, insecure.NewCredentials())))
	for _, address := range addresses {
		conn, err := grpc.NewClient(address, c.dial...)
		if err != nil {
			return nil, errors.Join(err, c.Close())
		}
		c.nodes = append(c.nodes, &node{ClientConn: conn})
	}
	return c, nil
}

// Close ends all calls and closes the connections.
func (c *Client) Close() error {
	var err error
	for _, node := range c.nodes {
		err = errors.Join(err, node.Close())
	}
	return err
}

// changesNothing knows the methods that may be repeated however they failed.
var changesNothing = regexp.MustCompile(`/(Get|Multiget|Describe|List|Check)[^/]*$`)

// Invoke makes a call of a generated stub. It implements [grpc.ClientConnInterface].
func (c *Client) Invoke(ctx context.Context, method string, request, answer any, options ...grpc.CallOption) error {
	timeout := c.timeout
	if !strings.HasPrefix(method, "/colonnade.v1.") {
		// A change of the schema waits for all nodes that are up.
		timeout = max(timeout, 30*time.Second)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		node := c.node()
		err := node.Invoke(ctx, method, request, answer, options...)
		if err == nil {
			return nil
		}
		if e := c.failed(node, err, !changesNothing.MatchString(method)); !c.again(ctx, attempt, e) {
			return e
		}
	}
}

// NewStream begins a call of a generated stub on the node that the next call goes to, without a deadline and retries of
// its own; [FromError] reads its errors. It implements [grpc.ClientConnInterface].
func (c *Client) NewStream(ctx context.Context, desc *grpc.StreamDesc, method string, options ...grpc.CallOption) (grpc.ClientStream, error) {
	return c.node().NewStream(ctx, desc, method, options...)
}

// Store is the stub of colonnade.v1.ColumnStoreService, for what [Family] and [Batch] do not have.
func (c *Client) Store() pb.ColumnStoreServiceClient { return pb.NewColumnStoreServiceClient(c) }

// Schema is the stub of colonnade.admin.v1.SchemaService, which creates and drops keyspaces and families.
func (c *Client) Schema() adminpb.SchemaServiceClient { return adminpb.NewSchemaServiceClient(c) }

// node returns the node that the next call goes to: the first that did not fail lately.
func (c *Client) node() *node {
	now := time.Now().UnixNano()
	return slices.MinFunc(c.nodes, func(a, b *node) int {
		return cmp.Compare(max(now, a.avoidUntil.Load()), max(now, b.avoidUntil.Load()))
	})
}

// failed turns an error of gRPC into one of this package, and avoids a node that does not serve, or that said nothing in
// time: it may stand still.
func (c *Client) failed(node *node, err error, write bool) *Error {
	e := FromError(err, write)
	if e.unreachable() || e.Code == codes.DeadlineExceeded && e.Reason == "" {
		node.avoidUntil.Store(time.Now().Add(2 * time.Second).UnixNano())
	}
	return e
}

// again tells whether to make another attempt, after a wait: as long as the node asked for, or 20 ms, doubled each time,
// a part of it by chance, so that clients do not return together.
func (c *Client) again(ctx context.Context, attempt int, e *Error) bool {
	wait := cmp.Or(e.RetryAfter, 10*time.Millisecond<<min(attempt, 6))
	wait += rand.N(wait/2 + 1)
	deadline, limited := ctx.Deadline()
	if attempt >= c.attempts || !e.mayRetry() || limited && time.Until(deadline) < wait {
		return false
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}
