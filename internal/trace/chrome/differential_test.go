package chrome

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"

	"saturate/internal/trace"
)

const traces = "../../../testdata/traces/"

func load(t testing.TB, name string) []byte {
	t.Helper()
	f, err := os.Open(traces + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func readText(t testing.TB, text string) *trace.Trace {
	t.Helper()
	tr, err := read(context.Background(), strings.NewReader(text), trace.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// TestAgainstEncodingJSON reads real traces with the standard library, event by event and
// without any of this package's shortcuts, and expects the same.
func TestAgainstEncodingJSON(t *testing.T) {
	for _, name := range []string{"compiled.pt.trace.json.gz", "jax/vm.trace.json.gz"} {
		t.Run(name, func(t *testing.T) {
			data := load(t, name)
			want := plainly(t, data)
			tr := readText(t, string(data))
			got := make([]string, 0, tr.Len())
			for i := range tr.Len() {
				got = append(got, describe(tr, trace.EventID(i)))
			}
			slices.Sort(got)
			slices.Sort(want)
			if len(got) != len(want) {
				t.Fatalf("%d events, want %d", len(got), len(want))
			}
			bad := 0
			for i := range got {
				if got[i] != want[i] && bad < 5 {
					bad++
					t.Errorf("got  %s\nwant %s", got[i], want[i])
				}
			}
		})
	}
}

// described are the attributes compared, by the names they have in the files.
var described = []struct {
	attr trace.Attr
	keys []string
}{
	{trace.Correlation, []string{"correlation", "correlation_id"}},
	{trace.External, []string{"External id"}},
	{trace.Sequence, []string{"Sequence number"}},
	{trace.ForwardThread, []string{"Fwd thread id"}},
	{trace.StepNumber, []string{"step_num"}},
	{trace.KernelFile, []string{"kernel_file"}},
	{trace.HLOOp, []string{"hlo_op"}},
}

func describe(t *trace.Trace, id trace.EventID) string {
	var s strings.Builder
	fmt.Fprintf(&s, "%d +%d %s", t.Start(id), t.Duration(id), t.Name(id))
	for _, d := range described {
		if d.attr.IsText() {
			fmt.Fprintf(&s, " %q", t.Text(id, d.attr))
		} else if v, ok := t.Int(id, d.attr); ok {
			fmt.Fprintf(&s, " %d", v)
		} else {
			s.WriteString(" -")
		}
	}
	if in := t.Inputs(id); in != nil {
		fmt.Fprintf(&s, " %d %q %q %d", in.Dims, in.Types, in.Values, in.Strides)
	}
	if c := t.Config(id); c != nil && t.Meta().Base != 0 {
		fmt.Fprintf(&s, " %d %d %d %d %g", c.Grid, c.Block, c.Registers, c.SharedMemory, c.BlocksPerSM)
	}
	return s.String()
}

// plainly lists all events of a file in the words of describe.
func plainly(t *testing.T, data []byte) []string {
	var file struct {
		TraceEvents []struct {
			Ph, Name string
			Ts, Dur  json.Number
			Args     map[string]any
		} `json:"traceEvents"`
	}
	d := json.NewDecoder(strings.NewReader(string(data)))
	d.UseNumber()
	if err := d.Decode(&file); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range file.TraceEvents {
		if e.Ph != "X" && e.Ph != "i" {
			continue
		}
		var s strings.Builder
		fmt.Fprintf(&s, "%d +%d %s", exactNanos(string(e.Ts)), exactNanos(string(e.Dur)), e.Name)
		for _, d := range described {
			value := "-"
			if d.attr.IsText() {
				value = `""`
			}
			for _, key := range d.keys {
				if v, ok := e.Args[key]; ok && d.attr.IsText() {
					value = fmt.Sprintf("%q", v)
				} else if ok {
					value = fmt.Sprint(v)
				}
			}
			s.WriteString(" " + value)
		}
		if dims, ok := e.Args["Input Dims"]; ok {
			fmt.Fprintf(&s, " %s %s %s %s", flatLists(dims), flatTexts(e.Args["Input type"]), flatTexts(e.Args["Concrete Inputs"]), flatLists(e.Args["Input Strides"]))
		}
		if grid, ok := e.Args["grid"]; ok {
			perSM, _ := e.Args["blocks per SM"].(json.Number).Float64()
			fmt.Fprintf(&s, " %s %s %s %s %g", grid, e.Args["block"], e.Args["registers per thread"], e.Args["shared memory"], float32(perSM))
		}
		list = append(list, s.String())
	}
	return list
}

// flatLists writes lists of numbers as describe does: a list of tensors is left empty.
func flatLists(v any) string {
	parts := []string{}
	for _, list := range v.([]any) {
		numbers := []string{}
		for _, n := range list.([]any) {
			if n, ok := n.(json.Number); ok {
				numbers = append(numbers, string(n))
			}
		}
		parts = append(parts, "["+strings.Join(numbers, " ")+"]")
	}
	return "[" + strings.Join(parts, " ") + "]"
}

func flatTexts(v any) string {
	list := []string{}
	for _, s := range v.([]any) {
		list = append(list, s.(string))
	}
	return fmt.Sprintf("%q", list)
}

// exactNanos turns decimal microseconds into nanoseconds with rational numbers.
func exactNanos(s string) int64 {
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return 0
	}
	r.Mul(r, big.NewRat(1000, 1))
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		half.Neg(half)
	}
	r.Add(r, half)
	return new(big.Int).Quo(r.Num(), r.Denom()).Int64()
}
