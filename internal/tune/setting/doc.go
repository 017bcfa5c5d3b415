// Package setting is the table of what can be set to make a program faster, and how each
// setting proves that it took effect.
//
//	All      the table: on_cuda.go, on_rocm.go, on_mps.go, on_cpu.go, on_jax.go; one entry a setting
//	Detect   asks the program's own Python what the machine has ─> Machine
//	Choose   Machine + level ─> the settings to use, and for each other one why not
//	         ├─> Environment   variables to start the program with
//	         ├─> Plan          JSON for saturate_tune.start, which applies the rest from the inside
//	         └─> Snippet       the same for a program that runs without saturate
//	Module   saturate_tune.py with the table in it: detects, applies, reads back, probes, undoes
//	Dead     what torch accepts and nothing reads, and what to use instead
//
// How to use it:
//
//	machine, err := setting.Detect(ctx, python, env)
//	chosen, left := setting.Choose(machine, 1, only, except)   // left: name and reason, a sentence
//	start with setting.Environment(chosen, env) added, a folder that holds setting.Module() as
//	saturate_tune.py on PYTHONPATH, and setting.Plan(chosen, control) in a file
//
// Inside the program, saturate_tune.start(plan, report) applies what is to be applied from there.
// It calls report with one dict a setting, at once after applying it (when = "applied") and again
// when the program ends (when = "exit"), which is an Observation here. It never raises.
// With hook=False the caller must call saturate_tune.imported("torch") or ("jax") after the
// import of that module. A program that is stepped calls saturate_tune.poll() at step ends: it
// applies what the control file says, {"cudnn-benchmark": false}, to the settings that are Live.
// A knob that torch accepts and ignores, set by the program, is reported as {"dead", "value", "instead"}.
//
// Check runs a process of its own that applies the settings, reads them back and then looks whether
// the machine behaves differently: the effect probes. Some of them put work on the device.
package setting
