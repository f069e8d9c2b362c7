// Command scenario plays proto/clients/scenario/scenario.json; the README.md beside that file says what steps mean.
package main

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"time"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	healthpb "google.golang.org/grpc/health/grpc_health_v1"
	reflectionpb "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"

	"colonnade.dev/go"
	adminpb "colonnade.dev/go/gen/colonnade/admin/v1"
	pb "colonnade.dev/go/gen/colonnade/v1"
)

type object = map[string]any

type family struct {
	Name                  string `json:"name"`
	CompareWith           string `json:"compare_with"`
	CompareSubcolumnsWith string `json:"compare_subcolumns_with"`
}

// change is the write or the removal of something; a step is one, too.
type change struct {
	Super          *string  `json:"super"`
	Column         *string  `json:"column"`
	Value          string   `json:"value"`
	Timestamp      *string  `json:"timestamp"`
	TTL            int32    `json:"ttl"`
	Start          string   `json:"start"`
	Finish         string   `json:"finish"`
	Reversed       bool     `json:"reversed"`
	Count          *int32   `json:"count"`
	Names          []string `json:"names"`
	StartExclusive bool     `json:"start_exclusive"`
	FinishExcl     bool     `json:"finish_exclusive"`
	Since          *string  `json:"since"`
}

type row struct {
	Family  string   `json:"family"`
	Key     string   `json:"key"`
	Puts    []change `json:"puts"`
	Removes []change `json:"removes"`
}

type step struct {
	change
	Name              string          `json:"name"`
	Op                string          `json:"op"`
	Keyspace          string          `json:"keyspace"`
	FamilyField       json.RawMessage `json:"family"`
	Families          []family        `json:"families"`
	ReplicationFactor int32           `json:"replication_factor"`
	Key               string          `json:"key"`
	Keys              []string        `json:"keys"`
	Columns           int             `json:"columns"`
	Rows              []row           `json:"rows"`
	Batches           [][]row         `json:"batches"`
	Step              uint64          `json:"step"`
	Service           string          `json:"service"`
	Signal            string          `json:"signal"`
	Node              int             `json:"node"`
	Nodes             []int           `json:"nodes"`
	Level             string          `json:"level"`
	Attempts          int             `json:"attempts"`
	TimeoutMs         int             `json:"timeout_ms"`
	MaxMs             int64           `json:"max_ms"`
	RetryForMs        int64           `json:"retry_for_ms"`
	PageBytes         int32           `json:"page_bytes"`
	ChunkBytes        int32           `json:"chunk_bytes"`
	StopAfter         int             `json:"stop_after"`
	KillAfter         int             `json:"kill_after"`
	Save              string          `json:"save"`
	Continue          string          `json:"continue"`
	Token             string          `json:"token"`
	Summary           bool            `json:"summary"`
	Secured           bool            `json:"secured"`
	User              []string        `json:"user"`
	Expect            any             `json:"expect"`
}

// data returns the bytes that a string of the scenario stands for.
func data(text string) []byte {
	if rest, ok := strings.CutPrefix(text, "0x"); ok {
		return must(hex.DecodeString(rest))
	}
	if rest, ok := strings.CutPrefix(text, "long:"); ok {
		return colonnade.Long(must(strconv.ParseInt(rest, 10, 64)))
	}
	if rest, ok := strings.CutPrefix(text, "fill:"); ok {
		return []byte(strings.Repeat("x", must(strconv.Atoi(rest))))
	}
	return []byte(text)
}

func optional(text *string) []byte {
	if text == nil {
		return nil
	}
	return data(*text)
}

func list(texts []string) [][]byte {
	if texts == nil {
		return nil
	}
	all := make([][]byte, len(texts))
	for i, text := range texts {
		all[i] = data(text)
	}
	return all
}

// matches tells whether the answer has all that is expected; it may have more.
func matches(expected, actual any) bool {
	switch e := expected.(type) {
	case object:
		a, ok := actual.(object)
		for name, each := range e {
			ok = ok && matches(each, a[name])
		}
		return ok
	case []any:
		a := reflect.ValueOf(actual)
		if a.Kind() != reflect.Slice || a.Len() != len(e) {
			return false
		}
		for i, each := range e {
			if !matches(each, a.Index(i).Interface()) {
				return false
			}
		}
		return true
	case string:
		if e == "*" {
			return actual != nil
		}
		if a, ok := actual.([]byte); ok {
			return string(a) == string(data(e))
		}
		return e == actual
	case float64:
		return fmt.Sprint(e) == fmt.Sprint(actual)
	default:
		return expected == actual
	}
}

