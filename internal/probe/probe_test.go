package probe_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/probe"
	"saturate/internal/probe/probetest"
	"saturate/internal/run"
)

// python is the interpreter with torch and its friends.
func python(t *testing.T) string {
	t.Helper()
	p := os.Getenv("SATURATE_TEST_PYTHON")
	if p == "" {
		t.Skip("SATURATE_TEST_PYTHON is not set: no Python with torch to watch")
	}
	return p
}

// plainPython is any interpreter, for what needs no torch.
func plainPython(t *testing.T) string {
	t.Helper()
	if p := os.Getenv("SATURATE_TEST_PYTHON"); p != "" {
		return p
	}
	p, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not here")
	}
	return p
}

// forked runs programs that have torch imported already; the probe finds it there as it would after the import.
var forked probetest.Server

func TestMain(m *testing.M) {
	code := m.Run()
	forked.Close()
	os.Exit(code)
}

// programOf is the command that runs a program of testdata, with torch imported already.
func programOf(t *testing.T, program string, args ...string) []string {
	t.Helper()
	return append(append(forked.Command(t, python(t)), filepath.Join("testdata", "programs", program)), args...)
}

// watch runs a program of testdata, which has to end well.
func watch(t *testing.T, plan probe.Plan, program string, args ...string) probe.Outcome {
	t.Helper()
	plan.Command = programOf(t, program, args...)
	return watchCommand(t, plan)
}

func watchCommand(t *testing.T, plan probe.Plan) probe.Outcome {
	t.Helper()
	out, said := watchAny(t, plan)
	if out.Exit != 0 || len(out.Run.Notes) > 0 {
		t.Errorf("exit %d, notes %q; the program said:\n%s", out.Exit, out.Run.Notes, said)
	}
	return out
}

func watchAny(t *testing.T, plan probe.Plan) (out probe.Outcome, said string) {
	t.Helper()
	var b bytes.Buffer
	plan.Root, plan.Stdout, plan.Stderr = t.TempDir(), &b, &b
	plan.Env = append(plan.Env, "SATURATE_PROBE_DEBUG=1", "OMP_NUM_THREADS=1")
	out, err := probe.Watch(context.Background(), plan)
	if err != nil {
		t.Fatal(err)
	}
	return out, b.String()
}

func TestAccumulationAndSkippedSteps(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{Loss: true}, "accumulate.py", "steps=8")
	if len(out.Run.Steps) != 8 {
		t.Fatalf("%d steps, want 8: the smaller optimizer's are not to be counted", len(out.Run.Steps))
	}
	for _, s := range out.Run.Steps {
		if s.Samples != 12 || s.Micro != 4 {
			t.Errorf("step %d: %v samples in %d backward passes, want 12 in 4", s.Index, s.Samples, s.Micro)
		}
		if skipped := slices.Contains(s.Tags, "skipped"); skipped != (s.Index == 6) {
			t.Errorf("step %d: skipped is %v", s.Index, skipped)
		}
	}
	loader := probe.Loader{Dataset: "Samples", Samples: 96, Batches: 24, BatchSize: 4, Epochs: 1}
	if made := out.Facts.InProcess; !slices.Equal(out.Facts.Loaders, []probe.Loader{loader}) || made == nil || made.Samples != 96 {
		t.Errorf("loaders %+v made %+v, want %+v and 96 samples", out.Facts.Loaders, made, loader)
	}
	// The scale of the gradients, 1024 at first, must not show in the loss.
	if first := float64(*out.Run.Steps[0].Loss); first > 100 {
		t.Errorf("the first loss is %v: it was not unscaled", first)
	}
}

// TestStopsAfterSteps ends two ranks and torchrun above them, none of which would end by itself.
func TestStopsAfterSteps(t *testing.T) {
	t.Parallel()
	command := append(torchrun(python(t)), "testdata/programs/ranks.py", "steps=1000000", "between=.01")
	out, said := watchAny(t, probe.Plan{Command: command, Steps: 5, Timeout: 2 * time.Minute})
	if !out.Stopped || out.TimedOut || out.Exit != 0 || len(out.Run.Steps) != 5 || out.Run.State != run.Complete {
		t.Errorf("stopped %v, timed out %v, exit %d, %d steps, state %s; want 5 steps and a good end\n%s",
			out.Stopped, out.TimedOut, out.Exit, len(out.Run.Steps), out.Run.State, said)
	}
}

