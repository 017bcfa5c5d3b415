package analyze

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// htaValues is testdata/hta_values.json, which peers/ranks/hta_values.py wrote: HTA's own figures.
type htaValues struct {
	Series map[string]struct {
		Queue, Bandwidth []map[string]any
	}
	Sequences map[string][]struct {
		Pattern string
		Count   int
		GPU     float64 `json:"GPU kernel duration (us)"`
		Host    float64 `json:"CPU op duration (us)"`
	}
	Diff struct {
		Steps                                           []int64
		Added, Deleted, Increased, Decreased, Unchanged []string
	}
}

func readHTAValues(t *testing.T) (v htaValues) {
	text, err := os.ReadFile(filepath.Join("testdata", "hta_values.json"))
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestHTASeries(t *testing.T) {
	for name, want := range readHTAValues(t).Series {
		a := analysed(t, name, htaOptions)
		check := func(what, prefix string, got Described, row map[string]any) {
			t.Helper()
			for key, value := range map[string]float64{
				"count": float64(got.Count), "mean": got.Mean, "std": got.Deviation, "min": got.Min, "25%": got.Quartile1, "50%": got.Median, "75%": got.Quartile3, "max": got.Max,
			} {
				hta, _ := row[prefix+"|"+key].(float64) // null, where there is one value
				// HTA orders a launch and a start of the same time by chance.
				if d := math.Abs(value - hta); d > 1e-6*math.Abs(hta)+1e-9 {
					t.Errorf("%s, %s: %s is %g, HTA has %g", name, what, key, value, hta)
				}
			}
		}
		if len(a.Launch.Queue.ByStream) != len(want.Queue) || len(a.HTABandwidth) != len(want.Bandwidth) {
			t.Errorf("%s: %d queues and %d kinds of copies, HTA has %d and %d", name, len(a.Launch.Queue.ByStream), len(a.HTABandwidth), len(want.Queue), len(want.Bandwidth))
			continue
		}
		for i, q := range a.Launch.Queue.ByStream {
			check("queue", "queue_length", q.OverChanges, want.Queue[i])
		}
		for i, b := range a.HTABandwidth {
			if b.Kind != want.Bandwidth[i]["name"] {
				t.Errorf("%s: %s, HTA has %s", name, b.Kind, want.Bandwidth[i]["name"])
			}
			check(b.Kind, "memory_bw_gbps", b.GBPerS, want.Bandwidth[i])
		}
	}
}

func TestHTASequences(t *testing.T) {
	a := analysed(t, "fixed", htaOptions)
	for op, rows := range readHTAValues(t).Sequences {
		for _, row := range rows {
			i := slices.IndexFunc(a.Sequences, func(s Sequence) bool { return op+"|"+strings.Join(s.Work, "|") == row.Pattern })
			if i < 0 {
				t.Errorf("%s has a sequence of %d calls that is not found", op, row.Count)
				continue
			}
			s := a.Sequences[i]
			near(t, op+" on the GPU", s.DeviceNS, row.GPU, 2)
			near(t, op+" on the host", s.HostNS, row.Host, 2)
			if s.Count != row.Count {
				t.Errorf("%s: %d calls, HTA has %d", op, s.Count, row.Count)
			}
		}
	}
}

func TestHTADiff(t *testing.T) {
	want := readHTAValues(t).Diff
	side := func(name string, step int64) Analysis {
		return analysed(t, name, Options{Step: step, Rank: -1, Top: -1})
	}
	d := Compare(side("starved", want.Steps[0]), side("fixed", want.Steps[1])).HostCalls
	for _, list := range []struct {
		what string
		got  []CountChange
		want []string
	}{{"added", d.Added, want.Added}, {"deleted", d.Deleted, want.Deleted}, {"increased", d.Increased, want.Increased}, {"decreased", d.Decreased, want.Decreased}} {
		var names []string
		for _, c := range list.got {
			names = append(names, c.Name)
		}
		slices.Sort(names)
		if !slices.Equal(names, list.want) {
			t.Errorf("%s: %d names, HTA has %d\n%q\n%q", list.what, len(names), len(list.want), names, list.want)
		}
	}
	if d.Unchanged != len(want.Unchanged) {
		t.Errorf("%d unchanged, HTA has %d", d.Unchanged, len(want.Unchanged))
	}
}