type saved struct {
	entries []*colonnade.Entry
	token   string
}

type player struct {
	nodes   []string
	pids    []int
	clients map[string]*colonnade.Client
	saved   map[string]saved
}

func (p *player) client(s *step) *colonnade.Client {
	numbers := s.Nodes
	if s.Node != 0 {
		numbers = []int{s.Node}
	} else if numbers == nil {
		numbers = []int{1, 2, 3}
	}
	level, timeout, attempts := s.Level, s.TimeoutMs, s.Attempts
	if level == "" {
		level = "QUORUM"
	}
	if timeout == 0 {
		timeout = 10_000
	}
	if attempts == 0 {
		attempts = 4
	}
	id := fmt.Sprint(numbers, level, timeout, attempts, s.Secured, s.User)
	if p.clients[id] == nil {
		var addresses []string
		for _, number := range numbers {
			addresses = append(addresses, p.nodes[number-1])
		}
		number := colonnade.Level(pb.ConsistencyLevel_value["CONSISTENCY_LEVEL_"+level])
		options := []colonnade.Option{
			colonnade.WithReadLevel(number), colonnade.WithWriteLevel(number), colonnade.WithAttempts(attempts),
			colonnade.WithTimeout(time.Duration(timeout) * time.Millisecond),
		}
		if s.Secured {
			addresses = []string{os.Getenv("COLONNADE_SECURED_NODE")}
			roots := x509.NewCertPool()
			roots.AppendCertsFromPEM(must(os.ReadFile(os.Getenv("COLONNADE_SECURED_ROOTS"))))
			options = append(options, colonnade.WithTLS(&tls.Config{RootCAs: roots}))
		}
		if s.User != nil {
			options = append(options, colonnade.WithUser(s.User[0], s.User[1]))
		}
		p.clients[id] = must(colonnade.Dial(addresses, options...))
	}
	return p.clients[id]
}

func (s *step) family(client *colonnade.Client) *colonnade.Family {
	var name string
	must(0, json.Unmarshal(s.FamilyField, &name))
	keyspace := s.Keyspace
	if keyspace == "" {
		keyspace = "Scenario"
	}
	return inside(client.Family(keyspace, name), s.Super)
}

func inside(f *colonnade.Family, super *string) *colonnade.Family {
	if super == nil {
		return f
	}
	return f.In(data(*super))
}

func (s *step) definition() *adminpb.ColumnFamilyDef {
	var f family
	must(0, json.Unmarshal(s.FamilyField, &f))
	definition := f.definition()
	definition.Keyspace = s.Keyspace
	return definition
}

func (f *family) definition() *adminpb.ColumnFamilyDef {
	kind := adminpb.ColumnType_COLUMN_TYPE_STANDARD
	if f.CompareSubcolumnsWith != "" {
		kind = adminpb.ColumnType_COLUMN_TYPE_SUPER
	}
	return &adminpb.ColumnFamilyDef{
		Name: f.Name, ColumnType: kind, CompareWith: f.CompareWith, CompareSubcolumnsWith: f.CompareSubcolumnsWith,
	}
}

func (c *change) options() []colonnade.WriteOption {
	var all []colonnade.WriteOption
	if c.Timestamp != nil {
		all = append(all, colonnade.Timestamp(must(strconv.ParseInt(*c.Timestamp, 10, 64))))
	}
	if c.TTL != 0 {
		all = append(all, colonnade.TTL(c.TTL))
	}
	return all
}

func (c *change) slice() colonnade.Slice {
	slice := colonnade.Slice{
		Start: data(c.Start), Finish: data(c.Finish), Reversed: c.Reversed, Count: c.Count, Names: list(c.Names),
		StartExclusive: c.StartExclusive, FinishExclusive: c.FinishExcl,
	}
	if c.Since != nil {
		slice.Since = new(must(strconv.ParseInt(*c.Since, 10, 64)))
	}
	return slice
}

func changes(client *colonnade.Client, rows []row) *colonnade.Batch {
	batch := client.Batch("Scenario")
	for _, each := range rows {
		f := client.Family("Scenario", each.Family)
		for _, put := range each.Puts {
			batch.Put(inside(f, put.Super), data(each.Key), optional(put.Column), data(put.Value), put.options()...)
		}
		for _, removal := range each.Removes {
			batch.Remove(f, data(each.Key), removal.slice(), removal.options()...)
		}
	}
	return batch
}

