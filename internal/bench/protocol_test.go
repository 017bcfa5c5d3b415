package bench

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// Every line that py/PROTOCOL.md shows has to be understood.
func TestProtocolAsDocumented(t *testing.T) {
	text, err := os.ReadFile("py/PROTOCOL.md")
	if err != nil {
		t.Fatal(err)
	}
	told := 0
	r := &pythonReader{tell: func(Event) { told++ }}
	kinds := map[string]int{}
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, `{"kind":`) {
			continue
		}
		if err := r.read([]byte(line)); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		kinds[strings.Split(line, `"`)[3]]++
	}
	for _, kind := range []string{"device", "ceiling", "component", "level", "layer", "loader", "problem", "progress", "end"} {
		if kinds[kind] == 0 {
			t.Errorf("no line of kind %s is shown any more", kind)
		}
	}
	if told == 0 || !r.ended || r.fatal == nil || r.fatal.What != "plan" {
		t.Errorf("told %d, ended %t, fatal %+v", told, r.ended, r.fatal)
	}
	m := r.out
	gpu := m.Machines[0]
	if gpu.Name != "NVIDIA H200" || gpu.Units != 132 || gpu.Peak == nil || gpu.Before == nil || len(gpu.Before.Others) != 1 {
		t.Errorf("%+v", gpu)
	}
	var levels []MeasuredLevel
	for _, c := range m.Cases {
		levels = append(levels, c.Levels...)
	}
	if len(levels) != 2 || levels[0].Backend != "flash" || levels[0].Memory.Peak != 33554432 || levels[0].MaxError == nil || levels[1].Skipped == "" || levels[1].Memory != nil {
		t.Errorf("%+v", levels)
	}
	if len(m.Layers) != 1 || m.Layers[0].DType != "bf16" || !m.Layers[0].Checkpoint || m.Layers[0].Memory.Held != 1 {
		t.Errorf("%+v", m.Layers)
	}
	if len(m.Rates) != 1 || m.Rates[0].Workers != 4 || m.Rates[0].First[0] != 0.091 || m.Rates[0].Items[0] != 320 {
		t.Errorf("%+v", m.Rates)
	}
	failed := false
	for _, c := range m.Cases {
		failed = failed || strings.Contains(strings.Join(c.Failed, ""), "needs about 2.2 TB of memory, but 139 GB is free")
	}
	if !failed {
		t.Error("a size that does not fit is not said")
	}
}

func TestTimesOfTheRunner(t *testing.T) {
	r := &pythonReader{tf32: true, tell: func(Event) {}}
	err := r.readAll(strings.NewReader(`
{"kind": "device", "when": "before", "framework": "torch", "framework_version": "2.11", "name": "CPU", "type": "cpu", "sm_count": null, "threads": 2, "gpu": null, "others": []}
{"kind": "ceiling", "framework": "torch", "what": "gemm", "dtype": "fp32", "m": 10, "n": 20, "k": 30, "timing": {"device_ms": null, "wall_ms": [2, 1]}}
{"kind": "from a later version", "what": {"of": ["another", "shape"]}}

{"kind": "component", "framework": "torch", "dtype": "fp32", "batch": 1, "seq": 2, "d_model": 4, "heads": 2, "name": "softmax", "cold": null, "warm": {"warmup": 3, "steady": false, "cut": true, "device_ms": null, "wall_ms": [5, 6], "cpu_ms": [7, 8]}}
`))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.read([]byte("Traceback (most recent call last):")); err == nil || !strings.Contains(err.Error(), "cannot parse line 5 of its output") {
		t.Errorf("something that is no JSON: %v", err)
	}
	c := r.out.Ceilings[0]
	if c.Amount != 12000 || c.DType != "tf32" || c.Seconds[1] != 0.001 || c.Size != "10×20×30" {
		t.Errorf("%+v", c)
	}
	p := r.out.Cases[0]
	if p.DType != "tf32" || p.Components[0].Cold != nil || p.Components[0].counted().Wall[1] != 0.006 || !p.Components[0].Warm.Unsteady || !p.Components[0].Warm.Cut {
		t.Errorf("%+v", p)
	}
}

// FuzzRunner: whatever the process prints, there is a result or an error.
func FuzzRunner(f *testing.F) {
	text, err := os.ReadFile("py/PROTOCOL.md")
	if err != nil {
		f.Fatal(err)
	}
	var lines []string
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, `{"kind":`) {
			lines = append(lines, line)
		}
	}
	f.Add(strings.Join(lines, ""))
	f.Add(`{"kind":"device","others":[{}],"gpu":null}` + "\n" + `{"kind":"device","when":"after","others":[{}]}`)
	f.Add(`{"kind":"component","heads":-1,"cold":{"wall_ms":[-1,0]}}` + "\n" + `{"kind":"level","level":99,"memory":7}`)
	f.Fuzz(func(t *testing.T, text string) {
		r := &pythonReader{tell: func(Event) {}}
		_ = r.readAll(strings.NewReader(text))
		if _, err := json.Marshal(Judge(r.out)); err != nil {
			t.Error(err)
		}
		r.out.Series()
	})
}
