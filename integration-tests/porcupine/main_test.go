package main

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Files whose names begin with "right" can have been; of the others the name says what is wrong.
func TestEachKindOfWrongIsFound(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.history")
	if len(files) < 10 {
		t.Fatalf("only %d histories", len(files))
	}
	for _, file := range files {
		rows, err := read(file)
		if err != nil {
			t.Fatal(err)
		}
		sum := check(rows, 20*time.Second)
		right := strings.HasPrefix(filepath.Base(file), "right")
		if (sum.wrong == 0) != right || sum.undecided > 0 {
			t.Errorf("%s: %+v", file, sum)
		}
	}
}
