package hdf5

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// memory is a file of bytes.
type memory struct {
	sync.Mutex
	data []byte
}

func (m *memory) WriteAt(p []byte, at int64) (int, error) {
	m.Lock()
	defer m.Unlock()
	if need := at + int64(len(p)); need > int64(len(m.data)) {
		m.data = append(m.data, make([]byte, need-int64(len(m.data)))...)
	}
	return copy(m.data[at:], p), nil
}

// finish ends a file and gives its bytes.
func finish(t testing.TB, w *Writer, m *memory) []byte {
	t.Helper()
	size, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(m.data)) > size {
		t.Fatalf("%d bytes were written, the file has %d", len(m.data), size)
	}
	return append(m.data, make([]byte, size-int64(len(m.data)))...)
}

// column is what a test wrote and expects to read.
type column struct {
	name  string
	kind  Type
	dims  []int64
	bytes []byte
	texts []string
}

// sample writes a file that has everything, in an order and with values that follow from seed.
func sample(t testing.TB, seed uint64) (file []byte, columns []column, attributes map[string]any) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 1))
	m := &memory{}
	w := NewWriter(m)
	var datasets []*Dataset
	for k := Int8; k < String; k++ {
		c := column{name: fmt.Sprintf("%s-%d", k, seed), kind: k}
		for range 1 + r.IntN(3) {
			c.dims = append(c.dims, int64(r.IntN(6)))
		}
		d, err := w.Dataset(c.name, c.kind, c.dims...)
		if err != nil {
			t.Fatal(err)
		}
		c.bytes = make([]byte, d.Size())
		for i := range c.bytes {
			c.bytes[i] = byte(r.Uint32())
		}
		columns, datasets = append(columns, c), append(datasets, d)
	}
	growing, err := w.Dataset("growing", Uint16, Unknown, 3)
	if err != nil {
		t.Fatal(err)
	}
	rows := int64(r.IntN(2000))
	c := column{name: "growing", kind: Uint16, dims: []int64{rows, 3}, bytes: make([]byte, rows*6)}
	for i := range c.bytes {
		c.bytes[i] = byte(r.Uint32())
	}
	columns, datasets = append(columns, c), append(datasets, growing)
	var group sync.WaitGroup
	for i, d := range datasets { // many hands, small pieces, any order
		for at := 0; at < len(columns[i].bytes); at += 100 {
			p := columns[i].bytes[at:min(at+100, len(columns[i].bytes))]
			group.Go(func() {
				if _, err := d.WriteAt(p, int64(at)); err != nil {
					t.Error(err)
				}
			})
		}
	}
	group.Wait()
	if err := w.Close(growing, rows); err != nil {
		t.Fatal(err)
	}
	for _, n := range []int{0, 1, 40, 5000} {
		c := column{name: fmt.Sprintf("strings of %d", n), kind: String, dims: []int64{int64(n)}}
		for i := range n {
			text := strings.Repeat("é", r.IntN(40))
			if i%500 == 7 {
				text = strings.Repeat("long ", r.IntN(40000))
			}
			c.texts = append(c.texts, text)
		}
		d, err := w.Strings(c.name, int64(n), func(i int64) (string, error) { return c.texts[i], nil })
		if err != nil {
			t.Fatal(err)
		}
		columns, datasets = append(columns, c), append(datasets, d)
	}
	attributes = map[string]any{}
	set := func(on *Dataset, name string, v any) {
		if err := w.Attribute(on, name, v); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 60 {
		name := fmt.Sprintf("attribute %d", i)
		switch i % 3 {
		case 0:
			attributes[name] = strings.Repeat("ü", i)
		case 1:
			attributes[name] = int64(r.Uint64())
		case 2:
			attributes[name] = r.NormFloat64()
		}
		set(nil, name, attributes[name])
	}
	for i, d := range datasets {
		set(d, "number", i)
		set(d, "name", columns[i].name)
	}
	return finish(t, w, m), columns, attributes
}

