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