func (p *player) play(ctx context.Context, s *step) (object, error) {
	client := p.client(s)
	switch s.Op {
	case "create_keyspace":
		keyspace := &adminpb.KeyspaceDef{Name: s.Keyspace, ReplicationFactor: s.ReplicationFactor}
		for _, each := range s.Families {
			keyspace.ColumnFamilies = append(keyspace.ColumnFamilies, each.definition())
		}
		_, err := client.Schema().CreateKeyspace(ctx, &adminpb.CreateKeyspaceRequest{Keyspace: keyspace})
		return object{}, err
	case "drop_keyspace":
		_, err := client.Schema().DropKeyspace(ctx, &adminpb.DropKeyspaceRequest{Name: s.Keyspace})
		return object{}, err
	case "create_family":
		request := &adminpb.CreateColumnFamilyRequest{ColumnFamily: s.definition()}
		_, err := client.Schema().CreateColumnFamily(ctx, request)
		return object{}, err
	case "update_comparator":
		request := &adminpb.UpdateColumnFamilyRequest{ColumnFamily: s.definition()}
		_, err := client.Schema().UpdateColumnFamily(ctx, request)
		return object{}, err
	case "put":
		timestamp, err := s.family(client).Put(ctx, data(s.Key), optional(s.Column), data(s.Value), s.options()...)
		return object{"timestamp": fmt.Sprint(timestamp)}, err
	case "remove":
		timestamp, err := s.family(client).Remove(ctx, data(s.Key), optional(s.Column), s.options()...)
		return object{"timestamp": fmt.Sprint(timestamp)}, err
	case "get":
		if s.Column != nil {
			column, err := s.family(client).Get(ctx, data(s.Key), data(*s.Column))
			return object{"column": shownColumn(column)}, err
		}
		found, err := s.family(client).GetSuper(ctx, data(s.Key), data(*s.Super))
		return object{"super_column": shownSuper(found)}, err
	case "slice":
		entries, err := s.family(client).Slice(ctx, data(s.Key), s.slice())
		if s.Summary {
			return summary(entries, 1), err
		}
		return object{"entries": all(entries)}, err
	case "count":
		count, err := s.family(client).Count(ctx, data(s.Key), colonnade.Slice{})
		return object{"count": count}, err
	case "multiget":
		rows, err := s.family(client).Multiget(ctx, list(s.Keys), s.slice())
		shown := []any{}
		for _, each := range rows {
			shown = append(shown, object{"key": each.Key, "entries": all(each.Columns)})
		}
		return object{"rows": shown}, err
	case "pages":
		return p.read(s, s.family(client).Pages(ctx, data(s.Key), s.slice(), s.PageBytes))
	case "stream":
		return p.read(s, s.family(client).Stream(ctx, data(s.Key), s.slice(), s.ChunkBytes))
	case "rows":
		return rows(s.family(client).Rows(ctx, nil, nil, colonnade.Slice{}, s.PageBytes))
	case "batch":
		return object{}, changes(client, s.Rows).Apply(ctx)
	case "mutate_stream":
		return outcomes(ctx, client, func(yield func(*colonnade.Batch) bool) {
			for _, rows := range s.Batches {
				if !yield(changes(client, rows)) {
					return
				}
			}
		})
	case "fill":
		return outcomes(ctx, client, func(yield func(*colonnade.Batch) bool) {
			for first := 0; first < s.Columns; first += 100 {
				batch := client.Batch("Scenario")
				for i := first; i < first+100; i++ {
					batch.Put(s.family(client), data(s.Key), fmt.Appendf(nil, "%05d", i), data(s.Value), colonnade.Timestamp(1))
				}
				if !yield(batch) {
					return
				}
			}
		})
	case "sequences":
		return sequences(ctx, client, s)
	case "empty_session_call":
		return emptySessionCall(ctx, client)
	case "health":
		answer, err := healthpb.NewHealthClient(client).Check(ctx, &healthpb.HealthCheckRequest{Service: s.Service})
		return object{"status": answer.GetStatus().String()}, err
	case "reflection":
		return services(ctx, client)
	case "drain":
		_, err := adminpb.NewNodeServiceClient(client).Drain(ctx, &adminpb.DrainRequest{})
		return object{}, err
	case "remove_node":
		info, err := adminpb.NewNodeServiceClient(client).GetInfo(ctx, &adminpb.GetInfoRequest{})
		if err != nil {
			return nil, err
		}
		request := &adminpb.RemoveTokenRequest{NodeId: info.GetNode().GetEndpoint().GetNodeId()}
		stream, err := adminpb.NewNodeServiceClient(client).RemoveToken(ctx, request)
		for err == nil {
			_, err = stream.Recv()
		}
		return nil, colonnade.FromError(err, false)
	case "signal":
		signals := map[string]syscall.Signal{"STOP": syscall.SIGSTOP, "CONT": syscall.SIGCONT, "KILL": syscall.SIGKILL}
		return object{}, syscall.Kill(p.pids[s.Node-1], signals[s.Signal])
	}
	return nil, fmt.Errorf("unknown op %s", s.Op)
}

