package optimize

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"saturate/internal/analyze"
	"saturate/internal/stat"
)

// bench is a program on a GPU whose traces and fixes are made up: what each trace predicts, and what trying each fix
// brings and takes.
type bench struct {
	p       *protocol
	now     time.Time
	step    float64
	look    func(kept []string, step float64) *Baseline
	effects map[string]float64 // on the step, of the candidates that do something; 1 for the rest
	takes   func(c Candidate) float64
	looking float64 // seconds that a look takes; 0: the program is looked at after each fix
	tried   []string
}

func newBench(budget time.Duration, step float64, look func([]string, float64) *Baseline, list ...Candidate) *bench {
	b := &bench{now: time.Unix(0, 0), step: step, look: look, takes: func(Candidate) float64 { return 10 }}
	b.p = &protocol{Options: Options{Quick: true, Pairs: 2, Budget: budget, Now: func() time.Time { return b.now }}, plans: map[string]plan{}}
	b.p.deadline = deadline(b.p.Options)
	if budget == 0 {
		b.p.deadline = time.Time{}
	}
	b.p.state = state{Best: baseTree, Baseline: look(nil, step)}
	b.p.plans[baseTree] = plan{candidates: list}
	return b
}

// stands is where the time of the best program goes, as far as the last look tells.
func (b *bench) stands(kept []string) *Baseline {
	best := b.p.state.Best
	if b.looking > 0 && best != baseTree {
		if b.p.state.Standings[best] == nil {
			here := b.look(kept, b.step)
			here.Forecasts, here.Busy = nil, 0
			b.p.stands(best, here)
		}
		return b.p.standing(context.Background())
	}
	here := b.look(kept, b.step)
	b.p.stands(best, here)
	if best == baseTree {
		b.p.state.Baseline = here
	}
	return here
}

// climb goes on as protocol.climb does, without programs.
func (b *bench) climb(t *testing.T) (ended string) {
	t.Helper()
	for range 30 {
		var kept []string
		for _, r := range b.p.kept() {
			kept = append(kept, r.ID)
		}
		here := b.stands(kept)
		planned := slices.DeleteFunc(slices.Clone(b.p.plans[baseTree].candidates), func(c Candidate) bool { return slices.Contains(kept, c.ID) })
		for i := range planned {
			if b.looking > 0 {
				planned[i].Predicted, planned[i].Saves = nil, 1-1/unknownGain
			}
			here.estimate(&planned[i])
		}
		b.p.plans[b.p.state.Best] = plan{candidates: planned}
		list, err := b.p.candidates(t.Context(), here)
		if err != nil {
			t.Fatal(err)
		}
		c, found, short := b.p.next(list, here)
		if b.looking > 0 && b.p.unsure(here, c, found) {
			if c, found = b.p.safeBet(list, here); !found {
				b.now = b.now.Add(inSeconds(b.looking))
				b.tried = append(b.tried, "look")
				seen := b.look(kept, b.step)
				here.takeTrace(seen)
				here.Looked = true
				continue
			}
		}
		if short {
			b.p.stopped(here, list)
			return "short of time"
		}
		if !found {
			return "nothing left"
		}
		rung := b.p.rung(c, here)
		factor, known := b.effects[c.ID]
		if !known {
			factor = 1
		}
		if at := strings.Join(append(kept, c.ID), "+"); b.effects[at] != 0 {
			factor = b.effects[at]
		}
		rung.Seconds, rung.Pairs = b.takes(c), 1
		rung.Before, rung.After = stat.Number(b.step), stat.Number(b.step*factor)
		b.now = b.now.Add(inSeconds(rung.Seconds))
		switch {
		case factor < 1-worth:
			rung.Decision = Kept
			b.step *= factor
		case factor > 1+worth:
			rung.Decision = Harmful
		default:
			rung.Decision = Useless
		}
		b.tried = append(b.tried, fmt.Sprintf("%s %s", c.ID, rung.Decision))
		b.p.settle(rung)
	}
	t.Fatal("it does not end")
	return ""
}

