package sqlite

import (
	"bytes"
	"os"
	"slices"
	"testing"
)

const small = "../trace/nsys/testdata/small.sqlite" // of pages of 1 KiB, so that tables have several levels

func TestTables(t *testing.T) {
	text, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(bytes.NewReader(text), int64(len(text)))
	if err != nil {
		t.Fatal(err)
	}
	if db.Table("nothing") != nil {
		t.Error("a table that is not there")
	}
	calls := db.Table("CUPTI_ACTIVITY_KIND_RUNTIME")
	if want := []string{"start", "end", "globalTid", "correlationId", "nameId"}; !slices.Equal(calls.Columns, want) {
		t.Errorf("%q", calls.Columns)
	}
	rows, sum := 0, int64(0)
	if err := calls.Each(func(r Row) error {
		rows++
		sum += r.Int(3)
		if r.Int(2) != 4711<<24|4711 {
			t.Errorf("thread %d", r.Int(2))
		}
		return nil
	}); err != nil || rows != 306 || sum != 306*307/2 {
		t.Errorf("%v, %d rows, %d", err, rows, sum)
	}
	names := map[int64]string{}
	ids := db.Table("StringIds")
	if err := ids.Each(func(r Row) error { names[r.Int(0)] = r.Text(1); return nil }); err != nil || len(names) != 6 || names[2] != "gemm" {
		t.Errorf("%v, %v", err, names) // the id is the row's number
	}
}

func TestColumns(t *testing.T) {
	for sql, want := range map[string][]string{
		`CREATE TABLE a (x INTEGER, "y z" TEXT, [w] REAL DEFAULT (1,2), PRIMARY KEY (x, w))`: {"x", "y z", "w"},
		"CREATE TABLE a (x -- the first, of two\n, y /* , */ INT)":                           {"x", "y"},
		"CREATE TABLE a": nil,
	} {
		if got, _ := columnsOf(sql); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", sql, got, want)
		}
	}
}

func FuzzOpen(f *testing.F) {
	text, err := os.ReadFile(small)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Fuzz(func(_ *testing.T, text []byte) {
		db, err := Open(bytes.NewReader(text), int64(len(text)))
		if err != nil {
			return
		}
		for _, t := range db.tables {
			_ = t.Each(func(r Row) error {
				for i := range t.Columns {
					_, _, _ = r.Int(i), r.Text(i), r.Null(i)
				}
				return nil
			})
		}
	})
}