func TestCrashKeepsTheSteps(t *testing.T) {
	t.Parallel()
	command := programOf(t, "crash.py", "steps=20")
	out, said := watchAny(t, probe.Plan{Command: command})
	if out.Exit != 7 || len(out.Run.Steps) != 11 || out.Run.State != run.Failed {
		t.Errorf("exit %d, %d steps, state %s; want 7, 11, failed\n%s", out.Exit, len(out.Run.Steps), out.Run.State, said)
	}
}

// TestProcessesAndNoFarewell: a child trained first, and os._exit runs nothing that was registered for the end.
func TestProcessesAndNoFarewell(t *testing.T) {
	t.Parallel()
	out, said := watchAny(t, probe.Plan{Command: programOf(t, "processes.py", "steps=12")})
	if out.Exit != 9 || len(out.Run.Steps) != 12 || out.Run.StepCount != 12 || out.Facts.InProcess == nil || out.Facts.InProcess.Samples != 4*12 {
		t.Errorf("exit %d, %d steps (%d told), made %+v, want 9 and 12 steps of 4 samples; the program said:\n%s",
			out.Exit, len(out.Run.Steps), out.Run.StepCount, out.Facts.InProcess, said)
	}
	if !slices.ContainsFunc(out.Run.Notes, func(n string) bool { return strings.HasPrefix(n, "1 further process") }) {
		t.Errorf("notes are %q, want one about the child's steps", out.Run.Notes)
	}
}

func TestCompiledCodeDoesNotNotice(t *testing.T) {
	t.Parallel()
	command := programOf(t, "compiled.py", "steps=8")
	out, said := watchAny(t, probe.Plan{Command: command})
	if len(out.Run.Steps) != 8 || !out.Facts.Compiled || !slices.Contains(out.Run.Steps[0].Tags, "recompilation") || len(out.Run.Steps[7].Tags) > 0 {
		t.Errorf("steps %+v, compiled %v", out.Run.Steps, out.Facts.Compiled)
	}
	if !strings.Contains(said, "graphs 1 breaks 0") {
		t.Errorf("one graph and no break expected:\n%s", said)
	}
}

func TestSeed(t *testing.T) {
	t.Parallel()
	seed := int64(5)
	_, said := watchAny(t, probe.Plan{Command: []string{python(t), "testdata/programs/seeded.py", "5"}, Seed: &seed})
	if !strings.HasPrefix(said, "True ") {
		t.Errorf("seeded by the probe or by hand makes a difference: %s", said)
	}
}

func TestAttach(t *testing.T) {
	t.Parallel()
	tracked := filepath.Join(t.TempDir(), "tracked.json")
	out := watch(t, probe.Plan{Attach: true, Env: []string{"TRACKED=" + tracked}}, "tracked.py", "steps=8", "forward=.01")
	data, err := os.ReadFile(tracked)
	if err != nil {
		t.Fatal(err)
	}
	var summary map[string]float64
	if err := json.Unmarshal(data, &summary); err != nil {
		t.Fatal(err)
	}
	if summary["saturate/mean_s_per_it"] <= 0.01 || summary["saturate/forward_share"] <= 0.3 || !slices.Equal(out.Facts.Attached, []string{"W&B"}) {
		t.Errorf("the tracker got %v, attached %v", summary, out.Facts.Attached)
	}
}

// TestDeviceClock checks the arithmetic of the device's events, and that of the results of JAX's steps, on devices that
// are pretended.
func TestDeviceClock(t *testing.T) {
	for _, program := range []string{"fake_device.py", "fake_jax.py"} {
		cmd := exec.Command(plainPython(t), filepath.Join("testdata", "programs", program))
		cmd.Env = append(os.Environ(), "PYTHONPATH=py", "PYTHONDONTWRITEBYTECODE=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", program, err, out)
		}
	}
}

// TestEvaluationBetweenStepsOfJAX: the device is at work on something else, and no larger function that is called now
// and then takes the place of the step. The traces hold the work of their steps, though no call waits for its own.
func TestEvaluationBetweenStepsOfJAX(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{Trace: &probe.Schedule{Wait: 12, Active: 3, Unit: "step"}}, "jax_ahead.py", "steps=60")
	if len(out.Run.Steps) != 60 || len(out.Traces) != 1 {
		t.Fatalf("%d steps, traces %v; want 60 and one", len(out.Run.Steps), out.Traces)
	}
	var evaluations, warmups []int
	for _, s := range out.Run.Steps {
		if slices.Contains(s.Tags, "evaluation") {
			evaluations = append(evaluations, s.Index)
		}
		if slices.Contains(s.Tags, "warmup") {
			warmups = append(warmups, s.Index)
		}
		if s.Index > 1 && slices.Contains(s.Tags, "recompilation") {
			t.Errorf("step %d has tags %v, but each function is compiled once", s.Index, s.Tags)
		}
		if s.Index > 1 && (len(s.Host) == 0 || len(s.Parts) == 0) {
			t.Errorf("step %d is %+v, want the device's times and the host's", s.Index, s)
		}
	}
	if !slices.Equal(evaluations, []int{21, 41}) {
		t.Errorf("evaluations are seen in the steps %v, want those after them, 21 and 41", evaluations)
	}
	if !slices.Equal(warmups, []int{1, 21}) {
		t.Errorf("the steps %v are warm-up, want 1 and 21, in which the functions are compiled", warmups)
	}
	file, err := os.Open(out.Traces[0])
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	if n := bytes.Count(text, []byte(`"hlo_op":"dot"`)); n < 3 {
		t.Errorf("%d products of matrices are in the trace of three steps", n)
	}
}