// gptFixes are what the small GPT of peers/loop has, in the order of the plan without predictions.
func gptFixes() []Candidate {
	one := func(id string, fix int, choice string, codes ...string) Candidate {
		return Candidate{ID: id, Fix: fix, Choice: choice, Codes: codes}
	}
	return []Candidate{
		one("SAT301", 0, "", "SAT301"), one("SAT401", 0, "SAT401", "SAT401"), one("SAT401/2", 1, "SAT401", "SAT401"), one("SAT404", 0, "SAT404", "SAT404"),
		one("SAT407", 0, "optimizer", "SAT407"), one("SAT407/2", 1, "optimizer", "SAT407"),
		one("SAT411", 0, "SAT411", "SAT411"), one("SAT411/2", 1, "SAT411", "SAT411"), one("SAT411/3", 2, "SAT411", "SAT411"),
	}
}

// gptLook predicts what traces of that program predicted on an H200: launches bound it until CUDA graphs are kept, and
// then its kernels.
func gptLook(kept []string, step float64) *Baseline {
	b := &Baseline{SecondsPerStep: step, GPU: true, WallSeconds: 13, Bottleneck: analyze.ByLaunch}
	says := func(question string, factor float64) {
		b.Forecasts = append(b.Forecasts, Forecast{question, step * factor, step * factor * 0.9, step * factor * 1.05})
	}
	switch graphs := slices.ContainsFunc(kept, func(id string) bool { return strings.HasPrefix(id, "SAT411/") }); {
	case graphs:
		b.Bottleneck = analyze.ByCompute
		says("precision=bf16", 0.6)
		says("precision=tf32", 0.7)
		says("launch=graphs", 0.8)
		says("launch=compile", 0.85)
	default:
		says("precision=bf16", 1.06)
		says("precision=tf32", 1)
		says("launch=compile", 0.7)
		says("launch=graphs", 0.6)
	}
	says("sync=scalar", 0.999)
	fused := slices.Contains(kept, "SAT407/2")
	says("optimizer=foreach", map[bool]float64{false: 0.68, true: 1}[fused])
	says("optimizer=fused", map[bool]float64{false: 0.65, true: 1}[fused])
	return b
}

// The cheap fix that is predicted to help goes first, CUDA graphs before compiling alone, and precision once kernels
// are the bottleneck.
func TestOrderWhereLaunchesBound(t *testing.T) {
	b := newBench(0, 0.028, gptLook, gptFixes()...)
	b.effects = map[string]float64{"SAT407/2": 0.66, "SAT411/3": 0.6, "SAT401": 0.62, "SAT404": 0.7}
	b.takes = func(c Candidate) float64 {
		return map[Effort]float64{Compiles: 70, Layers: 30, "": 8}[b.p.effort(c)]
	}
	if end := b.climb(t); end != "nothing left" {
		t.Error(end)
	}
	want := []string{"SAT407/2 kept", "SAT411/3 kept", "SAT401 kept", "SAT404 kept"}
	if !slices.Equal(b.tried, want) {
		t.Errorf("%q", b.tried)
	}
}

