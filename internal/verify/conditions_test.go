package verify

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"saturate/internal/device"
	"saturate/internal/run"
)

// recorded is a machine with one GPU whose answers are given, one after the other; the last one stays.
type recorded struct {
	device.Host
	gpu   []string // lines of nvidia-smi --query-gpu
	apps  []string
	files map[string]string
	asked *int
}

func (r recorded) Getenv(string) (string, bool) { return "", false }

func (r recorded) ReadFile(name string) ([]byte, error) {
	if text, ok := r.files[name]; ok {
		return []byte(text), nil
	}
	return nil, os.ErrNotExist
}

func (r recorded) Run(_ context.Context, name string, args ...string) ([]byte, error) {
	switch {
	case len(r.gpu) == 0:
		return nil, &exec.Error{Name: name, Err: exec.ErrNotFound}
	case strings.Contains(args[0], "compute-apps"):
		return []byte(strings.Join(r.apps, "\n")), nil
	case strings.Contains(args[0], "throttle") && strings.Contains(r.gpu[0], "renamed"):
		return nil, errors.New(`Field "clocks_throttle_reasons.active" is not a valid field to query`)
	}
	line := r.gpu[min(*r.asked, len(r.gpu)-1)]
	*r.asked++
	return []byte(strings.TrimPrefix(line, "renamed ")), nil
}

func TestConditions(t *testing.T) {
	const idle, working = "0, GPU-1, 345, 31, 70.1, 0, 0x0000000000000001", "0, GPU-1, 1980, 62, 640.5, 98, 0x0000000000000004"
	mine := fmt.Sprintf("GPU-1, %d, python", os.Getpid())
	for _, test := range []struct {
		name    string
		gpu     []string
		before  []string // compute apps
		during  []string
		problem string
		clock   float64
		later   string
	}{
		{"no GPU", nil, nil, nil, "", 0, ""},
		{"in order", []string{idle, working}, nil, []string{mine}, "", 1980, ""},
		{"throttled", []string{idle, "0, GPU-1, 1100, 91, 500, 98, 0x0000000000000040"}, nil, nil, "GPU 0 lowered its clock (hardware thermal slowdown, 91 °C)", 1100, ""},
		{"renamed field", []string{"renamed " + idle, "renamed 0, GPU-1, 1100, 91, 500, 98, 0x20"}, nil, nil, "software thermal slowdown", 1100, ""},
		{"busy before", []string{working}, nil, nil, "GPU 0 was 98% busy before the run began: another program uses it", 1980, ""},
		{"a neighbour comes", []string{idle, working}, nil, []string{mine, "GPU-1, 999999, blender"}, "another program started using GPU 0: blender (process 999999)", 1980, ""},
		{"a neighbour that was there and is idle", []string{idle, working}, []string{"GPU-1, 999999, jupyter"}, []string{mine, "GPU-1, 999999, jupyter"}, "", 1980, ""},
		{"process numbers of another namespace", []string{idle, working}, nil, []string{"GPU-1, 999999, python"}, "", 1980, ""},
		{"nothing told", []string{idle, "0, GPU-1, [N/A], [N/A], [N/A], [N/A], [N/A]"}, nil, nil, "", 0, ""},
		{"in order, then idle", []string{idle, working}, []string{"GPU-1, 999999, [Not Found]"}, []string{mine}, "", 1980, idle},
		{"garbage", []string{"No devices were found"}, nil, nil, "", 0, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			asked := 0
			sys := recorded{gpu: test.gpu, apps: test.before, asked: &asked}
			gpus := gpusBefore(context.Background(), sys)
			sys.apps = test.during
			observe(context.Background(), sys, gpus)
			if test.later != "" { // the program has ended
				sys.gpu, *sys.asked = []string{test.later}, 0
				observe(context.Background(), sys, gpus)
			}
			var c Conditions
			for i := range gpus {
				gpus[i].conclude(&c)
			}
			if got := strings.Join(c.Problems, "; "); test.problem == "" && got != "" || !strings.Contains(got, test.problem) {
				t.Errorf("problems: %s", got)
			}
			if len(c.GPUs) > 0 && c.GPUs[0].ClockMHz != test.clock {
				t.Errorf("clock %g, want %g", c.GPUs[0].ClockMHz, test.clock)
			}
		})
	}
}

func TestVisibleGPUs(t *testing.T) {
	for _, test := range []struct {
		visible, index, uuid string
		want                 bool
	}{
		{"0", "0", "GPU-aa", true},
		{"1,2", "0", "GPU-aa", false},
		{"1, 2", "2", "GPU-aa", true},
		{"GPU-a", "3", "GPU-aa", true},
		{"", "0", "GPU-aa", false},
	} {
		if got := sees(test.visible, test.index, test.uuid); got != test.want {
			t.Errorf("%+v: %t", test, got)
		}
	}
}

