package analyze

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/trace"
	"saturate/internal/trace/open"
)

// The order of events in the file, and the time at which the trace was recorded, change
// nothing but the times themselves.
func TestShuffledAndShiftedTraces(t *testing.T) {
	head, events := rawTrace(t, "compiled.pt.trace.json.gz")
	want := relative(t, analyse(t, head, events))

	random := rand.New(rand.NewPCG(3, 4))
	shuffled := append([]json.RawMessage{}, events...)
	random.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	if d := cmp.Diff(want, relative(t, analyse(t, head, shuffled))); d != "" {
		t.Errorf("shuffled (-want +got):\n%s", d)
	}

	shifted := make([]json.RawMessage, len(events))
	for i, e := range events {
		shifted[i] = shift(e, 5_000_000)
	}
	if d := cmp.Diff(want, relative(t, analyse(t, head, shifted))); d != "" {
		t.Errorf("shifted by 5 s (-want +got):\n%s", d)
	}
}

func rawTrace(t *testing.T, name string) (head map[string]json.RawMessage, events []json.RawMessage) {
	t.Helper()
	f, err := os.Open(filepath.Join(traceDir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(&head); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(head["traceEvents"], &events); err != nil {
		t.Fatal(err)
	}
	delete(head, "traceEvents")
	return head, events
}

func analyse(t *testing.T, head map[string]json.RawMessage, events []json.RawMessage) Analysis {
	t.Helper()
	var file bytes.Buffer
	file.WriteByte('{')
	for key, value := range head {
		file.WriteString(strconv.Quote(key) + ":")
		file.Write(value)
		file.WriteByte(',')
	}
	file.WriteString(`"traceEvents":[`)
	for i, e := range events {
		if i > 0 {
			file.WriteByte(',')
		}
		file.Write(e)
	}
	file.WriteString("]}")
	path := filepath.Join(t.TempDir(), "trace.json")
	if err := os.WriteFile(path, file.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	traces, err := open.Read(context.Background(), []string{path}, open.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := Everything(context.Background(), []*trace.Trace{traces[0].WithOrigin("", -1)}, All)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

var timestamp = regexp.MustCompile(`"ts":\s*(\d+)`)

// shift moves an event by some microseconds, without touching the digits behind the point.
func shift(event json.RawMessage, by int64) json.RawMessage {
	return timestamp.ReplaceAllFunc(event, func(m []byte) []byte {
		digits := timestamp.FindSubmatch(m)[1]
		n, _ := strconv.ParseInt(string(digits), 10, 64)
		return append(append([]byte{}, m[:len(m)-len(digits)]...), strconv.FormatInt(n+by, 10)...)
	})
}

// relative is an analysis as JSON, with times counted from the start of its window.
func relative(t *testing.T, a Analysis) any {
	t.Helper()
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		t.Fatal(err)
	}
	var walk func(v any)
	walk = func(v any) {
		switch v := v.(type) {
		case map[string]any:
			for key, x := range v {
				if n, ok := x.(json.Number); ok && (key == "start_ns" || key == "end_ns" || key == "at_ns" || key == "peak_at_ns") {
					if ns, _ := n.Int64(); ns != 0 { // 0 is no time at all
						v[key] = ns - a.Window.StartNS
					}
				}
				walk(x)
			}
		case []any:
			for _, x := range v {
				walk(x)
			}
		}
	}
	walk(tree)
	return tree
}