// What compiles comes last although it promises most: after it, each try takes minutes. Where the time is too short for
// both, it comes first.
func TestCompilingWaitsForCheaperFixes(t *testing.T) {
	for _, c := range []struct {
		budget time.Duration
		want   []string
	}{
		{0, []string{"SAT407/2 kept", "SAT404 kept", "SAT411/3 kept"}},
		{10 * time.Minute, []string{"SAT407/2 kept", "SAT404 kept", "SAT411/3 kept"}},
		{2 * time.Minute, []string{"SAT411/3 kept", "SAT407/2 kept", "SAT404 kept"}},
	} {
		look := func(kept []string, step float64) *Baseline {
			b := &Baseline{SecondsPerStep: step, GPU: true, WallSeconds: 12, Cores: 16, StartSeconds: 5, Bottleneck: analyze.ByLaunch, Busy: 0.2}
			says := func(question string, share float64, id string) {
				if !slices.Contains(kept, id) {
					b.Forecasts = append(b.Forecasts, Forecast{question, share * step, share * step, share * step})
				}
			}
			says("launch=graphs", 0.3, "SAT411/3")
			says("optimizer=fused", 0.9, "SAT407/2")
			says("precision=tf32", 0.9, "SAT404")
			return b
		}
		b := newBench(c.budget, 0.1, look, Candidate{ID: "SAT411/3", Fix: 2, Choice: "SAT411", Codes: []string{"SAT411"}},
			Candidate{ID: "SAT407/2", Fix: 1, Choice: "optimizer", Codes: []string{"SAT407"}}, Candidate{ID: "SAT404", Choice: "SAT404", Codes: []string{"SAT404"}})
		b.effects = map[string]float64{"SAT411/3": 0.5, "SAT407/2": 0.9, "SAT404": 0.9}
		b.climb(t)
		tried := slices.DeleteFunc(slices.Clone(b.tried), func(s string) bool { return s == "look" })
		if !slices.Equal(tried, c.want) {
			t.Errorf("%v: %q", c.budget, tried)
		}
	}
}

// Compiling alone comes when every form of CUDA graphs has failed.
func TestCompilingAloneComesLast(t *testing.T) {
	b := newBench(0, 0.028, gptLook, gptFixes()[6:]...)
	b.effects = map[string]float64{"SAT411/2": 1.2, "SAT411/3": 1, "SAT411": 0.8}
	b.climb(t)
	if want := []string{"SAT411/3 no difference", "SAT411/2 slower", "SAT411 kept"}; !slices.Equal(b.tried, want) {
		t.Errorf("%q", b.tried)
	}
}

// A try that would take the time of the proof is left out, and one that is short enough is made in its place; the
// report says what was not reached.
func TestOrderLeavesTimeForTheProof(t *testing.T) {
	b := newBench(100*time.Second, 0.028, gptLook, gptFixes()...)
	b.effects = map[string]float64{"SAT407/2": 0.66}
	if end := b.climb(t); end != "short of time" {
		t.Error(end)
	}
	if want := []string{"SAT407/2 kept"}; !slices.Equal(b.tried, want) {
		t.Errorf("%q", b.tried)
	}
	if left := b.p.deadline.Sub(b.now); left < b.p.reserved() {
		t.Errorf("%v are left for a proof of %v", left, b.p.reserved())
	}
	first := b.p.result.Left[0]
	if first.ID != "SAT411/3" || first.Forecast == nil || !strings.HasPrefix(first.Why, "not tried: the budget is used up (it takes about ") {
		t.Errorf("%+v", first)
	}
}

// Until the program is traced again, a fix is expected to save the seconds that the last trace told; before a try that
// takes long, it is traced.
func TestCarriedForecasts(t *testing.T) {
	traced := Baseline{SecondsPerStep: 0.337, Busy: 0.2, GPU: true, Bottleneck: analyze.ByData, Forecasts: []Forecast{
		{"loader=free", 0.08, 0.07, 0.09},
		{"precision=bf16", 0.3, 0.29, 0.31},
		{"launch=graphs", 0.327, 0.32, 0.33},
		{"optimizer=fused", 0.26, 0.25, 0.27},
	}}
	kept := Rung{Candidate: Candidate{ID: "loader", Choice: loaderGroup.id}, Decision: Kept, Tree: "01", From: baseTree}
	p := &protocol{state: state{Best: "01", Baseline: &traced, Rungs: []Rung{kept}, Standings: map[string]*Baseline{"01": {SecondsPerStep: 0.087, GPU: true}}}}
	here := p.standing(t.Context())
	bf16, graphs := Candidate{ID: "SAT701", Codes: []string{"SAT701"}}, Candidate{ID: "SAT411/2", Fix: 1, Codes: []string{"SAT411"}}
	here.estimate(&bf16)
	here.estimate(&graphs)
	if fused := here.Forecasts[2].Seconds; fused < 0.06 {
		t.Errorf("kernels of 67 ms, and a fused optimizer is predicted to make a step of %.0f ms", 1e3*fused)
	}
	if len(here.Forecasts) != 3 || bf16.Saves < 0.42 || bf16.Saves > 0.43 || here.Bottleneck == analyze.ByData {
		t.Errorf("%+v, bf16 saves %v", here, bf16.Saves)
	}
	if p.unsure(here, bf16, true) || !p.unsure(here, graphs, true) || !p.unsure(here, Candidate{}, false) {
		t.Error("looked for a cheap fix, or not for one that takes long")
	}
	if c, found := p.safeBet([]Candidate{graphs, bf16}, here); !found || c.ID != bf16.ID {
		t.Errorf("with a trace of an earlier program, %q is tried before a look", c.ID)
	}
	if c, found := p.safeBet([]Candidate{graphs}, here); found {
		t.Errorf("%s takes long, and is tried without a look", c.ID)
	}
	here.takeTrace(&Baseline{WallSeconds: 3})
	if len(here.Forecasts) != 3 {
		t.Error("a run without a trace took away what was known")
	}
}