// TestEvaluationWithGradients: a loader that is emptied or left without a backward pass fed an evaluation. Its batches
// are not those of the steps that follow, and its time is not the model's forward pass.
func TestEvaluationWithGradients(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{}, "validated.py", "steps=10", "forward=.01")
	if len(out.Run.Steps) != 11 {
		t.Fatalf("%d steps, want 11", len(out.Run.Steps))
	}
	for _, s := range out.Run.Steps[:10] {
		evaluated := slices.Contains(s.Tags, "evaluation")
		part := slices.ContainsFunc(s.Parts, func(p run.Part) bool { return p.Name == "evaluation" && p.Seconds >= 2*0.01 })
		if want := s.Index == 5 || s.Index == 9; evaluated != want || part != want || s.Samples != 4 {
			t.Errorf("step %d has %v samples, tags %v, parts %+v; want 4 samples, and evaluations in the steps 5 and 9", s.Index, s.Samples, s.Tags, s.Parts)
		}
	}
	if last := out.Run.Steps[10]; slices.Contains(last.Tags, "evaluation") {
		t.Errorf("the last step has tags %v: a loader that is emptied before one backward pass is no evaluation's", last.Tags)
	}
}

// TestTeacher: what runs without gradients in every step is not an evaluation, and its batch is the step's.
func TestTeacher(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{}, "teacher.py", "steps=10", "forward=.01")
	if len(out.Run.Steps) != 20 {
		t.Fatalf("%d steps, want 20", len(out.Run.Steps))
	}
	for _, s := range out.Run.Steps[1:] {
		var forward, evaluation float64
		for _, p := range s.Parts {
			switch p.Name {
			case "forward":
				forward = p.Seconds
			case "evaluation":
				evaluation = p.Seconds
			}
		}
		want, samples := s.Index == 5 || s.Index == 9, 4.0
		if s.Index > 10 {
			samples = 0 // no loader gives them
		}
		if slices.Contains(s.Tags, "evaluation") != want || evaluation > 0 != want || forward < 2*0.01 || s.Samples != samples {
			t.Errorf("step %d has %v samples, tags %v, parts %+v; want %v samples, student and teacher in forward, and evaluations in the steps 5 and 9",
				s.Index, s.Samples, s.Tags, s.Parts, samples)
		}
	}
}

// TestSamplesOfSummedLosses: a backward pass for several batches has used all of them.
func TestSamplesOfSummedLosses(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{}, "summed.py", "steps=6")
	if len(out.Run.Steps) != 18 {
		t.Fatalf("%d steps, want 18", len(out.Run.Steps))
	}
	for _, s := range out.Run.Steps {
		if s.Index == 13 {
			continue // of a program that fetches ahead, a first step cannot tell what the model got
		}
		if s.Samples != 12 || slices.Contains(s.Tags, "evaluation") {
			t.Errorf("step %d has %v samples and tags %v, want 12 samples in training", s.Index, s.Samples, s.Tags)
		}
	}
}

// TestSamplesOfOtherPrograms: a sample waits for the program that computes it, but a core is at work on it all the
// same.
func TestSamplesOfOtherPrograms(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{}, "programs.py", "steps=3")
	if made := out.Facts.InProcess; made == nil || made.Samples != 12 || made.CPUSeconds < 12*0.19 {
		t.Errorf("made %+v, want 12 samples that take 0.2 s of computing each", made)
	}
}

// TestSamplesOfTwoLoaders: a step has the samples of all loaders that feed it, not those of each in turn.
func TestSamplesOfTwoLoaders(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{}, "two_loaders.py", "steps=6")
	var samples []float64
	for _, s := range out.Run.Steps {
		samples = append(samples, s.Samples)
	}
	if want := []float64{16, 16, 16, 16, 16, 16, 4, 4, 4, 4, 4, 4}; !slices.Equal(samples, want) {
		t.Errorf("the steps have %v samples, want %v", samples, want)
	}
}

