package colonnade

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	pb "colonnade.dev/go/gen/colonnade/v1"
)

// fake is a node that answers what a test wants.
type fake struct {
	pb.UnimplementedColumnStoreServiceServer
	insert func() error
	stream func(token string, send func(name, token string)) error
	pages  []*pb.GetSliceResponse
	calls  int
	caller []string
}

func (f *fake) Insert(ctx context.Context, _ *pb.InsertRequest) (*pb.InsertResponse, error) {
	f.calls++
	headers, _ := metadata.FromIncomingContext(ctx)
	f.caller = headers.Get("authorization")
	return &pb.InsertResponse{Timestamp: 7}, f.insert()
}

func (f *fake) GetSlice(_ context.Context, request *pb.GetSliceRequest) (*pb.GetSliceResponse, error) {
	return f.pages[len(request.PageToken)], nil
}

func (f *fake) StreamSlice(request *pb.StreamSliceRequest, stream grpc.ServerStreamingServer[pb.StreamSliceResponse]) error {
	return f.stream(request.ResumeToken, func(name, token string) {
		_ = stream.Send(&pb.StreamSliceResponse{Columns: []*Entry{columnOf(name)}, ResumeToken: token})
	})
}

func columnOf(name string) *Entry {
	return &Entry{Value: &pb.ColumnOrSuperColumn_Column{Column: &Column{Name: []byte(name)}}}
}

func superOf(name string, columns ...string) *Entry {
	super := &pb.SuperColumn{Name: []byte(name)}
	for _, each := range columns {
		super.Columns = append(super.Columns, &Column{Name: []byte(each)})
	}
	return &Entry{Value: &pb.ColumnOrSuperColumn_SuperColumn{SuperColumn: super}}
}

// dial starts the nodes and a client of them.
func dial(t *testing.T, options []Option, nodes ...*fake) *Client {
	var addresses []string
	for _, node := range nodes {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		server := grpc.NewServer()
		pb.RegisterColumnStoreServiceServer(server, node)
		go server.Serve(listener)
		t.Cleanup(server.Stop)
		addresses = append(addresses, listener.Addr().String())
	}
	client, err := Dial(addresses, options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

func notReady() error {
	info := &errdetails.ErrorInfo{
		Reason: "NODE_NOT_READY", Domain: "colonnade", Metadata: map[string]string{"applied": "no", "required": "3"},
	}
	failure, _ := status.New(codes.Unavailable, "drained").WithDetails(info)
	return failure.Err()
}

func succeeds() error { return nil }

func put(client *Client) (int64, error) {
	return client.Family("K", "F").Put(context.Background(), []byte("k"), []byte("c"), []byte("v"))
}

func TestAWriteThatWasNotAppliedGoesToAnotherNode(t *testing.T) {
	first, second := &fake{insert: notReady}, &fake{insert: succeeds}
	client := dial(t, nil, first, second)
	for range 2 {
		if timestamp, err := put(client); timestamp != 7 || err != nil {
			t.Fatal(timestamp, err)
		}
	}
	if first.calls != 1 || second.calls != 2 {
		t.Fatal("a node that does not serve is avoided:", first.calls, second.calls)
	}
}

func TestAWriteThatMayHaveBeenAppliedIsNotRepeated(t *testing.T) {
	first := &fake{insert: func() error { return status.Error(codes.Unavailable, "gone") }}
	second := &fake{insert: succeeds}
	_, err := put(dial(t, nil, first, second))
	var failure *Error
	if !errors.As(err, &failure) || failure.Applied != "unknown" || first.calls+second.calls != 1 {
		t.Fatal(err, first.calls, second.calls)
	}
}

func TestAttemptsEnd(t *testing.T) {
	node := &fake{insert: notReady}
	_, err := put(dial(t, []Option{WithAttempts(3)}, node))
	var failure *Error
	if !errors.As(err, &failure) || failure.Applied != "no" || failure.Required != 3 || node.calls != 3 {
		t.Fatal(err, node.calls)
	}
}

func TestAStreamContinuesBehindItsLastPart(t *testing.T) {
	first := &fake{stream: func(token string, send func(name, token string)) error {
		send("a", token+"1")
		return status.Error(codes.Unavailable, "gone")
	}}
	second := &fake{stream: func(token string, send func(name, token string)) error {
		send("b after "+token, token+"2")
		return nil
	}}
	client := dial(t, nil, first, second)
	var names []string
	for entry, err := range client.Family("K", "F").Stream(context.Background(), []byte("k"), Slice{}, 0).From("0").All() {
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, string(entry.GetColumn().Name))
	}
	if strings.Join(names, ",") != "a,b after 01" {
		t.Fatal(names)
	}
}

func TestASlicePutsSuperColumnsTogether(t *testing.T) {
	node := &fake{pages: []*pb.GetSliceResponse{
		{Columns: []*Entry{superOf("R", "a"), superOf("S", "a")}, NextPageToken: "x"},
		{Columns: []*Entry{superOf("S", "b"), superOf("T", "a")}, NextPageToken: "xx"},
		{Columns: []*Entry{superOf("T", "b")}},
	}}
	found, err := dial(t, nil, node).Family("K", "F").Slice(context.Background(), []byte("k"), Slice{})
	if err != nil {
		t.Fatal(err)
	}
	var shown []string
	for _, entry := range found {
		super := entry.GetSuperColumn()
		for _, column := range super.Columns {
			shown = append(shown, string(super.Name)+string(column.Name))
		}
	}
	if len(found) != 3 || strings.Join(shown, ",") != "Ra,Sa,Sb,Ta,Tb" {
		t.Fatal(shown)
	}
}

func TestAUserIsNamedWithoutTLSOnLoopback(t *testing.T) {
	node := &fake{insert: succeeds}
	client := dial(t, []Option{WithUser("name", "password")}, node)
	if _, err := put(client); err != nil || strings.Join(node.caller, ",") != "Basic bmFtZTpwYXNzd29yZA==" {
		t.Fatal(err, node.caller)
	}
}