func (p *player) read(s *step, cursor colonnade.Cursor[*colonnade.Entry]) (object, error) {
	begun := p.saved[s.Continue]
	entries, parts := append([]*colonnade.Entry{}, begun.entries...), 0
	for page, err := range cursor.From(s.Token + begun.token).Pages() {
		if err != nil {
			return nil, err
		}
		entries, parts = append(entries, page.Items...), parts+1
		if parts == s.KillAfter {
			must(0, syscall.Kill(p.pids[s.Nodes[0]-1], syscall.SIGKILL))
		}
		if parts == s.StopAfter {
			p.saved[s.Save] = saved{entries, page.Token}
			break
		}
	}
	return summary(entries, parts), nil
}

func rows(cursor colonnade.Cursor[*colonnade.Row]) (object, error) {
	var keys []string
	counts := map[string]int{}
	for row, err := range cursor.All() {
		if err != nil {
			return nil, err
		}
		if _, seen := counts[string(row.Key)]; !seen {
			keys = append(keys, string(row.Key))
		}
		counts[string(row.Key)] += len(row.Columns)
	}
	shown := []any{}
	for _, key := range keys {
		shown = append(shown, object{"key": []byte(key), "entries": counts[key]})
	}
	return object{"rows": shown}, nil
}

func outcomes(ctx context.Context, client *colonnade.Client, batches func(func(*colonnade.Batch) bool)) (object, error) {
	applied := object{}
	result := object{"applied": applied}
	stream, err := client.Store().StreamMutate(ctx)
	if err != nil {
		return nil, colonnade.FromError(err, true)
	}
	go func() {
		sequence := uint64(0)
		for batch := range batches {
			sequence++
			if stream.Send(&pb.StreamMutateRequest{Sequence: sequence, Batch: batch.Message()}) != nil {
				return
			}
		}
		_ = stream.CloseSend()
	}()
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return object{"outcomes": result}, nil
		}
		if err != nil {
			return nil, colonnade.FromError(err, true)
		}
		for _, each := range answer.GetOutcomes() {
			name := strings.ToLower(strings.TrimPrefix(each.GetApplied().String(), "APPLIED_"))
			count, _ := applied[name].(int)
			applied[name] = count + 1
			result[fmt.Sprint(each.GetSequence())] = object{"applied": name, "reason": each.GetReason()}
		}
	}
}

func sequences(ctx context.Context, client *colonnade.Client, s *step) (object, error) {
	stream, err := client.Store().StreamMutate(ctx)
	if err != nil {
		return nil, colonnade.FromError(err, true)
	}
	go func() {
		empty := &pb.BatchMutateRequest{Keyspace: "Scenario"}
		for i := range uint64(*s.Count) + 1 {
			if stream.Send(&pb.StreamMutateRequest{Sequence: 1 + i*s.Step, Batch: empty}) != nil {
				return
			}
		}
		_ = stream.CloseSend()
	}()
	for {
		if _, err := stream.Recv(); err != nil {
			return nil, colonnade.FromError(err, true)
		}
	}
}

func emptySessionCall(ctx context.Context, client *colonnade.Client) (object, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := client.Store().Session(ctx)
	if err != nil {
		return nil, colonnade.FromError(err, true)
	}
	if err := stream.Send(&pb.SessionRequest{Calls: []*pb.SessionCall{{Id: 1}}}); err != nil {
		return nil, err
	}
	for {
		answer, err := stream.Recv()
		if err != nil {
			return nil, colonnade.FromError(err, true)
		}
		for _, each := range answer.GetAnswers() {
			var failure spb.Status
			must(0, proto.Unmarshal(each.GetError(), &failure))
			return nil, colonnade.FromError(status.ErrorProto(&failure), true)
		}
	}
}

