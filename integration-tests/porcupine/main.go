// Command porcupine checks histories of a store with Porcupine, a checker of linearizability that knows nothing of
// this project. It reads files as dev.colonnade.server.history.HistoryFile writes them.
//
//	go run . [-timeout 60s] FILE...
//
// A row that each change writes as a whole is one object, so that a torn answer has no place in any order; of other
// rows each column is an object. Only answers that promise to be fresh have a place in an order. Others are looked at
// by themselves: they show what was written, all of it by one change where a row is an object. Counts are left to the
// checker in Java, since two that overlap may know of different changes. The status is 1 if anything is wrong.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math"
	"net/url"
	"os"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"
)

// cell is what a change makes of a column, or what an answer shows of it.
type cell struct {
	value   string
	absent  bool
	other   bool // anything but the value
	dated   bool
	version int64
}

// operation is a line of a history.
type operation struct {
	write      bool
	client     string
	begin, end int64
	how        string // outcome of a change, promise of an answer
	row        string
	timestamp  int64
	cells      map[string]cell
}

// state is what an object holds: for each of its columns the change that won.
type state struct {
	timestamp int64
	cells     map[string]cell
}

func unescape(text string) string {
	decoded, err := url.QueryUnescape(text)
	if err != nil {
		return text
	}
	return decoded
}

func parseCell(word string) (string, cell, error) {
	mark := strings.IndexAny(word, "=!-")
	if mark < 0 {
		return "", cell{}, fmt.Errorf("no cell: %q", word)
	}
	name, rest := unescape(word[:mark]), word[mark+1:]
	if word[mark] == '-' {
		return name, cell{absent: true}, nil
	}
	value, version, dated := strings.Cut(rest, "@")
	found := cell{value: unescape(value), other: word[mark] == '!', dated: dated}
	if dated {
		number, err := strconv.ParseInt(version, 10, 64)
		if err != nil {
			return "", cell{}, err
		}
		found.version = number
	}
	return name, found, nil
}

// parse reads a line; nil if it is none of a change or a read.
func parse(line string) (*operation, error) {
	words := strings.Fields(line)
	if len(words) == 0 || words[0] == "note" || words[0] == "count" {
		return nil, nil
	}
	if len(words) < 6 || (words[0] != "write" && words[0] != "read") {
		return nil, fmt.Errorf("no line of a history: %q", line)
	}
	parsed := &operation{
		write: words[0] == "write", client: unescape(words[1]), how: words[4], row: unescape(words[5]),
		end: math.MaxInt64, cells: map[string]cell{},
	}
	var err error
	if parsed.begin, err = strconv.ParseInt(words[2], 10, 64); err != nil {
		return nil, err
	}
	if words[3] != "-" {
		if parsed.end, err = strconv.ParseInt(words[3], 10, 64); err != nil {
			return nil, err
		}
	}
	cells := words[6:]
	if parsed.write {
		if parsed.timestamp, err = strconv.ParseInt(cells[0], 10, 64); err != nil {
			return nil, err
		}
		cells = cells[1:]
	}
	for _, word := range cells {
		name, found, err := parseCell(word)
		if err != nil {
			return nil, err
		}
		if parsed.write {
			found.dated, found.version = true, parsed.timestamp
		}
		parsed.cells[name] = found
	}
	return parsed, nil
}

func read(path string) (map[string][]*operation, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	rows := map[string][]*operation{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		parsed, err := parse(lines.Text())
		if err != nil {
			return nil, err
		}
		if parsed != nil {
			rows[parsed.row] = append(rows[parsed.row], parsed)
		}
	}
	return rows, lines.Err()
}

func names(cells map[string]cell) string {
	var all []string
	for name := range cells {
		all = append(all, name)
	}
	sort.Strings(all)
	return strings.Join(all, "\n")
}

// isObject tells whether all changes of a row write the same columns, at different times.
func isObject(row []*operation) bool {
	columns, times := "", map[int64]bool{}
	for _, one := range row {
		if one.write {
			if columns == "" {
				columns = names(one.cells)
			}
			if names(one.cells) != columns || times[one.timestamp] {
				return false
			}
			times[one.timestamp] = true
		} else if one.how == "fresh" {
			return false
		}
	}
	return true
}

// of is the part of a row that one column has.
func of(row []*operation, column string) []*operation {
	var part []*operation
	for _, one := range row {
		if found, has := one.cells[column]; has {
			only := *one
			only.cells = map[string]cell{column: found}
			part = append(part, &only)
		}
	}
	return part
}

func newer(one, other state) bool {
	if one.timestamp != other.timestamp {
		return one.timestamp > other.timestamp
	}
	for name, cell := range one.cells {
		if before := other.cells[name]; cell.absent != before.absent {
			return cell.absent
		} else if cell.value != before.value {
			return cell.value > before.value
		}
	}
	return false
}