func TestReadsWhatItWrote(t *testing.T) {
	for seed := range uint64(20) {
		data, columns, attributes := sample(t, seed)
		f, err := Read(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		if fmt.Sprint(f.Attributes) != fmt.Sprint(attributes) {
			t.Fatalf("attributes are %v, want %v", f.Attributes, attributes)
		}
		if len(f.Datasets) != len(columns) {
			t.Fatalf("%d data sets, want %d", len(f.Datasets), len(columns))
		}
		for i, c := range columns {
			d, ok := f.Dataset(c.name)
			if !ok || d.Type != c.kind || fmt.Sprint(d.Dims) != fmt.Sprint(c.dims) {
				t.Fatalf("data set %q is %+v, want %s %v", c.name, d, c.kind, c.dims)
			}
			if d.Attributes["number"] != int64(i) || d.Attributes["name"] != c.name {
				t.Errorf("data set %q has the attributes %v", c.name, d.Attributes)
			}
			if c.kind == String {
				n := 0
				if err := f.Strings(d, func(i int64, s string) error {
					if s != c.texts[i] {
						return fmt.Errorf("string %d is %.20q, want %.20q", i, s, c.texts[i])
					}
					n++
					return nil
				}); err != nil || n != len(c.texts) {
					t.Errorf("%q: %d strings, %v", c.name, n, err)
				}
				continue
			}
			if !bytes.Equal(data[d.Offset:][:d.Size], c.bytes) {
				t.Errorf("data set %q has other bytes", c.name)
			}
		}
		again, _, _ := sample(t, seed)
		if !bytes.Equal(data, again) {
			t.Errorf("the same calls gave another file")
		}
	}
}

func TestNothingIsVisibleBeforeFinish(t *testing.T) {
	m := &memory{}
	w := NewWriter(m)
	d, err := w.Dataset("mel", Float16, 4, 8)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.WriteAt(make([]byte, 64), 0); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Strings("path", 1, func(int64) (string, error) { return "a.wav", nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(bytes.NewReader(m.data), int64(len(m.data))); err == nil || !strings.Contains(err.Error(), "it is unfinished") {
		t.Fatalf("an unfinished file reads: %v", err)
	}
	if err := w.Close(d, 3); err != nil {
		t.Fatal(err)
	}
	data := finish(t, w, m)
	f, err := Read(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	if mel, _ := f.Dataset("mel"); fmt.Sprint(mel.Dims) != "[3 8]" || mel.Offset%page != 0 {
		t.Errorf("a data set of which 3 of 4 rows are there is %+v", mel)
	}
	for _, n := range []int{0, 7, 47, 48, 5000, len(data) - 1} {
		if _, err := Read(bytes.NewReader(data[:n]), int64(n)); err == nil {
			t.Errorf("the first %d of %d bytes read", n, len(data))
		}
	}
}

func TestMistakes(t *testing.T) {
	w := NewWriter(&memory{})
	d, err := w.Dataset("a", Int64, 2)
	if err != nil {
		t.Fatal(err)
	}
	growing := func() *Writer {
		w := NewWriter(&memory{})
		if _, err := w.Dataset("b", Int8, Unknown); err != nil {
			t.Fatal(err)
		}
		return w
	}
	for want, f := range map[string]func() error{
		"already exists":       func() error { _, err := w.Dataset("a", Int8, 1); return err },
		"invalid name":         func() error { _, err := w.Dataset("a/b", Int8, 1); return err },
		"unsupported type":     func() error { _, err := w.Dataset("c", 99, 1); return err },
		"0 dimensions":         func() error { _, err := w.Dataset("c", Int8); return err },
		"written by Strings":   func() error { _, err := w.Dataset("c", String, 1); return err },
		"[-2] is not possible": func() error { _, err := w.Dataset("c", Int8, -2); return err },
		"is not possible":      func() error { _, err := w.Dataset("c", Int64, math.MaxInt64, 8); return err },
		"9 bytes at 8":         func() error { _, err := d.WriteAt(make([]byte, 9), 8); return err },
		"1 bytes at -1":        func() error { _, err := d.WriteAt(make([]byte, 1), -1); return err },
		"room for 2 rows":      func() error { return w.Close(d, 3) },
		"zero byte": func() error {
			_, err := w.Strings("s", 1, func(int64) (string, error) { return "a\x00b", nil })
			return err
		},
		"EOF": func() error {
			_, err := w.Strings("u", 1, func(int64) (string, error) { return "", io.EOF })
			return err
		},
		"cannot be a bool":       func() error { return w.Attribute(nil, "x", true) },
		"attribute \"\"":         func() error { return w.Attribute(nil, "", 1) },
		"while \"b\" is still":   func() error { _, err := growing().Dataset("c", Int8, 1); return err },
		"\"b\" is still growing": func() error { _, err := growing().Finish(); return err },
		"already finished":       func() error { w := NewWriter(&memory{}); _, _ = w.Finish(); _, err := w.Finish(); return err },
		"after the file was fin": func() error {
			w := NewWriter(&memory{})
			_, _ = w.Finish()
			_, err := w.Dataset("c", Int8, 1)
			return err
		},
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", want, err)
		}
	}
	if err := w.Attribute(d, "twice", 1); err != nil {
		t.Fatal(err)
	}
	if err := w.Attribute(d, "twice", 1); err == nil {
		t.Error("an attribute was given twice")
	}
}

// TestDamage changes every byte of the metadata in turn: either it is noticed, or what is read is
// the same, or only a string differs, which no checksum covers.
func TestDamage(t *testing.T) {
	m := &memory{}
	w := NewWriter(m)
	if _, err := w.Dataset("mel", Float16, 2, 3); err != nil {
		t.Fatal(err)
	}
	if err := w.Attribute(nil, "n_fft", 400); err != nil {
		t.Fatal(err)
	}
	data := finish(t, w, m)
	for i := range data {
		if i >= superblockSize && i < page+12 { // not metadata
			continue
		}
		data[i] ^= 0x10
		_, err := Read(bytes.NewReader(data), int64(len(data)))
		data[i] ^= 0x10
		if err == nil && data[i] != 0 { // padding between headers may be anything
			t.Errorf("byte %d changed and nobody noticed", i)
		}
	}
}

// TestChecksum has the values of lookup3's own test program.
func TestChecksum(t *testing.T) {
	for text, want := range map[string]uint32{
		"":                               0xdeadbeef,
		"Four score and seven years ago": 0x17770551,
	} {
		if got := checksum([]byte(text)); got != want {
			t.Errorf("%q: %#x, want %#x", text, got, want)
		}
	}
}

func TestWritesToARealFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.h5")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := NewWriter(file)
	d, err := w.Dataset("x", Uint32, 3)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.WriteAt(binary.LittleEndian.AppendUint32(nil, 7), 8); err != nil {
		t.Fatal(err)
	}
	size, err := w.Finish()
	if err != nil {
		t.Fatal(err)
	}
	if err := file.Truncate(size); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(file, size); err != nil {
		t.Fatal(err)
	}
}