func services(ctx context.Context, client *colonnade.Client) (object, error) {
	stream, err := reflectionpb.NewServerReflectionClient(client).ServerReflectionInfo(ctx)
	if err != nil {
		return nil, err
	}
	request := &reflectionpb.ServerReflectionRequest{MessageRequest: &reflectionpb.ServerReflectionRequest_ListServices{}}
	must(0, stream.Send(request))
	must(0, stream.CloseSend())
	found := object{}
	for {
		answer, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return object{"services": found}, nil
		}
		if err != nil {
			return nil, err
		}
		for _, each := range answer.GetListServicesResponse().GetService() {
			found[each.GetName()] = true
		}
	}
}

func shownColumn(column *colonnade.Column) object {
	ttl := any(nil)
	if column.GetTtlSeconds() != 0 {
		ttl = column.GetTtlSeconds()
	}
	timestamp := fmt.Sprint(column.GetTimestamp())
	return object{"name": column.GetName(), "value": column.GetValue(), "timestamp": timestamp, "ttl": ttl}
}

func shownSuper(super *pb.SuperColumn) object {
	columns := []any{}
	for _, column := range super.GetColumns() {
		columns = append(columns, shownColumn(column))
	}
	return object{"name": super.GetName(), "columns": columns}
}

func shown(entry *colonnade.Entry) object {
	if super := entry.GetSuperColumn(); super != nil {
		return shownSuper(super)
	}
	return shownColumn(entry.GetColumn())
}

func name(entry *colonnade.Entry) []byte {
	if super := entry.GetSuperColumn(); super != nil {
		return super.Name
	}
	return entry.GetColumn().GetName()
}

func all(entries []*colonnade.Entry) []any {
	shownAll := []any{}
	for _, entry := range entries {
		shownAll = append(shownAll, shown(entry))
	}
	return shownAll
}

func summary(entries []*colonnade.Entry, parts int) object {
	result := object{"entries": len(entries), "several": parts > 1}
	columns, ascending := 0, true
	for i, entry := range entries {
		columns += len(entry.GetSuperColumn().GetColumns())
		ascending = ascending && (i == 0 || string(name(entries[i-1])) < string(name(entry)))
	}
	if len(entries) > 0 {
		result["first"], result["last"] = name(entries[0]), name(entries[len(entries)-1])
	}
	result["columns"], result["ascending"] = columns, ascending
	return object{"summary": result}
}

// code spells a status code as the contract does.
func code(c codes.Code) string {
	var out strings.Builder
	for i, letter := range c.String() {
		if i > 0 && letter >= 'A' && letter <= 'Z' {
			out.WriteByte('_')
		}
		out.WriteRune(letter)
	}
	return strings.ToUpper(out.String())
}

func described(e *colonnade.Error) object {
	result := object{"code": code(e.Code), "reason": e.Reason, "message": e.Message, "applied": e.Applied}
	if e.Applied == "" {
		result["applied"] = e.Metadata["applied"]
	}
	for name, number := range map[string]int{"required": e.Required, "received": e.Received, "alive": e.Alive} {
		result[name] = number
	}
	if len(e.Fields) > 0 {
		result["field"] = e.Fields[0]
	}
	return result
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	var scenario struct {
		Steps []step `json:"steps"`
	}
	must(0, json.Unmarshal(must(os.ReadFile(os.Getenv("COLONNADE_SCENARIO"))), &scenario))
	p := &player{
		nodes:   strings.Split(os.Getenv("COLONNADE_NODES"), ","),
		clients: map[string]*colonnade.Client{}, saved: map[string]saved{},
	}
	for _, pid := range strings.Split(os.Getenv("COLONNADE_PIDS"), ",") {
		p.pids = append(p.pids, must(strconv.Atoi(pid)))
	}
	passed, failed := 0, 0
	for i := range scenario.Steps {
		s := &scenario.Steps[i]
		begun := time.Now()
		for {
			attempt := time.Now()
			answer, err := p.play(context.Background(), s)
			var e *colonnade.Error
			if errors.As(err, &e) {
				answer = object{"error": described(e)}
			} else if err != nil {
				answer = object{"exception": err.Error()}
			}
			took := time.Since(attempt).Milliseconds()
			if matches(s.Expect, answer) && (s.MaxMs == 0 || took <= s.MaxMs) {
				passed++
				break
			}
			if time.Since(begun).Milliseconds() >= s.RetryForMs {
				failed++
				fmt.Printf("FAILED: %s: expected %v, got %.1000s after %d ms\n", s.Name, s.Expect, fmt.Sprint(answer), took)
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
	}
	fmt.Printf("%d passed, %d failed\n", passed, failed)
	if failed > 0 {
		os.Exit(1)
	}
}
