package mcp

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"saturate/internal/device/doctor"
	"saturate/internal/finding"
	"saturate/internal/run"
	"saturate/internal/view"
)

// addTools is the list of tools, in the order of the loop.
func (s *Server) addTools() {
	addTool(s, tool[doctorInput]{
		name: "doctor", title: "Check GPU, Python and disk",
		about: "Check this machine: GPU, driver, Python, torch, disk. Call it when " +
			"profile says that something is missing. Takes seconds.",
		answer: answerDoctor,
	})
	addTool(s, tool[scanInput]{
		name: "scan", title: "Find code that starves the GPU", sections: []string{"findings"},
		about: "Find code and settings that starve the GPU, in Python, YAML, JSON and TOML files. Runs and changes " +
			"nothing. The entry point: call it first.",
		answer: answerScan,
	})
	addTool(s, tool[explainInput]{
		name: "explain", title: "Explain a rule, a finding or a gap", sections: []string{"detail", "gaps"},
		about:  "Explain one thing in full: a rule (`rule`: SAT203), a finding (`where`: train.py:42), or an idle gap of a trace (`run` or `trace`, and `gap`).",
		answer: answerExplain,
	})
	addTool(s, tool[profileInput]{
		name: "profile", title: "Run the program and time its steps", sections: []string{"findings", "run"}, runs: true,
		about: "Run the training program and show where a step's time goes: data, copies, " +
			"forward, backward, optimizer. Records a trace. " +
			"Takes as long as the steps take.",
		answer: answerProfile,
	})
	addTool(s, tool[analyzeInput]{
		name: "analyze", title: "Explain a trace and predict fixes", sections: []string{
			"findings", "predictions", "gaps",
			"run",
		},
		about: "Explain from a trace why the GPU was idle, and predict how long a step would take after each fix. `what_if` asks about fixes " +
			"together, such as loader=free,optimizer=fused.",
		answer: answerAnalyze,
	})
	addTool(s, tool[proposeInput]{
		name: "propose", title: "Write known fixes to a patch file", sections: []string{"patch"},
		about: "Write the known fixes to a patch file in runs/. The project is not changed. `unsafe` adds fixes that may " +
			"change results, such as bf16. Fixes are not measured yet: verify does that.",
		answer: answerPropose,
	})
	addTool(s, tool[verifyInput]{
		name: "verify", title: "Prove that a change is faster and right", sections: []string{"verdict", "run"}, runs: true,
		about: "Run the program with and without a change, in random pairs, in copies. Compares step time, loss and " +
			"samples. The change is a patch file " +
			"(`patch`), a unified diff of your own (`diff`), or the working tree against a git ref (`base`). Takes 2 × pairs runs of the program and more.",
		answer: answerVerify,
	})
	addTool(s, tool[reportInput]{
		name: "report", title: "Show Runs", sections: []string{"runs", "findings", "verdict", "run"},
		about: "Show a Run by id, name or \"latest\", or list all Runs. Runs of verify are " +
			"judged again from their raw steps.",
		answer: answerReport,
	})
}

type doctorInput struct {
	Quick bool `json:"quick,omitempty" jsonschema:"skip slow checks, and run no Python"`
}

func answerDoctor(ctx context.Context, c *call, in doctorInput) (Answer, error) {
	args := []string{"doctor"}
	if in.Quick {
		args = append(args, "--quick")
	}
	r, a, err := c.command(ctx, args...)
	if err != nil {
		return a, err
	}
	if d, ok := r.Data.(doctor.Diagnosis); ok {
		for _, row := range d.Rows() {
			a.Figures = append(a.Figures, Figure{row.Thing, row.Value, string(row.State)})
			if row.Get != "" {
				a.Warnings = append(a.Warnings, row.Thing+": "+strings.ReplaceAll(row.Get, "\n", "; "))
			}
		}
	}
	if len(a.Figures) > 16 {
		a.Omitted, a.Figures = len(a.Figures)-16, a.Figures[:16]
	}
	a.NextStep = NextStep{Tool: "scan", Why: "Find what starves the GPU; that needs none of the above."}
	return a, nil
}

type scanInput struct {
	Paths  []string `json:"paths,omitempty" jsonschema:"files or folders below the roots; the project when empty"`
	Rules  []string `json:"rules,omitempty" jsonschema:"only these rules: codes, names, or prefixes of codes (SAT2)"`
	Ignore []string `json:"ignore,omitempty" jsonschema:"skip these rules"`
}