func TestOtherPrograms(t *testing.T) {
	stat := func(busy int) string {
		return fmt.Sprintf("cpu  %d 0 0 9 0 0 0 0\ncpu0 1 0 0 0 0 0 0 0\ncpu1 1 0 0 0 0 0 0 0\nintr 5\n", busy)
	}
	self := func(own int) string { return fmt.Sprintf("7 (a b) S 1 7 7 0 -1 0 0 0 0 0 %d 0 0 0 20 0", own) }
	before := device.ReadBusy(recorded{files: map[string]string{"/proc/stat": stat(1000), "/proc/self/stat": self(100)}})
	after := device.ReadBusy(recorded{files: map[string]string{"/proc/stat": stat(1000 + 1900), "/proc/self/stat": self(100 + 700)}})
	after.At = before.At.Add(10e9)
	if others, contended := after.Since(before); others < 1.19 || others > 1.21 || !contended {
		t.Errorf("others used %g cores, contended %t; want 1.2", others, contended)
	}
	if others, contended := (device.Busy{}).Since(device.Busy{}); others != 0 || contended {
		t.Error("a machine without /proc is contended")
	}
}

// TestHostTakesTime: what the host of a virtual machine gives to others is told for each run, and once for all.
func TestHostTakesTime(t *testing.T) {
	sys := recorded{files: map[string]string{"/proc/stat": "cpu  0 0 0 9 0 0 0 0\ncpu0 1 0 0 0 0 0 0 0\n"}}
	stop := watchMachine(context.Background(), sys)
	sys.files["/proc/stat"] = "cpu  300 0 0 9 0 0 0 100\ncpu0 1 0 0 0 0 0 0 0\n"
	robbed := Outcome{Conditions: stop(run.Run{Leftover: 3})}
	if robbed.Conditions.Stolen != 0.25 {
		t.Errorf("the host took %g of 4 s", robbed.Conditions.Stolen)
	}
	said := weather([]Block{{Outcomes: [2]Outcome{robbed, {}}}, {Outcomes: [2]Outcome{}}})
	if want := []string{"the host took 25% of this virtual machine's CPU time (steal) in the worst run, and some in 1 of 4 runs, which widens the interval"}; !slices.Equal(said, want) {
		t.Errorf("said %q", said)
	}
	if said := weather([]Block{{Outcomes: [2]Outcome{}}}); len(said) > 0 {
		t.Errorf("said %q of a machine that nobody disturbed", said)
	}
}

// TestLeftoversAreNoOthers: workers that outlived the program computed for it.
func TestLeftoversAreNoOthers(t *testing.T) {
	for leftover, want := range map[float64]bool{19: false, 9: true, 0: true} {
		sys := recorded{files: map[string]string{"/proc/stat": "cpu  0 0 0 9 0 0 0 0\ncpu0 1 0 0 0 0 0 0 0\n", "/proc/self/stat": "7 (a) S 1 7 7 0 -1 0 0 0 0 0 0 0 0 0 20 0"}}
		stop := watchMachine(context.Background(), sys)
		sys.files["/proc/stat"] = "cpu  1900 0 0 9 0 0 0 0\ncpu0 1 0 0 0 0 0 0 0\n"
		if c := stop(run.Run{Leftover: leftover}); c.OtherCores > 0 != want || c.Contended != want {
			t.Errorf("of 19 s, workers computed %g: others used %g cores, contended %v", leftover, c.OtherCores, c.Contended)
		}
	}
}

// A disturbed block is run again; where it never gets quiet, the result is INVALID and says why.
func TestDisturbedBlocks(t *testing.T) {
	for _, test := range []struct {
		name    string
		runs    int // how many are disturbed
		verdict Verdict
		blocks  int // that do not count
	}{
		{"quiet", 0, TheSame, 0},
		{"both runs of a block", 2, TheSame, 1},
		{"two attempts", 3, TheSame, 2},
		{"always", 1000, Invalid, mostAttempts},
	} {
		t.Run(test.name, func(t *testing.T) {
			left := test.runs
			r, err := Run(context.Background(), testPlan(), Options{
				Execute: func(context.Context, Trial) (run.Run, error) { return steady(30, 0.1), nil },
				watch: func(context.Context, device.System) func(run.Run) Conditions {
					var c Conditions
					if left--; left >= 0 {
						c.Problems = []string{"GPU 0 lowered its clock"}
					}
					return func(run.Run) Conditions { return c }
				},
			})
			if err != nil {
				t.Fatal(err)
			}
			disturbed := 0
			for _, b := range r.Blocks {
				if b.Problem != "" {
					disturbed++
				}
			}
			if r.Verdict != test.verdict || disturbed != test.blocks {
				t.Errorf("%s with %d disturbed blocks: %s", r.Verdict, disturbed, r.Reason)
			}
			if test.verdict == Invalid && (r.Cause != ByConditions || r.Gate(0.05) != GateUndecided) {
				t.Errorf("%s, gate %v", r.Cause, r.Gate(0.05))
			}
			if disturbed > 0 && !slices.ContainsFunc(r.Warnings, func(w string) bool { return strings.Contains(w, "GPU 0 lowered") }) {
				t.Errorf("%v", r.Warnings)
			}
		})
	}
}
