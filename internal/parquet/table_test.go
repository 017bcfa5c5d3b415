package parquet

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	other "github.com/parquet-go/parquet-go"
)

type everything struct {
	Yes    bool     `parquet:"yes"`
	Small  int32    `parquet:"small"`
	ID     uint32   `parquet:"id"`
	Big    int64    `parquet:"big"`
	Half   float32  `parquet:"half"`
	Real   float64  `parquet:"real"`
	Name   string   `parquet:"name"`
	MayYes *bool    `parquet:"may_yes"`
	MayInt *int64   `parquet:"may_int"`
	MayID  *uint32  `parquet:"may_id"`
	MayF   *float32 `parquet:"may_f"`
	MayStr *string  `parquet:"may_str"`
	Never  *int32   `parquet:"never"`
}

func randomRows(n int) []everything {
	r := rand.New(rand.NewPCG(1, uint64(n)))
	rows := make([]everything, n)
	for i := range rows {
		yes, whole, id, f, text := r.IntN(2) == 0, r.Int64()-r.Int64(), r.Uint32(), r.Float32(), fmt.Sprint("ä", r.IntN(300))
		rows[i] = everything{Yes: yes, Small: int32(r.Uint32()), ID: id, Big: whole, Half: f, Real: r.NormFloat64(), Name: text}
		if r.IntN(3) > 0 {
			rows[i].MayYes, rows[i].MayInt, rows[i].MayID, rows[i].MayF, rows[i].MayStr = &yes, &whole, &id, &f, &text
		}
	}
	return rows
}

// Another implementation reads the same rows, over more than one group of rows too.
func TestTable(t *testing.T) {
	for _, n := range []int{0, 1, 7, 8, 9, 1000, rowGroup, rowGroup + 1} {
		want := randomRows(n)
		var b bytes.Buffer
		if err := WriteTable(&b, slices.Values(want)); err != nil {
			t.Fatal(err)
		}
		got, err := other.Read[everything](bytes.NewReader(b.Bytes()), int64(b.Len()))
		if err != nil {
			t.Fatalf("%d rows: %v", n, err)
		}
		if len(got) != len(want) || n > 0 && !reflect.DeepEqual(got, want) {
			t.Errorf("%d rows: %d came back, or others", n, len(got))
		}
	}
}

// Numbers have their range in the footer.
func TestRanges(t *testing.T) {
	var b bytes.Buffer
	if err := WriteTable(&b, slices.Values([]everything{{Small: 3, Big: -5}, {Small: -7, Big: 1 << 40}})); err != nil {
		t.Fatal(err)
	}
	f, err := other.OpenFile(bytes.NewReader(b.Bytes()), int64(b.Len()))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range map[int][2]int64{1: {-7, 3}, 3: {-5, 1 << 40}} {
		c := f.RowGroups()[0].ColumnChunks()[i].(*other.FileColumnChunk)
		if low, high, ok := c.Bounds(); !ok || fmt.Sprint(low) != fmt.Sprint(want[0]) || fmt.Sprint(high) != fmt.Sprint(want[1]) {
			t.Errorf("column %d: %v to %v, %v; want %v", i, low, high, ok, want)
		}
	}
}

func TestTableRefuses(t *testing.T) {
	type odd struct {
		Parts []int `parquet:"parts"`
	}
	if err := WriteTable(io.Discard, slices.Values([]odd{{}})); err == nil {
		t.Error("a column of lists was written")
	}
}

func BenchmarkTable(b *testing.B) {
	rows := randomRows(rowGroup)
	for b.Loop() {
		if err := WriteTable(io.Discard, slices.Values(rows)); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(rowGroup*b.N)/b.Elapsed().Seconds(), "rows/s")
}