func answerScan(ctx context.Context, c *call, in scanInput) (Answer, error) {
	args, err := c.source("scan", in.Paths)
	if err != nil {
		return Answer{}, err
	}
	for _, list := range []struct {
		flag  string
		rules []string
	}{{"--select", in.Rules}, {"--ignore", in.Ignore}} {
		if args, err = withRules(args, list.flag, list.rules); err != nil {
			return Answer{}, err
		}
	}
	r, a, err := c.command(ctx, args...)
	if err != nil {
		return a, err
	}
	a.Findings = c.findings(r.Findings)
	for _, f := range r.Findings {
		if uri := "rule://" + f.Code; !slices.Contains(a.Links, uri) && len(a.Links) < 5 {
			a.Links = append(a.Links, uri)
		}
	}
	fixable := slices.ContainsFunc(r.Findings, func(f finding.Finding) bool { return len(f.Fixes) > 0 })
	switch {
	case len(r.Findings) == 0:
		a.NextStep = NextStep{Tool: "profile", Why: "The source shows nothing; a measurement shows where the time goes."}
	case fixable:
		a.NextStep = NextStep{Tool: "profile", Why: "Measure which of these cost time here, before you propose a patch."}
	default:
		a.NextStep = NextStep{
			Tool: "explain", Arguments: map[string]any{"rule": r.Findings[0].Code},
			Why: "No finding has an automatic fix; read what to do.",
		}
	}
	return a, nil
}

// source is the start of a command line that reads the project.
func (c *call) source(command string, paths []string) ([]string, error) {
	args := []string{command}
	if len(paths) == 0 {
		paths = []string{"."}
	}
	for _, p := range paths {
		path, err := c.server.roots.path(p)
		if err != nil {
			return nil, err
		}
		args = append(args, path)
	}
	return args, nil
}

// withRules adds a list of rules to a command line. Only the form of a code or a name passes: the rest is checked by
// the command.
func withRules(args []string, flag string, rules []string) ([]string, error) {
	for _, r := range rules {
		if !isRunName(r) || strings.ContainsAny(r, " +") {
			return nil, refused("a rule is a code or a name, such as SAT203 or no-pin-memory")
		}
		args = append(args, flag+"="+r)
	}
	return args, nil
}

// findings are those whose file lies below the roots: a link in the project may lead out.
func (c *call) findings(list []finding.Finding) (out []Finding) {
	for _, f := range list {
		if f.Where == nil || c.server.roots.inside(f.Where.Path) {
			out = append(out, brief(f))
		}
	}
	return out
}

type reportInput struct {
	Run string `json:"run,omitempty" jsonschema:"id, name or latest; lists all Runs when empty"`
}

func answerReport(ctx context.Context, c *call, in reportInput) (Answer, error) {
	if in.Run == "" {
		r, a, err := c.command(ctx, "report")
		if data, ok := r.Data.(view.ListData); ok {
			for _, one := range data.Runs {
				a.Runs = append(a.Runs, lineOf(one))
			}
		}
		a.NextStep = NextStep{Tool: "profile", Why: "Measure the program."}
		if len(a.Runs) > 0 {
			a.NextStep = NextStep{
				Tool: "report", Arguments: map[string]any{"run": "latest"},
				Why: "Read the newest Run, or another by its id.",
			}
		}
		return a, err
	}
	found, err := c.server.find(in.Run)
	if err != nil {
		return Answer{}, err
	}
	r, a, err := c.command(ctx, "report", found.Dir)
	if err != nil {
		return a, err
	}
	a.Findings, a.Run, a.Links = c.findings(r.Findings), in.Run, []string{"run://" + in.Run}
	if data, ok := r.Data.(view.VerifyData); ok {
		a.Verdict = verdictOf(data)
		a.NextStep = afterVerdict(a.Verdict, nil)
		return a, nil
	}
	a.NextStep = NextStep{
		Tool: "analyze", Arguments: map[string]any{"run": in.Run},
		Why: "Explain the trace of this Run, and predict fixes.",
	}
	return a, nil
}

func lineOf(r run.Run) RunLine {
	line := RunLine{ID: r.ID, Name: r.Name, State: string(r.State), Command: strings.Join(r.Command, " ")}
	if !r.Started.IsZero() {
		line.Started = r.Started.UTC().Format(time.RFC3339)
	}
	return line
}

// seconds writes a time as a flag takes it.
func seconds(d time.Duration) string { return fmt.Sprintf("%.0fs", max(1, d.Seconds())) }
