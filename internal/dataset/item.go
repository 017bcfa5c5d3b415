package dataset

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Item is one input: a file, a part of one, or a member of a tar archive.
type Item struct {
	Path  string // to open it, or the member's name
	Tar   string // the archive it is a member of
	At    int64  // where its bytes begin in the archive
	Size  int64  // bytes
	Time  int64  // when it was changed, ns
	Start float64
	Span  float64 // seconds from Start on; 0 for all that follow
	Bad   string  // why it cannot be read, when that is known already
	Sum   string  // its checksum when a plan was made, or an object's tag; "" where nobody knows

	values  []value // of List.Columns
	local   string  // a copy of it, or of a part of its archive
	localAt int64   // where it begins there
}

// value is one cell of a manifest.
type value struct {
	text   string
	number bool // it was a number in JSON
}

// name is how the item is recorded and spoken of: always valid UTF-8.
func (it *Item) name() string {
	if it.Tar != "" {
		return clean(it.Tar) + "/" + clean(it.Path)
	}
	return clean(it.Path)
}

// clean writes bytes that are not UTF-8 as \xNN, and removes zero bytes: no format keeps them.
func clean(s string) string {
	if utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 {
		return s
	}
	var b strings.Builder
	for len(s) > 0 {
		r, n := utf8.DecodeRuneInString(s)
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[0])
		case r == 0:
			b.WriteString("\uFFFD")
		default:
			b.WriteString(s[:n])
		}
		s = s[n:]
	}
	return b.String()
}

var odd = regexp.MustCompile(`\\x[89a-f][0-9a-f]`)

// unclean is the name that clean wrote like this, unless a zero byte was in it.
func unclean(s string) string {
	return odd.ReplaceAllStringFunc(s, func(b string) string {
		n, _ := strconv.ParseUint(b[2:], 16, 8) // two digits always are a byte
		return string([]byte{byte(n)})
	})
}

// List is the inputs in the order of the output.
type List struct {
	Items   []Item
	Columns []string // of manifests, in the order they were met
	Bytes   int64
	Notes   []string // what was passed over
	Odd     int      // names that are not UTF-8

	lists []string // the manifests themselves
	kinds []kind   // of the columns, where this is a part of a list that decides them
}

// Tables says whether any of the arguments was a list with columns.
func (l *List) Tables() bool { return len(l.lists) > 0 }

// column gives the number of a manifest's column, a new one when it was not met before.
func (l *List) column(name string) int {
	if i := slices.Index(l.Columns, name); i >= 0 {
		return i
	}
	l.Columns = append(l.Columns, name)
	return len(l.Columns) - 1
}

func (it *Item) set(column int, v value) {
	for len(it.values) <= column {
		it.values = append(it.values, value{})
	}
	it.values[column] = v
}

// value is the cell of a column, empty where the item has none.
func (it *Item) value(column int) value {
	if column < len(it.values) {
		return it.values[column]
	}
	return value{}
}

func (l *List) add(it Item) {
	if clean(it.Path) != it.Path {
		l.Odd++
	}
	l.Bytes += it.Size
	l.Items = append(l.Items, it)
}