// matches tells whether an answer can be that of a state.
func matches(held state, seen map[string]cell) bool {
	for name, shown := range seen {
		now, has := held.cells[name]
		nothing := !has || now.absent
		switch {
		case shown.absent:
			if !nothing {
				return false
			}
		case shown.other:
			if !nothing && now.value == shown.value {
				return false
			}
		default:
			if nothing || now.value != shown.value || (shown.dated && now.version != shown.version) {
				return false
			}
		}
	}
	return true
}

var register = porcupine.Model{
	Init: func() any { return state{timestamp: math.MinInt64} },
	Step: func(before, input, _ any) (bool, any) {
		held, one := before.(state), input.(*operation)
		if !one.write {
			return matches(held, one.cells), held
		}
		if made := (state{one.timestamp, one.cells}); newer(made, held) {
			return true, made
		}
		return true, held
	},
	Equal: func(one, other any) bool {
		first, second := one.(state), other.(state)
		return first.timestamp == second.timestamp && !newer(first, second) && !newer(second, first)
	},
}

// wasSeen tells whether an answer may have seen a change; only answers with timestamps rule that out.
func wasSeen(one *operation, object []*operation) bool {
	for name, made := range one.cells {
		if made.absent {
			return true
		}
		for _, read := range object {
			shown, has := read.cells[name]
			if !read.write && has && !shown.absent && (!shown.dated || shown.version == one.timestamp) {
				return true
			}
		}
	}
	return false
}

// alone tells what is wrong with an answer whatever came before it: "" if nothing is.
func alone(answer *operation, object []*operation, whole bool) string {
	found := map[string][]*operation{}
	for name, shown := range answer.cells {
		if shown.absent || shown.other {
			continue
		}
		for _, change := range object {
			made, has := change.cells[name]
			if change.write && has && change.how != "refused" && change.begin < answer.end && !made.absent &&
				made.value == shown.value && (!shown.dated || change.timestamp == shown.version) {
				found[name] = append(found[name], change)
			}
		}
		if found[name] == nil {
			return fmt.Sprintf("%s shows %s = %q, which was not written by then", answer.client, name, shown.value)
		}
	}
	if whole && answer.how != "weak" {
		for name, changes := range found {
			for other, more := range found {
				if !slices.ContainsFunc(changes, func(one *operation) bool { return slices.Contains(more, one) }) {
					return fmt.Sprintf("%s shows %s of another change than %s", answer.client, name, other)
				}
			}
			for other := range answer.cells {
				if answer.cells[other].absent && slices.ContainsFunc(changes, func(one *operation) bool {
					made, has := one.cells[other]
					return has && !made.absent
				}) {
					return fmt.Sprintf("%s shows %s, and of the same change not %s", answer.client, name, other)
				}
			}
		}
	}
	return ""
}

type totals struct{ objects, operations, undecided, wrong int }

func (sum *totals) check(name string, object []*operation, whole bool, timeout time.Duration) {
	var history []porcupine.Operation
	for _, one := range object {
		end := one.end
		if one.write {
			if one.how == "refused" || (one.how == "unknown" && !wasSeen(one, object)) {
				continue
			}
			if one.how == "unknown" {
				end = math.MaxInt64
			}
		} else {
			if words := alone(one, object, whole); words != "" {
				sum.wrong++
				fmt.Printf("wrong: %s at %d to %d: %s\n", name, one.begin, one.end, words)
			}
			if !strings.HasPrefix(one.how, "fresh") {
				continue
			}
		}
		history = append(history, porcupine.Operation{Input: one, Call: one.begin, Return: end})
	}
	sum.objects++
	sum.operations += len(history)
	switch porcupine.CheckOperationsTimeout(register, history, timeout) {
	case porcupine.Illegal:
		sum.wrong++
		fmt.Printf("wrong: %s has no order\n", name)
	case porcupine.Unknown:
		sum.undecided++
	}
}

func check(rows map[string][]*operation, timeout time.Duration) totals {
	var sum totals
	for name, row := range rows {
		if isObject(row) {
			sum.check(name, row, true, timeout)
			continue
		}
		columns := map[string]bool{}
		for _, one := range row {
			for column := range one.cells {
				columns[column] = true
			}
		}
		for column := range columns {
			sum.check(name+"/"+column, of(row, column), false, timeout)
		}
	}
	return sum
}

func main() {
	timeout := flag.Duration("timeout", 20*time.Second, "how long to look at one object")
	flag.Parse()
	failed := false
	for _, path := range flag.Args() {
		rows, err := read(path)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		sum := check(rows, *timeout)
		fmt.Printf("%s: %d objects, %d operations, %d undecided, %d wrong\n",
			path, sum.objects, sum.operations, sum.undecided, sum.wrong)
		failed = failed || sum.wrong > 0
	}
	if failed {
		os.Exit(1)
	}
}
