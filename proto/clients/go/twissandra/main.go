// Command twissandra is the small Twitter of "Cassandra by example" at the command line.
//
//	go run ./twissandra schema [REPLICATION-FACTOR]
//	go run ./twissandra signup|userline|timeline NAME
//	go run ./twissandra follow|unfollow NAME OTHER
//	go run ./twissandra tweet NAME TEXT
//	go run ./twissandra userline|timeline NAME START
//
// It shares its rows with the web application in ../python/examples. COLONNADE_NODES are the nodes, 127.0.0.1:9160
// without it; TWISSANDRA_KEYSPACE is the keyspace, Twissandra without it.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mathrand "math/rand/v2"
	"os"
	"strconv"
	"strings"
	"time"

	"colonnade.dev/go"
	adminpb "colonnade.dev/go/gen/colonnade/admin/v1"
)

const (
	pageSize  = 10
	batchSize = 500
)

type twissandra struct {
	client   *colonnade.Client
	keyspace string
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(args []string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	nodes := strings.Split(cmp.Or(os.Getenv("COLONNADE_NODES"), "127.0.0.1:9160"), ",")
	client, err := colonnade.Dial(nodes, colonnade.WithReadLevel(colonnade.Quorum), colonnade.WithWriteLevel(colonnade.Quorum))
	if err != nil {
		return err
	}
	defer client.Close()
	t := &twissandra{client, cmp.Or(os.Getenv("TWISSANDRA_KEYSPACE"), "Twissandra")}
	args = append(args, "", "", "")
	switch command, first, second := args[0], args[1], args[2]; command {
	case "schema":
		return t.schema(ctx, cmp.Or(first, "1"))
	case "signup":
		return t.signUp(ctx, first)
	case "follow", "unfollow":
		return t.follow(ctx, first, second, command == "follow")
	case "tweet":
		return t.tweet(ctx, first, second)
	case "userline":
		return t.line(ctx, "Userline", first, second)
	case "timeline":
		return t.line(ctx, "Timeline", first, second)
	default:
		return fmt.Errorf("no command %q; there are: schema, signup, follow, unfollow, tweet, userline, timeline", command)
	}
}

func (t *twissandra) schema(ctx context.Context, replicationFactor string) error {
	factor, err := strconv.ParseInt(replicationFactor, 10, 32)
	if err != nil {
		return err
	}
	keyspace := &adminpb.KeyspaceDef{Name: t.keyspace, ReplicationFactor: int32(factor)}
	for name, comparator := range map[string]string{
		"User": "UTF8Type", "Username": "BytesType", "Friends": "BytesType", "Followers": "BytesType",
		"Tweet": "UTF8Type", "Userline": "LongType", "Timeline": "LongType",
	} {
		family := &adminpb.ColumnFamilyDef{Name: name, CompareWith: comparator}
		keyspace.ColumnFamilies = append(keyspace.ColumnFamilies, family)
	}
	_, err = t.client.Schema().CreateKeyspace(ctx, &adminpb.CreateKeyspaceRequest{Keyspace: keyspace})
	return err
}

func (t *twissandra) family(name string) *colonnade.Family { return t.client.Family(t.keyspace, name) }

// userID returns the id of a name. The row of the name is an index that the application keeps by itself.
func (t *twissandra) userID(ctx context.Context, name string) ([]byte, error) {
	column, err := t.family("Username").Get(ctx, []byte(name), []byte("id"))
	if colonnade.IsNotFound(err) {
		return nil, fmt.Errorf("there is no user %s", name)
	}
	return column.GetValue(), err
}

// signUp makes a user. Of two who sign up with one name at the same moment the later one gets it; the web application
// shows how to prevent that.
func (t *twissandra) signUp(ctx context.Context, name string) error {
	if _, err := t.userID(ctx, name); err == nil {
		return fmt.Errorf("the name %s is taken", name)
	}
	id, now := newID(), colonnade.Timestamp(time.Now().UnixMicro())
	batch := t.client.Batch(t.keyspace)
	batch.Put(t.family("User"), id, []byte("id"), id, now)
	batch.Put(t.family("User"), id, []byte("username"), []byte(name), now)
	batch.Put(t.family("Username"), []byte(name), []byte("id"), id, now)
	return apply(ctx, batch)
}

// follow writes the relation down from either side, because there is no index to ask instead.
func (t *twissandra) follow(ctx context.Context, name, other string, begin bool) error {
	user, err := t.userID(ctx, name)
	if err != nil {
		return err
	}
	followed, err := t.userID(ctx, other)
	if err != nil {
		return err
	}
	micros := time.Now().UnixMicro()
	now, batch := colonnade.Timestamp(micros), t.client.Batch(t.keyspace)
	if begin {
		batch.Put(t.family("Friends"), user, followed, colonnade.Long(micros), now)
		batch.Put(t.family("Followers"), followed, user, colonnade.Long(micros), now)
	} else {
		batch.Remove(t.family("Friends"), user, colonnade.Slice{Names: [][]byte{followed}}, now)
		batch.Remove(t.family("Followers"), followed, colonnade.Slice{Names: [][]byte{user}}, now)
	}
	return apply(ctx, batch)
}

// tweet writes a tweet into every line in which it will be read, however many followers there are.
func (t *twissandra) tweet(ctx context.Context, name, body string) error {
	author, err := t.userID(ctx, name)
	if err != nil {
		return err
	}
	id, micros := newID(), time.Now().UnixMicro()
	// The name in lines: the time, and ten bits by chance, because two tweets may share a microsecond.
	line, now := colonnade.Long(micros<<10|mathrand.Int64N(1<<10)), colonnade.Timestamp(micros)
	batch, size := t.client.Batch(t.keyspace), 2
	for column, value := range map[string][]byte{
		"id": id, "user_id": author, "body": []byte(body), "_ts": colonnade.Long(micros), "line": line,
	} {
		batch.Put(t.family("Tweet"), id, []byte(column), value, now)
	}
	batch.Put(t.family("Userline"), author, line, id, now)
	batch.Put(t.family("Timeline"), author, line, id, now)
	for follower, err := range t.family("Followers").Stream(ctx, author, colonnade.Slice{}, 0).All() {
		if err != nil {
			return err
		}
		batch.Put(t.family("Timeline"), follower.GetColumn().Name, line, id, now)
		if size++; size%batchSize == 0 {
			if err := apply(ctx, batch); err != nil {
				return err
			}
			batch = t.client.Batch(t.keyspace)
		}
	}
	return apply(ctx, batch)
}

// apply applies a batch whose changes all have a timestamp: if it may have been applied, applying it again is safe.
func apply(ctx context.Context, batch *colonnade.Batch) error {
	for attempt := 1; ; attempt++ {
		err := batch.Apply(ctx)
		var failure *colonnade.Error
		if !errors.As(err, &failure) || failure.Applied != "unknown" || attempt == 3 {
			return err
		}
	}
}

// line prints a page of a line, the newest first, and where the next page starts.
func (t *twissandra) line(ctx context.Context, family, name, start string) error {
	user, err := t.userID(ctx, name)
	if err != nil {
		return err
	}
	slice := colonnade.Last(pageSize + 1)
	if start != "" {
		number, err := strconv.ParseInt(start, 10, 64)
		if err != nil {
			return err
		}
		slice.Start = colonnade.Long(number)
	}
	found, err := t.family(family).Slice(ctx, user, slice)
	if err != nil || len(found) == 0 {
		return err
	}
	var ids, authors [][]byte
	for _, each := range found[:min(pageSize, len(found))] {
		ids = append(ids, each.GetColumn().Value)
	}
	tweets, err := t.family("Tweet").Multiget(ctx, ids, colonnade.Slice{})
	if err != nil {
		return err
	}
	for _, tweet := range tweets {
		authors = append(authors, []byte(text(tweet, "user_id")))
	}
	users, err := t.family("User").Multiget(ctx, authors, colonnade.Slice{})
	if err != nil {
		return err
	}
	names := map[string]string{}
	for _, each := range users {
		names[string(each.Key)] = text(each, "username")
	}
	for _, tweet := range tweets {
		// One without a text is a retweet, which the web application shows.
		if body := text(tweet, "body"); body != "" {
			fmt.Printf("@%s: %s\n", names[text(tweet, "user_id")], body)
		}
	}
	if len(found) > pageSize {
		next, err := colonnade.ParseLong(found[pageSize].GetColumn().Name)
		if err != nil {
			return err
		}
		fmt.Printf("more: %d\n", next)
	}
	return nil
}

// newID returns a random UUID as text.
func newID() []byte {
	var id [16]byte
	rand.Read(id[:]) // never fails
	id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	return fmt.Appendf(nil, "%x-%x-%x-%x-%x", id[:4], id[4:6], id[6:8], id[8:10], id[10:])
}

// text returns the value of a column; empty if there is none.
func text(row *colonnade.Row, name string) string {
	for _, entry := range row.Columns {
		if column := entry.GetColumn(); string(column.Name) == name {
			return string(column.Value)
		}
	}
	return ""
}
