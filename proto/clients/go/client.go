package colonnade

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"net"
	"slices"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
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
func WithReadLevel(level Level) Option { return func(c *Client) { c.readLevel = level } }

// WithWriteLevel sets the consistency level of writes; One without it.
func WithWriteLevel(level Level) Option { return func(c *Client) { c.writeLevel = level } }

// WithTimeout sets how long a call may take with its retries, if its context has no deadline; 10 s without it.
// Streams have no limit but that of their context.
func WithTimeout(timeout time.Duration) Option { return func(c *Client) { c.timeout = timeout } }

// WithAttempts sets how often a call is made at most; 4 without it. A read is repeated when its node cannot be reached
// or does not serve, a write only when the node said that it was not applied.
func WithAttempts(attempts int) Option { return func(c *Client) { c.attempts = attempts } }

// WithTLS encrypts the connections. RootCAs are the authorities that may have signed the nodes' certificates; a client
// that has a certificate of its own gives it in Certificates.
func WithTLS(config *tls.Config) Option {
	return WithDialOptions(grpc.WithTransportCredentials(credentials.NewTLS(config)))
}

// WithUser says who calls, by a name and a password. They are sent as they are: a client without TLS whose nodes are not
// all on loopback makes no calls.
func WithUser(name, password string) Option {
	return func(c *Client) {
		c.user = &user{header: "Basic " + base64.StdEncoding.EncodeToString([]byte(name+":"+password))}
	}
}

type user struct {
	header   string
	loopback bool
}

// GetRequestMetadata implements [credentials.PerRPCCredentials].
func (u *user) GetRequestMetadata(context.Context, ...string) (map[string]string, error) {
	return map[string]string{"authorization": u.header}, nil
}

// RequireTransportSecurity implements [credentials.PerRPCCredentials].
func (u *user) RequireTransportSecurity() bool { return !u.loopback }

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && (host == "localhost" || net.ParseIP(host).IsLoopback())
}

// WithDialOptions adds options of gRPC, such as interceptors.
func WithDialOptions(options ...grpc.DialOption) Option {
	return func(c *Client) { c.dial = append(c.dial, options...) }
}

// Node is a node and its generated stubs, for calls that this package does not wrap.
type Node struct {
	Address    string
	Conn       *grpc.ClientConn
	avoidUntil time.Time
}

// ColumnStore is the stub of colonnade.v1.ColumnStoreService.
func (n *Node) ColumnStore() pb.ColumnStoreServiceClient {
	return pb.NewColumnStoreServiceClient(n.Conn)
}

// Schema is the stub of colonnade.admin.v1.SchemaService.
func (n *Node) Schema() adminpb.SchemaServiceClient { return adminpb.NewSchemaServiceClient(n.Conn) }

// Cluster is the stub of colonnade.admin.v1.ClusterService.
func (n *Node) Cluster() adminpb.ClusterServiceClient { return adminpb.NewClusterServiceClient(n.Conn) }

// Admin is the stub of colonnade.admin.v1.NodeService.
func (n *Node) Admin() adminpb.NodeServiceClient { return adminpb.NewNodeServiceClient(n.Conn) }

// Client calls the nodes of one cluster. Make one for a program.
type Client struct {
	nodes                 []*Node
	readLevel, writeLevel Level
	timeout               time.Duration
	attempts              int
	dial                  []grpc.DialOption
	user                  *user
	mutex                 sync.Mutex
}

// Dial makes a client of nodes, each "host:port". It does not wait for a connection. Calls go to the first node that
// works; any node answers for the whole cluster.
func Dial(addresses []string, options ...Option) (*Client, error) {
	if len(addresses) == 0 {
		return nil, errors.New("colonnade: give the address of a node at least, such as 127.0.0.1:9160")
	}
	c := &Client{readLevel: One, writeLevel: One, timeout: 10 * time.Second, attempts: 4, dial: []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16 << 20)),
		// A dead peer is noticed, so that a stream without a deadline does not wait for ever.
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: time.Minute, Timeout: 30 * time.Second}),
	}}
	for _, option := range options {
		option(c)
	}
	if c.user != nil {
		c.user.loopback = !slices.ContainsFunc(addresses, func(each string) bool { return !isLoopback(each) })
		c.dial = append(c.dial, grpc.WithPerRPCCredentials(c.user))
	}
	for _, address := range addresses {
		conn, err := grpc.NewClient(address, c.dial...)
		if err != nil {
			c.Close()
			return nil, err
		}
		c.nodes = append(c.nodes, &Node{Address: address, Conn: conn})
	}
	return c, nil
}

// Close ends all calls and closes the connections.
func (c *Client) Close() error {
	var all []error
	for _, node := range c.nodes {
		all = append(all, node.Conn.Close())
	}
	return errors.Join(all...)
}