// TestInputsOfTwoModels: what one model has made for the other is not data, detached or not.
func TestInputsOfTwoModels(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{Samples: &probe.SamplePlan{Seed: 1, Epoch: 4, Batches: 4}}, "gan.py")
	data := 0
	for _, in := range out.Samples.Inputs {
		data += len(in.Fields)
	}
	if len(out.Samples.Inputs) < 12 || data != len(out.Samples.Inputs)/2 {
		t.Errorf("%d of %d calls are given data, want half: %+v", data, len(out.Samples.Inputs), out.Samples.Inputs)
	}
}

// TestLoopWithoutAnOptimizer: where nothing else tells, a step is a backward pass. The first ones could come before an
// optimizer is made.
func TestLoopWithoutAnOptimizer(t *testing.T) {
	t.Parallel()
	out := watch(t, probe.Plan{Loss: true}, "no_optimizer.py", "steps=12")
	if len(out.Run.Steps) != 10 || out.Inference {
		t.Fatalf("%d steps, inference %v; want 10 of training", len(out.Run.Steps), out.Inference)
	}
	for _, s := range out.Run.Steps {
		if evaluated := slices.Contains(s.Tags, "evaluation"); s.Loss == nil || evaluated != (s.Index == 6) {
			t.Errorf("step %d is %+v, want a loss, and an evaluation in step 6", s.Index, s)
		}
	}
}

// TestChainsToTheirSitecustomize: what the probe hides still runs, and under its own name.
func TestChainsToTheirSitecustomize(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	theirs := "import sys\nsys.theirs = __file__\n"
	if err := os.WriteFile(filepath.Join(dir, "sitecustomize.py"), []byte(theirs), 0o644); err != nil {
		t.Fatal(err)
	}
	_, said := watchAny(t, probe.Plan{
		Command: []string{plainPython(t), "-c", "import sys, sitecustomize; print(sys.theirs == sitecustomize.__file__)"},
		Env:     []string{"PYTHONPATH=" + dir},
	})
	if strings.TrimSpace(said) != "True" {
		t.Errorf("the program said %q", said)
	}
}

func TestLeavesHelpersAlone(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"-c", "from multiprocessing.resource_tracker import main; import sys; print('saturate_probe.imports' in sys.modules)"},
		{"-m", "pip", "--version"},
	} {
		out, _ := watchAny(t, probe.Plan{Command: append([]string{plainPython(t)}, args...)})
		if len(out.Run.Notes) != 1 || !strings.Contains(out.Run.Notes[0], "no Python process was detected") {
			t.Errorf("%v was watched: %q", args, out.Run.Notes)
		}
	}
}

func TestTimeout(t *testing.T) {
	t.Parallel()
	out, _ := watchAny(t, probe.Plan{Command: []string{plainPython(t), "-c", "import time; time.sleep(1000)"}, Timeout: 500 * time.Millisecond})
	if !out.TimedOut || out.Exit != 128+15 {
		t.Errorf("timed out %v with exit %d, want the exit of SIGTERM", out.TimedOut, out.Exit)
	}
}

func TestCannotStart(t *testing.T) {
	script := filepath.Join(t.TempDir(), "train.py")
	if err := os.WriteFile(script, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"no-such-program", script} {
		root := t.TempDir()
		_, err := probe.Watch(context.Background(), probe.Plan{Command: []string{program}, Root: root})
		if !errors.Is(err, probe.ErrMissing) {
			t.Errorf("%s: error %v, want that the program is missing", program, err)
		}
		if left, _ := os.ReadDir(root); len(left) > 0 {
			t.Errorf("%s: %v is left of a program that never ran", program, left)
		}
	}
}

func TestRefusesIsolatedPython(t *testing.T) {
	for _, command := range []string{"python -I train.py", "python3.12 -uE train.py", "env python -S -m train", "python -W ignore -I x.py"} {
		_, err := probe.Watch(context.Background(), probe.Plan{Command: strings.Fields(command), Root: t.TempDir()})
		if err == nil || !strings.Contains(err.Error(), "PYTHONPATH") {
			t.Errorf("%s: error %v, want a word about PYTHONPATH", command, err)
		}
	}
	out, _ := watchAny(t, probe.Plan{Command: []string{plainPython(t), "-c", "import sys; sys.exit(len(sys.argv))", "-I", "-E"}})
	if out.Exit != 3 {
		t.Errorf("options of the program itself were taken for Python's: exit %d", out.Exit)
	}
}