// A trace is asked about some counts of workers: one between them brings as much as the next lower one. What bfloat16
// has saved, its kernels take no longer.
func TestCarriedOverBFloat16(t *testing.T) {
	traced := Baseline{SecondsPerStep: 0.84, Busy: 0.63, GPU: true, Bottleneck: analyze.ByData, Forecasts: []Forecast{
		{"precision=bf16", 0.49, 0.28, 0.71}, {"copies=pinned", 0.838, 0.83, 0.84}, {"loader=4", 0.55, 0.5, 0.6}, {"loader=8", 0.5, 0.5, 0.6},
	}}
	loader := Candidate{ID: "loader", Choice: loaderGroup.id, Workers: 6}
	if traced.estimate(&loader); loader.Predicted == nil || loader.Predicted.Question != "loader=4" {
		t.Errorf("six workers are predicted by %+v", loader.Predicted)
	}
	kept := Rung{Candidate: Candidate{ID: "SAT401", Codes: []string{"SAT401"}}, Decision: Kept, Tree: "01", From: baseTree}
	p := &protocol{state: state{Best: "01", Baseline: &traced, Rungs: []Rung{kept}, Standings: map[string]*Baseline{"01": {SecondsPerStep: 0.58, GPU: true}}}}
	here := p.standing(t.Context())
	if here.estimate(&loader); math.Abs(loader.Saves-0.5) > 0.01 || p.guessed(loader) {
		t.Errorf("six workers are predicted to save %.2f", loader.Saves)
	}
}

