package probe

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReadProfiling(t *testing.T) {
	whole := `
profiling:
  wait: 10
  warmup: 2
  active: 1
  repeat: 0
  record_shapes: false
  profile_memory: no
  with_stack: True
  unit: epoch
training:
  epochs: 13
`
	tests := []struct {
		name, text string
		change     func(*Profiling)
		fails      string
	}{
		{"only the section's name", "profiling: {}", func(*Profiling) {}, ""},
		{"all settings", strings.Replace(whole, ": no", ": false", 1), func(p *Profiling) {
			*p = Profiling{Schedule{Wait: 10, Warmup: 2, Active: 1, WithStack: true, Unit: "epoch"}, 13}
		}, ""},
		{"beside training.epochs", "training: {epochs: 20}\nprofiling: {active: 2}", func(p *Profiling) { p.Active, p.Unit, p.Length = 2, "epoch", 20 }, ""},
		{"unit wins", "training: {epochs: 20, steps: 500}\nprofiling: {unit: step}", func(p *Profiling) { p.Length = 500 }, ""},
		{"not YAML", "profiling: [", nil, "not valid YAML"},
		{"misspelt", "profiling: {warm_up: 1}", nil, `no setting "warm_up"; did you mean "warmup"?`},
		{"not a number", "profiling:\n  active: some", nil, `line 2: profiling.active: "some"`},
		{"not a truth", "profiling: {with_stack: maybe}", nil, "neither true nor false"},
		{"a list", "profiling: {wait: [1]}", nil, "not a single value"},
		{"no section", "profiling: 3", nil, "line 1: profiling is not a section"},
		{"another kind of training", "training: fast\nprofiling: {wait: 1}", func(p *Profiling) { p.Wait = 1 }, ""},
		{"settings by a reference", "base: &b {wait: 1}\nprofiling:\n  <<: *b\n  active: 2", func(p *Profiling) { p.Wait, p.Active = 1, 2 }, ""},
		{"a negative number", "profiling: {wait: -1}", nil, "-1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := ReadProfiling([]byte(tt.text))
			if tt.fails != "" {
				if err == nil || !strings.Contains(err.Error(), tt.fails) {
					t.Fatalf("error %v, want %q in it", err, tt.fails)
				}
				return
			}
			want := Profiling{Schedule: DefaultSchedule()}
			tt.change(&want)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("error %v; want, got:\n%s", err, diff)
			}
		})
	}
	if _, err := ReadProfiling([]byte("training: {epochs: 3}")); !errors.Is(err, ErrNoSection) {
		t.Errorf("error %v, want that there is no section", err)
	}
}

// TestUnits: wait counts once, and repeat counts further cycles.
func TestUnits(t *testing.T) {
	for want, s := range map[int]Schedule{
		11: {Wait: 3, Warmup: 1, Active: 3, Repeat: 1},
		15: {Wait: 3, Warmup: 1, Active: 3, Repeat: 2},
		16: {Wait: 10, Warmup: 1, Active: 1, Repeat: 2},
	} {
		if got := s.Units(); got != want {
			t.Errorf("%+v needs %d units, want %d", s, got, want)
		}
	}
}

func FuzzReadProfiling(f *testing.F) {
	f.Add([]byte("profiling:\n  wait: 3\n  unit: epoch\ntraining: {epochs: 3}\n"))
	f.Add([]byte("profiling: {active: 1, with_stack: true}\n"))
	f.Add([]byte("&a [*a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ReadProfiling(text)
		if err == nil && (p.Wait < 0 || p.Unit != "step" && p.Unit != "epoch") {
			t.Errorf("read %+v", p)
		}
	})
}
