// Package sqlite reads the tables of a SQLite database file, row by row, without changing it and without a library:
// profilers export their recordings as such files, and no more than reading tables from first to last is needed.
//
// [Open] reads the list of tables; [Table.Each] walks along a table's b-tree (page.go) and decodes its records
// (record.go). A page is held in memory at a time, and a row's values are valid until the next. Damaged files end in an
// error, never in a loop: no more pages are visited than the file has.
package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Magic is how a database begins.
const Magic = "SQLite format 3\x00"

// DB is a database file.
type DB struct {
	r        io.ReaderAt
	pageSize int
	usable   int // of a page; some databases keep bytes at its end
	pages    uint32
	tables   map[string]*Table
}

// Table is one of its tables.
type Table struct {
	db      *DB
	root    uint32
	Name    string
	Columns []string
	rowid   int // the column that is the row's number, and is stored nowhere else; -1 for none
}

// errors of files that cannot be read.
var (
	errNotSQLite = errors.New("not a SQLite database")
	errDamaged   = errors.New("the SQLite database is damaged")
)

// Open reads the list of tables.
func Open(r io.ReaderAt, size int64) (*DB, error) {
	head := make([]byte, 100)
	if _, err := r.ReadAt(head, 0); err != nil || !bytes.HasPrefix(head, []byte(Magic)) {
		return nil, errNotSQLite
	}
	db := &DB{r: r, pageSize: int(binary.BigEndian.Uint16(head[16:])), tables: map[string]*Table{}}
	if db.pageSize == 1 {
		db.pageSize = 65536
	}
	if db.pageSize < 512 || db.pageSize&(db.pageSize-1) != 0 {
		return nil, errDamaged
	}
	if db.usable = db.pageSize - int(head[20]); db.usable < 480 {
		return nil, errDamaged
	}
	if encoding := binary.BigEndian.Uint32(head[56:]); encoding > 1 {
		return nil, errors.New("the SQLite database is in UTF-16, which is unsupported")
	}
	db.pages = uint32(min(size/int64(db.pageSize), 1<<32-2))
	if db.pages == 0 {
		return nil, errDamaged
	}
	master := &Table{db: db, root: 1, Columns: []string{"type", "name", "tbl_name", "rootpage", "sql"}, rowid: -1}
	err := master.Each(func(row Row) error {
		if row.Text(0) != "table" {
			return nil
		}
		t := &Table{db: db, Name: row.Text(1), root: uint32(row.Int(3))}
		if sql := row.Text(4); t.root > 0 && !strings.Contains(strings.ToUpper(sql), "WITHOUT ROWID") {
			t.Columns, t.rowid = columnsOf(sql)
			db.tables[t.Name] = t
		}
		return nil
	})
	return db, err
}

// Table is the table of that name; nil where there is none.
func (db *DB) Table(name string) *Table { return db.tables[name] }

// Column is where a column stands; -1 where there is none.
func (t *Table) Column(name string) int {
	for i, c := range t.Columns {
		if strings.EqualFold(c, name) {
			return i
		}
	}
	return -1
}

// columnsOf reads the columns' names from the statement that made a table. A column that is the primary key and an
// integer is the row's number.
func columnsOf(sql string) (names []string, rowid int) {
	rowid = -1
	_, body, ok := strings.Cut(sql, "(")
	if end := strings.LastIndexByte(body, ')'); ok && end >= 0 {
		body = body[:end]
	}
	for _, part := range splitColumns(body) {
		name, rest := firstWord(part)
		switch upper := strings.ToUpper(rest); {
		case name == "":
			continue
		case !isQuoted(part):
			switch strings.ToUpper(name) {
			case "PRIMARY", "FOREIGN", "UNIQUE", "CHECK", "CONSTRAINT":
				continue // of the whole table
			}
			fallthrough
		default:
			if kind, _, _ := strings.Cut(strings.TrimSpace(upper), " "); kind == "INTEGER" &&
				strings.Contains(upper, "PRIMARY KEY") {
				rowid = len(names)
			}
			names = append(names, name)
		}
	}
	return names, rowid
}

func isQuoted(s string) bool {
	s = strings.TrimSpace(s)
	return s != "" && strings.IndexByte("\"`[", s[0]) >= 0
}

// splitColumns cuts at commas outside parentheses, quotes and comments.
func splitColumns(body string) (parts []string) {
	depth, start := 0, 0
	var quote byte
	clean := []byte(body)
	for i := 0; i < len(clean); i++ {
		c := clean[i]
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '-' && i+1 < len(clean) && clean[i+1] == '-', c == '/' && i+1 < len(clean) && clean[i+1] == '*':
			end := "\n"
			if c == '/' {
				end = "*/"
			}
			n := strings.Index(string(clean[i:]), end)
			if n < 0 {
				n = len(clean) - i - len(end)
			}
			for k := i; k < min(i+n+len(end), len(clean)); k++ {
				clean[k] = ' '
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '[':
			quote = ']'
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			parts = append(parts, string(clean[start:i]))
			start = i + 1
		}
	}
	return append(parts, string(clean[start:]))
}

func firstWord(s string) (word, rest string) {
	s = strings.TrimSpace(s)
	if isQuoted(s) {
		closing := s[0]
		if closing == '[' {
			closing = ']'
		}
		if end := strings.IndexByte(s[1:], closing); end >= 0 {
			return s[1 : 1+end], s[2+end:]
		}
	}
	end := strings.IndexAny(s, " \t\r\n")
	if end < 0 {
		return s, ""
	}
	return s[:end], s[end:]
}

func (db *DB) damaged(page uint32) error { return fmt.Errorf("%w (page %d)", errDamaged, page) }