// The trace of a starving program is asked about each fix on top of those that were kept since: what batches in time
// bring with bfloat16 is more than what they bring alone, and less than both savings together.
func TestForecastsOnTop(t *testing.T) {
	var steps strings.Builder
	for i := range 20 {
		fmt.Fprintf(&steps, `{"step": %d, "s": 1.6, "parts": [{"name": "data", "s": 1.45}]}`+"\n", i)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "steps.jsonl"), []byte(steps.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	traced := Baseline{SecondsPerStep: 1.6, GPU: true, Run: dir, Traces: []string{filepath.Join("..", "..", "testdata", "traces", "starved.pt.trace.json.gz")}}
	loader := Rung{Candidate: Candidate{ID: "loader", Choice: loaderGroup.id, Predicted: &Forecast{Question: freeLoader}}, Decision: Kept, Tree: "01", From: baseTree}
	bf16 := Rung{Candidate: Candidate{ID: "SAT401", Codes: []string{"SAT401"}, Predicted: &Forecast{Question: "precision=bf16"}}, Decision: Kept, Tree: "02", From: "01"}
	p := &protocol{state: state{Best: "01", Baseline: &traced, Rungs: []Rung{loader, bf16}, Standings: map[string]*Baseline{
		"01": {SecondsPerStep: 0.2, GPU: true}, "02": {SecondsPerStep: 0.11, GPU: true},
	}}}
	saves := func(here *Baseline, question string) float64 {
		at := slices.IndexFunc(here.Forecasts, func(f Forecast) bool { return f.Question == question })
		if at < 0 {
			t.Fatalf("nothing is predicted for %s: %+v", question, here.Forecasts)
		}
		return 1 - here.Forecasts[at].Seconds/here.SecondsPerStep
	}
	with := p.standing(t.Context())
	_, alone, err := onTop(t.Context(), &traced, nil)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := saves(&Baseline{SecondsPerStep: 1.6, Forecasts: alone}, "precision=bf16"), saves(with, "precision=bf16"); a > 0.1 || b < 0.3 {
		t.Errorf("bfloat16 saves %.2f of a step that waits for data, and %.2f of one that does not", a, b)
	}
	p.state.Best = "02"
	both := p.standing(t.Context())
	if again, waits := saves(both, "precision=bf16"), saves(both, freeLoader); math.Abs(again) > 1e-6 || math.Abs(waits) > 1e-6 {
		t.Errorf("what was kept saves %.3f and %.3f once more", again, waits)
	}
}

// A rung that promises little may take a quarter of the time before the proof, and always the fewest pairs.
func TestAffordable(t *testing.T) {
	b := newBench(480*time.Second, 0.84, gptLook)
	b.p.Quick, b.p.LadderPairs, b.p.state.Start = false, 3, 4.5
	for saves, most := range map[float64]int{0.05: 4, 0.3: mostPairs} { // of 480 s; two runs take 29
		b.p.trying.Saves = saves
		if b.p.afford(b.p.state.Baseline); b.p.most() != most {
			t.Errorf("%.2f of a step: %d pairs, want %d", saves, b.p.most(), most)
		}
	}
	b.p.trying.Saves, b.p.alone = 0.05, true
	if b.p.afford(b.p.state.Baseline); b.p.most() != mostPairs {
		t.Errorf("%d pairs where nothing else is worth trying, want %d", b.p.most(), mostPairs)
	}
	b.p.alone = false
	b.now = b.now.Add(400 * time.Second)
	b.p.trying.Saves = 0.05
	if b.p.afford(b.p.state.Baseline); b.p.most() != 3 {
		t.Errorf("in 80 s, %d pairs", b.p.most())
	}
}

// Slow steps are screened by fewer of them.
func TestScreenSteps(t *testing.T) {
	for step, want := range map[float64]int{0.028: 40, 0.4: 25, 2: 12, 0: 40} {
		b := newBench(0, step, gptLook)
		if b.p.Steps = 40; b.p.screenSteps() != want {
			t.Errorf("%v s: %d steps, want %d", step, b.p.screenSteps(), want)
		}
	}
}

// What a try of a kind took counts, once one was made.
func TestMeasuredCost(t *testing.T) {
	b := newBench(0, 0.028, gptLook)
	p, here := b.p, b.p.state.Baseline
	cheap, dear := Candidate{ID: "SAT404", Codes: []string{"SAT404"}}, Candidate{ID: "SAT411", Codes: []string{"SAT411"}}
	if math.Round(p.cost(cheap, here)) != 26 || math.Round(p.cost(dear, here)) != 98 {
		t.Errorf("at first %v and %v", p.cost(cheap, here), p.cost(dear, here))
	}
	p.state.Rungs = []Rung{
		{Candidate: Candidate{ID: "loader"}, Seconds: 60, Pairs: 1, Decision: Kept}, // with all that is made once
		{Candidate: dear, Effort: Compiles, Seconds: 106, Pairs: 1, Decision: Kept},
		{Candidate: Candidate{ID: "SAT301"}, Seconds: 5, Pairs: 1, Decision: Useless},
	}
	optimizer := Candidate{ID: "SAT406", Codes: []string{"SAT406"}}
	if p.cost(optimizer, here) != 5 || p.cost(dear, here) != 106 || p.cost(cheap, here) != 106 { // TF32 has the model compiled anew
		t.Errorf("then %v, %v and %v", p.cost(optimizer, here), p.cost(dear, here), p.cost(cheap, here))
	}
	p.state.Rungs[1].Effort, p.state.Rungs[1].Seconds = Layers, 20
	if p.cost(dear, here) != 48 {
		t.Errorf("layers were compiled in 20 s, and a model takes %v", p.cost(dear, here))
	}
}

// The example on an H200: what its traces predicted, and what each try brought and took there. All fixes that bring much
// are tried in eight minutes, with the proof.
func TestExampleInEightMinutes(t *testing.T) {
	look := func(kept []string, step float64) *Baseline {
		has := func(id string) bool {
			return slices.ContainsFunc(kept, func(k string) bool { return strings.HasPrefix(k, id) })
		}
		b := &Baseline{SecondsPerStep: step, GPU: true, WallSeconds: 37, Cores: 16, StartSeconds: 5, Bottleneck: analyze.ByData}
		says := func(question string, seconds float64) {
			b.Forecasts = append(b.Forecasts, Forecast{question, seconds, seconds * 0.9, seconds * 1.05})
		}
		kernels, waiting := 0.53, 0.33
		if has("SAT401") {
			kernels = 0.05
			b.StartSeconds = 6
		} else {
			says("precision=bf16", 0.59*step)
			says("precision=tf32", 0.75*step)
		}
		if has("loader") {
			waiting = 0.055
		}
		if has("offline") {
			waiting = 0.005
		}
		b.Busy = kernels / step
		b.Shares.Data = waiting / step
		if waiting > 0.1 {
			says("loader=free", step-waiting)
			says("loader=16", step-waiting+0.03)
		} else {
			b.Bottleneck = analyze.ByLaunch
			says("loader=free", step-waiting)
		}
		graphs := map[bool]float64{true: step * 0.99, false: step - 0.045}[has("SAT411")]
		says("launch=graphs", graphs)
		says("launch=step", graphs-0.002)
		says("launch=compile", graphs+0.005)
		says("sync=scalar", step*map[bool]float64{true: 1, false: 0.85}[has("SAT301")])
		says("optimizer=fused", step-map[bool]float64{true: 0, false: 0.003}[has("SAT406")])
		return b
	}
	one := func(id string, fix int, choice string, codes ...string) Candidate {
		return Candidate{ID: id, Fix: fix, Choice: choice, Codes: codes}
	}
	loader := one("loader/16", 0, "loader", "SAT201", "SAT203", "SAT311")
	loader.Workers = 16
	recorded := one("SAT411/4", 3, "SAT411", "SAT411")
	recorded.Asks = []string{askStep}
	offline := Candidate{ID: offlineGroup.id, Codes: []string{"SAT104"}}
	b := newBench(470*time.Second, 0.84, look, one("SAT401", 0, "SAT401", "SAT401"), one("SAT404", 0, "SAT404", "SAT404"), loader, offline,
		one("SAT301", 0, "SAT301", "SAT301"), one("SAT411", 0, "SAT411", "SAT411"), one("SAT411/2", 1, "SAT411", "SAT411"), one("SAT411/3", 2, "SAT411", "SAT411"), recorded,
		one("SAT406", 0, "optimizer", "SAT406"))
	b.looking, b.p.state.Start = 24, 4.5
	b.now = b.now.Add(37 * time.Second)
	b.effects = map[string]float64{"SAT401": 0.69, "loader/16": 0.31, "offline": 0.7, "SAT301": 0.95, "SAT411/3": 0.62, "SAT411/4": 0.55, "SAT406": 0.96}
	b.takes = func(c Candidate) float64 {
		switch effort := b.p.effort(c); {
		case c.ID == "SAT401":
			return 38
		case c.ID == "loader/16", effort == MakesFiles:
			return 47
		case effort.compiles():
			return 60
		}
		return 18
	}
	b.climb(t)
	want := []string{"SAT401 kept", "loader/16 kept", "SAT301 kept", "SAT411/4 kept", "look", "offline kept", "look", "SAT406 kept", "look"}
	if took := b.now.Add(b.p.reserved()).Sub(time.Unix(0, 0)); !slices.Equal(b.tried, want) || took > 8*time.Minute {
		t.Errorf("%q in %v", b.tried, took)
	}
}
