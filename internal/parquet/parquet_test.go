package parquet

import (
	"bytes"
	"fmt"
	"io"
	"testing"

	other "github.com/parquet-go/parquet-go"
)

// memory is a file.
type memory struct{ b []byte }

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	if need := int(at) + len(p); need > len(m.b) {
		m.b = append(m.b, make([]byte, need-len(m.b))...)
	}
	return copy(m.b[at:], p), nil
}

// sample writes rows of the given numbers of frames in groups of two.
func sample(t testing.TB, bands int, frames ...int) []byte {
	t.Helper()
	m, x := &memory{}, Matrix{bands}
	m.WriteAt([]byte(Magic), 0)
	at := int64(4)
	var places []int64
	for i, n := range frames {
		places = append(places, at)
		page := x.Page(nil, n)
		for k := range bands * n {
			page = append(page, byte(i), byte(k))
		}
		m.WriteAt(page, at)
		at += int64(len(page))
	}
	places = append(places, at)
	w := NewWriter(m, at, x, []Column{
		{Name: "good", Kind: Bool, Whole: func(row int64) int64 { return row % 2 }},
		{Name: "n", Kind: Int64, Whole: func(row int64) int64 { return -row }},
		{Name: "x", Kind: Float64, Real: func(row int64) float64 { return float64(row) / 2 }},
		{Name: "text", Kind: Text, Text: func(row int64) string { return fmt.Sprint("row ä", row) }},
	})
	for first := 0; first < len(frames); first += 2 {
		end, values := min(first+2, len(frames)), 0
		for _, n := range frames[first:end] {
			values += max(1, n*bands)
		}
		if err := w.Group(int64(first), int64(end), places[first], places[end]-places[first], int64(values)); err != nil {
			t.Fatal(err)
		}
	}
	size, err := w.Finish([][2]string{{"who", "me"}})
	if err != nil || size != int64(len(m.b)) {
		t.Fatalf("%d of %d bytes, %v", size, len(m.b), err)
	}
	return m.b
}

func TestReadBack(t *testing.T) {
	data := sample(t, 3, 4, 1, 0, 200, 2)
	f, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprint(f.Rows, f.Metadata, len(f.Matrix), f.Numbers["good"], f.Numbers["n"], f.Numbers["x"], f.Texts["text"])
	if got != "5 map[who:me] 3 [0 1 0 1 0] [0 -1 -2 -3 -4] [0 0.5 1 1.5 2] [row ä0 row ä1 row ä2 row ä3 row ä4]" {
		t.Error(got)
	}
}

// Another implementation reads the same rows.
func TestOtherReader(t *testing.T) {
	frames := []int{4, 1, 0, 200, 2}
	data := sample(t, 3, frames...)
	f, err := other.OpenFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	row := 0
	for _, g := range f.RowGroups() {
		rows := g.Rows()
		for {
			buffer := make([]other.Row, 1)
			n, err := rows.ReadRows(buffer)
			if n == 1 {
				want := max(1, 3*frames[row]) + 4
				if len(buffer[0]) != want {
					t.Errorf("row %d has %d values, want %d", row, len(buffer[0]), want)
				}
				for k := range 3 * frames[row] {
					if v := buffer[0][k].ByteArray(); len(v) != 2 || v[0] != byte(row) || v[1] != byte(k) {
						t.Fatalf("row %d, value %d is %v", row, k, v)
					}
				}
				if text := buffer[0][want-1].String(); text != fmt.Sprint("row ä", row) {
					t.Errorf("row %d is %q", row, text)
				}
				row++
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		rows.Close()
	}
	if row != len(frames) {
		t.Errorf("%d rows", row)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(sample(f, 2, 3, 0))
	f.Add(sample(f, 1))
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			return
		}
		for _, c := range file.Matrix {
			if c.At < 0 || c.Size < 0 || c.At+c.Size > int64(len(data)) {
				t.Fatalf("%+v of %d bytes", c, len(data))
			}
		}
	})
}
