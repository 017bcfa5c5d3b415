package analyze

import "testing"

func TestPhaseOf(t *testing.T) {
	for name, want := range map[string]struct {
		phase    string
		requests int
	}{
		"execute_32_context_0(sq0sk0sqsq0sqsk0)_generation_32(sq32sk55086sqsq32sqsk55086)": {"decode", 32},
		"execute_8192_context_9(sq8155sk8430)_generation_37(sq37sk1)":                      {"mixed", 46},
		"execute_context_2(1234)_generation_0(0)":                                          {"prefill", 2},
		"execute_context_0(0)_generation_0(0)":                                             {"", 0},
		"step[EXTEND bs=15 toks=15360]":                                                    {"prefill", 15},
		"step[DECODE bs=32]":                                                               {"decode", 32},
		"step":                                                                             {"", 0},
		"ProfilerStep#3":                                                                   {"", 0},
	} {
		if phase, n := phaseOf(name); phase != want.phase || n != want.requests {
			t.Errorf("%s is %q with %d, want %q with %d", name, phase, n, want.phase, want.requests)
		}
	}
}

// Two marks of one batch count once; work belongs to the batch that launched it, whenever it runs.
func TestPhases(t *testing.T) {
	m := newMaker()
	m.mark("execute_context_2(100)_generation_0(0)", 0, 100).mark("step[EXTEND bs=2]", 5, 90)
	m.kernel("prefill", 10, 300, 50)
	m.mark("step[DECODE bs=4]", 200, 50)
	m.kernel("decode", 210, 400, 20)
	m.kernel("more", 220, 410, 30)
	got := viewOf(t, m.trace(), All).phases()
	want := []Phase{{"prefill", 1, 2, 100_000, 50_000, 1, 50_000}, {"decode", 1, 4, 50_000, 40_000, 2, 40_000}}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("%+v, want %+v", got, want)
	}
}
