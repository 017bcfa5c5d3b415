package bench

import (
	"context"
	"errors"
	"maps"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/device"
)

func TestBuiltIn(t *testing.T) {
	plan := somePlan()
	plan.Seq, plan.Batch, plan.DModel, plan.Heads = []int{16, 80}, []int{2}, []int{24}, []int{3}
	plan.Cold, plan.Time, plan.Iterations = true, time.Millisecond, 3
	plan.DTypes = []string{"fp32", "bf16"}
	told := 0
	m, err := Run(context.Background(), device.Host{}, plan, []Executor{BuiltIn{System: device.Host{}, Threads: 2, Small: true}}, func(e Event) {
		if told++; e.Done >= e.Of || e.Framework != "go" {
			t.Errorf("%+v", e)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if told == 0 || len(m.Cases) != 2 || len(m.Ceilings) != 2 || len(m.Machines) != 1 || m.Started.IsZero() {
		t.Fatalf("%+v", m)
	}
	if len(m.Notes) != 1 || !strings.Contains(m.Notes[0], "fp32 only") {
		t.Errorf("bf16 is not said to be left out: %q", m.Notes)
	}
	r := Judge(m)
	for _, c := range r.Results {
		if len(c.Components) != len(Components) || len(c.Levels) != 4 || c.Recommendation == "" {
			t.Fatalf("%+v", c)
		}
		for _, p := range c.Components {
			if p.N != 3 || !(p.TimeMS > 0) || p.Bound == "" || p.RoofRatio <= 0 || p.WarmMS == nil {
				t.Errorf("%+v", p)
			}
		}
		for _, l := range c.Levels {
			if l.Level == 1 {
				if l.N != 0 || !strings.Contains(l.Skipped, "ahead of time") {
					t.Errorf("%+v", l)
				}
				continue
			}
			if l.N == 0 || l.MaxError == nil || !(*l.MaxError < 1e-5) || l.Backend == "" {
				t.Errorf("%+v", l)
			}
			if runtime.GOOS == "linux" && (l.Memory == nil || l.Memory.Peak < int64(4*4*c.Batch*c.Seq*c.DModel)) {
				t.Errorf("memory of level %d: %+v", l.Level, l.Memory)
			}
		}
	}
}

// little is a machine with 61 MB.
type little struct{ device.Host }

func (little) ReadFile(name string) ([]byte, error) {
	if name == "/proc/meminfo" {
		return []byte("MemTotal: 60000 kB\nMemAvailable: 60000 kB\n"), nil
	}
	return nil, errors.New("not told")
}

func TestSizesThatDoNotFit(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the made-up machine is a Linux one")
	}
	plan := somePlan()
	plan.Iterations, plan.Time = 1, 0
	plan.Seq, plan.Heads, plan.DModel, plan.Levels = []int{4096}, []int{1}, []int{8}, []int{0, 3}
	m, err := Run(context.Background(), little{}, plan, []Executor{BuiltIn{System: little{}, Threads: 1, Small: true}}, func(Event) {})
	if err != nil {
		t.Fatal(err)
	}
	c := Judge(m).Results[0]
	if !strings.Contains(strings.Join(c.Failed, ""), "the scores of go fp32, batch 1, sequence 4096, width 8, 1 head need 64.8 MiB of memory, but 58.6 MiB is free") {
		t.Errorf("%q", c.Failed)
	}
	if c.Components[0].N == 0 || c.Components[1].N != 0 || c.Components[1].Skipped == "" || c.Levels[0].N != 0 || c.Levels[1].N == 0 {
		t.Errorf("what fits is measured, and what does not is not: %+v %+v", c.Components, c.Levels)
	}

	if !strings.Contains(c.Finding, "of what could be measured apart") || !strings.Contains(c.Recommendation, "use tiled attention (level 3), which takes") {
		t.Errorf("%q, %q", c.Finding, c.Recommendation)
	}

	plan.Seq = []int{1 << 24}
	if _, err := Run(context.Background(), little{}, plan, []Executor{BuiltIn{System: little{}, Threads: 1, Small: true}}, func(Event) {}); !errors.Is(err, errNothing) || !strings.Contains(err.Error(), "needs 3.00 GiB of memory, but 58.6 MiB is free") {
		t.Error(err)
	}
}

func TestFrameworksThatAreMissing(t *testing.T) {
	gone := fake{framework: "jax", err: &MissingError{Skip{"jax", "it is not installed"}}}
	there := fake{framework: "torch", measured: h200(attention(large, h200().roofOf("torch", "bf16"), 1.2))}
	m, err := Run(context.Background(), device.Host{}, somePlan(), []Executor{there, gone}, func(Event) {})
	if err != nil || len(m.Skipped) != 1 || len(m.Cases) != 1 {
		t.Errorf("%v, %+v", err, m)
	}
	var missing *MissingError
	if _, err := Run(context.Background(), device.Host{}, somePlan(), []Executor{gone}, func(Event) {}); !errors.As(err, &missing) || err.Error() != "jax: it is not installed" {
		t.Error(err)
	}
	partly := fake{framework: "torch", measured: there.measured, err: errors.New("killed")}
	m, err = Run(context.Background(), device.Host{}, somePlan(), []Executor{partly}, func(Event) {})
	if err != nil || !m.Incomplete || len(m.Cases) != 1 || !strings.Contains(strings.Join(m.Notes, ""), "torch stopped: killed") {
		t.Errorf("what was measured before it died is lost: %v, %+v", err, m)
	}
	died := fake{framework: "jax", err: errors.New("killed")}
	if _, err := Run(context.Background(), device.Host{}, somePlan(), []Executor{died}, func(Event) {}); err == nil || err.Error() != "killed" {
		t.Error(err)
	}
	m, err = Run(context.Background(), device.Host{}, somePlan(), []Executor{there, died}, func(Event) {})
	if err != nil || !strings.Contains(strings.Join(m.Notes, ""), "jax stopped: killed") {
		t.Errorf("%v, %q", err, m.Notes)
	}
}

func TestLastLevelCache(t *testing.T) {
	sys := onlyFiles{text: map[string]string{"/sys/devices/system/cpu/cpu0/cache/index0/size": "48K\n", "/sys/devices/system/cpu/cpu0/cache/index3/size": "32M\n", "/sys/devices/system/cpu/cpu0/cache/index9/size": "odd"}}
	if got := lastLevelCache(sys); got != 32<<20 {
		t.Errorf("%d", got)
	}
}

// onlyFiles is a machine that consists of them.
type onlyFiles struct {
	device.Host
	text map[string]string
}

func (f onlyFiles) Glob(string) []string { return slices.Collect(maps.Keys(f.text)) }

func (f onlyFiles) ReadFile(name string) ([]byte, error) { return []byte(f.text[name]), nil }