// Node returns the node that the next call goes to: the first that did not fail lately.
func (c *Client) Node() *Node {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	now, best := time.Now(), c.nodes[0]
	for _, node := range c.nodes {
		if node.avoidUntil.Before(now) {
			return node
		}
		if node.avoidUntil.Before(best.avoidUntil) {
			best = node
		}
	}
	return best
}

// failed turns an error of gRPC into one of this package, and avoids a node that does not serve.
func (c *Client) failed(node *Node, err error, write bool) *Error {
	e := FromError(err, write)
	// A node that said nothing in time may stand still.
	silent := e.Code == codes.DeadlineExceeded && e.Reason == ""
	if silent || e.nodeIsGone() {
		c.mutex.Lock()
		node.avoidUntil = time.Now().Add(2 * time.Second)
		c.mutex.Unlock()
	}
	return e
}

// Call makes a call of any service with the client's deadline, retries and errors:
//
//	colonnade.Call(ctx, client, false, (*colonnade.Node).Admin, adminpb.NodeServiceClient.GetInfo, request)
func Call[S, Q, R any](
	ctx context.Context, c *Client, write bool, stub func(*Node) S,
	method func(S, context.Context, Q, ...grpc.CallOption) (R, error), request Q,
) (R, error) {
	ctx, cancel := limited(ctx, c.timeout)
	defer cancel()
	for attempt := 1; ; attempt++ {
		node := c.Node()
		answer, err := method(stub(node), ctx, request)
		if err == nil {
			return answer, nil
		}
		e := c.failed(node, err, write)
		if attempt >= c.attempts || !e.mayRetry(write) || !pause(ctx, attempt, e) {
			return answer, e
		}
	}
}

// pause waits before the next attempt: as long as the node asked for, or 20 ms, doubled each time, a part of it by
// chance, so that clients do not return together. It returns false if the deadline would pass.
func pause(ctx context.Context, attempt int, e *Error) bool {
	wait := e.RetryAfter
	if wait == 0 {
		wait = 10 * time.Millisecond << min(attempt, 6)
	}
	wait += rand.N(wait/2 + 1)
	if deadline, limited := ctx.Deadline(); limited && time.Until(deadline) < wait {
		return false
	}
	select {
	case <-time.After(wait):
		return true
	case <-ctx.Done():
		return false
	}
}

// FamilyDefinition defines a column family; CompareSubcolumnsWith makes it a Super family.
type FamilyDefinition struct {
	Name, CompareWith, CompareSubcolumnsWith string
}

// Message returns the definition as the contract has it.
func (f FamilyDefinition) Message(keyspace string) *adminpb.ColumnFamilyDef {
	kind := adminpb.ColumnType_COLUMN_TYPE_STANDARD
	if f.CompareSubcolumnsWith != "" {
		kind = adminpb.ColumnType_COLUMN_TYPE_SUPER
	}
	return &adminpb.ColumnFamilyDef{
		Keyspace: keyspace, Name: f.Name, ColumnType: kind,
		CompareWith: f.CompareWith, CompareSubcolumnsWith: f.CompareSubcolumnsWith,
	}
}

// CreateKeyspace creates a keyspace with its families.
func (c *Client) CreateKeyspace(ctx context.Context, name string, replicationFactor int32, families ...FamilyDefinition) error {
	keyspace := &adminpb.KeyspaceDef{Name: name, ReplicationFactor: replicationFactor}
	for _, family := range families {
		keyspace.ColumnFamilies = append(keyspace.ColumnFamilies, family.Message(name))
	}
	return change(ctx, c, adminpb.SchemaServiceClient.CreateKeyspace, &adminpb.CreateKeyspaceRequest{Keyspace: keyspace})
}

// CreateFamily creates a column family in a keyspace.
func (c *Client) CreateFamily(ctx context.Context, keyspace string, family FamilyDefinition) error {
	return change(ctx, c, adminpb.SchemaServiceClient.CreateColumnFamily, &adminpb.CreateColumnFamilyRequest{ColumnFamily: family.Message(keyspace)})
}

// DropKeyspace drops a keyspace with all its data.
func (c *Client) DropKeyspace(ctx context.Context, name string) error {
	return change(ctx, c, adminpb.SchemaServiceClient.DropKeyspace, &adminpb.DropKeyspaceRequest{Name: name})
}

// change changes the schema, which waits for all nodes that are up.
func change[Q, R any](
	ctx context.Context, c *Client, method func(adminpb.SchemaServiceClient, context.Context, Q, ...grpc.CallOption) (R, error), request Q,
) error {
	ctx, cancel := limited(ctx, max(c.timeout, 30*time.Second))
	defer cancel()
	_, err := Call(ctx, c, true, (*Node).Schema, method, request)
	return err
}

// limited gives a context a deadline if it has none.
func limited(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if _, has := ctx.Deadline(); has {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, timeout)
}
