package mcp

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"saturate/internal/files"
	"saturate/internal/verify"
	"saturate/internal/view"
)

type profileInput struct {
	Command  []string `json:"command,omitempty" jsonschema:"another program than the one of the start, as an argument list; the user is asked"`
	Steps    int      `json:"steps,omitempty" jsonschema:"end the program after so many steps; 40 when 0"`
	TimeoutS int      `json:"timeout_s,omitempty" jsonschema:"end the program after so many seconds"`
	NoTrace  bool     `json:"no_trace,omitempty" jsonschema:"record no trace: faster, but analyze has nothing to read"`
}

const defaultSteps = 40

func answerProfile(ctx context.Context, c *call, in profileInput) (Answer, error) {
	command, ask, err := c.program(in.Command)
	if err != nil || ask != nil {
		return Answer{}, orAsk(err, ask)
	}
	if in.Steps == 0 {
		in.Steps = defaultSteps
	}
	limit := c.left(ctx)
	if in.TimeoutS > 0 {
		limit = min(limit, time.Duration(in.TimeoutS)*time.Second)
	}
	args := []string{"profile", fmt.Sprintf("--steps=%d", in.Steps), "--timeout=" + seconds(limit)}
	if in.NoTrace {
		args = append(args, "--no-trace")
	}
	r, a, err := c.command(ctx, append(append(args, "--"), command...)...)
	if err != nil {
		a.NextStep = NextStep{Tool: "doctor", Why: "Check what is missing on this machine."}
		return a, err
	}
	a.Findings = c.findings(r.Findings)
	data, ok := r.Data.(view.ProfileData)
	if !ok {
		return a, nil
	}
	if data.Crash != nil || data.Run.StepCount == 0 {
		a.Status, a.Problem = Failed, "the program ended before a step was measured"
		a.Printed = c.printed
		a.NextStep = NextStep{Why: "Read `printed`: the program itself has to run first."}
		return a, nil
	}
	a.Run = data.Run.ID
	a.Links = []string{"run://" + a.Run}
	switch {
	case len(data.Traces) > 0 && data.Trace != nil:
		a.NextStep = NextStep{
			Tool: "analyze", Arguments: map[string]any{"run": a.Run},
			Why: "The trace explains the idle time, and predicts what each fix saves.",
		}
	default:
		a.NextStep = NextStep{Tool: "propose", Why: "Get the known fixes as a patch, then verify it."}
	}
	return a, nil
}

type verifyInput struct {
	Patch    string   `json:"patch,omitempty" jsonschema:"patch file: as propose names it, or below the roots"`
	Diff     string   `json:"diff,omitempty" jsonschema:"a unified diff of your own, instead of a file"`
	Base     string   `json:"base,omitempty" jsonschema:"a git ref: compares it with the working tree, instead of a patch"`
	Command  []string `json:"command,omitempty" jsonschema:"another program than the one of the start, as an argument list; the user is asked"`
	Pairs    int      `json:"pairs,omitempty" jsonschema:"pairs of runs; 6 when 0, fewer cannot reach significance"`
	Steps    int      `json:"steps,omitempty" jsonschema:"steps per run, including warm-up"`
	Numerics string   `json:"numerics,omitempty" jsonschema:"what may happen to the loss: same, or changed for bf16 and the like"`
}

func answerVerify(ctx context.Context, c *call, in verifyInput) (Answer, error) {
	before, after, err := c.variants(in)
	if err != nil {
		return Answer{}, err
	}
	command, ask, err := c.program(in.Command)
	if err != nil || ask != nil {
		return Answer{}, orAsk(err, ask)
	}
	switch in.Numerics {
	case "":
		in.Numerics = "same"
	case "same", "changed":
	default:
		return Answer{}, refused("`numerics` is same or changed; the guard cannot be switched off here")
	}
	if in.Pairs < 0 || in.Pairs > 100 || in.Steps < 0 || in.Steps > 100_000 {
		return Answer{}, refused("`pairs` is at most 100, and `steps` at most 100,000")
	}
	// What guards the result is said here, so that no settings file of the project loosens it.
	args := []string{
		"verify", "--before=" + before, "--after=" + after, "--numerics=" + in.Numerics, "--samples=same",
		fmt.Sprintf("--margin=%g", verify.DefaultMargin), fmt.Sprintf("--threshold=%g", verify.DefaultThreshold),
		"--budget=" + seconds(c.left(ctx)*4/5), "--timeout=" + seconds(c.left(ctx)/2),
		fmt.Sprintf("--pairs=%d", orElse(in.Pairs, verify.DefaultPairs)), fmt.Sprintf("--steps=%d",
			orElse(in.Steps, verify.DefaultSteps)),
		fmt.Sprintf("--calibrate=%d", verify.DefaultCalibration), "--gate=0", "--measure=step",
	}
	r, a, err := c.command(ctx, append(append(args, "--"), command...)...)
	if err != nil {
		return a, err
	}
	data, ok := r.Data.(view.VerifyData)
	if !ok {
		return a, nil
	}
	a.Verdict = verdictOf(data)
	if data.Run != "" {
		a.Run = filepath.Base(data.Run) // the folder of all its runs
		a.Links = []string{"run://" + a.Run}
	}
	if data.Log != "" {
		a.Printed = c.lastLines(data.Log)
	}
	a.NextStep = afterVerdict(a.Verdict, &in)
	return a, nil
}

// variants are what verify compares.
func (c *call) variants(in verifyInput) (before, after string, err error) {
	given := 0
	for _, s := range []string{in.Patch, in.Diff, in.Base} {
		if s != "" {
			given++
		}
	}
	switch {
	case given != 1:
		return "", "", refused("name one change: `patch`, `diff` or `base`")
	case in.Base != "" && !isRef(in.Base):
		return "", "", refused("`base` is a branch, a tag or a commit")
	case in.Base != "":
		return in.Base, ".", nil
	case in.Diff != "":
		name, err := c.server.keepPatch("diff", []byte(in.Diff))
		if err != nil {
			return "", "", err
		}
		in.Patch = name
	}
	file, err := c.server.patchFile(in.Patch)
	return ".", file, err
}

// verdictOf is the judgement in figures.
func verdictOf(d view.VerifyData) *Verdict {
	v := &Verdict{
		Word: string(d.Verdict), Cause: string(d.Cause), Reason: d.Reason, P: round(d.P), Pairs: d.Pairs,
		BeforeMS: round(1e3 * float64(d.Before.Median)), AfterMS: round(1e3 * float64(d.After.Median)),
		Loss: string(d.Guard.State), LossWhy: d.Guard.Reason, Samples: string(d.Guard.Samples.State), Numerics: string(d.Guard.Numerics),
	}
	// The ratio is after / before; people speak of before / after.
	if r := float64(d.Ratio); d.Ratio.Finite() && r > 0 {
		v.Speedup = round(1 / r)
	}
	if lo, hi := d.Interval[0], d.Interval[1]; lo.Finite() && hi.Finite() && lo > 0 && hi > 0 {
		v.Low, v.High = round(1/float64(hi)), round(1/float64(lo))
	}
	return v
}

func afterVerdict(v *Verdict, in *verifyInput) NextStep {
	switch verify.Verdict(v.Word) {
	case verify.Faster:
		return NextStep{Why: "Proven. Show the user the patch and the interval; the user " +
			"applies it. Then profile again to see what remains."}
	case verify.Slower:
		return NextStep{Why: "Drop this change. Try another, such as one rule of the patch alone."}
	case verify.Invalid:
		return NextStep{Why: "The change broke the loss, the samples or the program: see `cause` and `printed`. Drop it or correct it; the guard stays."}
	case verify.TheSame:
		return NextStep{Why: "The change makes no difference that matters. Drop it; profile shows what does cost time."}
	}
	next := NextStep{Tool: "verify", Why: "Nothing is shown. More pairs may decide."}
	if in != nil && in.Diff == "" {
		next.Arguments = map[string]any{"pairs": min(100, 2*orElse(in.Pairs, verify.DefaultPairs))}
		if in.Patch != "" && patchName.MatchString(in.Patch) {
			next.Arguments["patch"] = in.Patch
		}
	}
	return next
}

// left is the time that the call has.
func (c *call) left(ctx context.Context) time.Duration {
	deadline, ok := ctx.Deadline()
	if !ok {
		return c.server.opt.Limit
	}
	return max(time.Second, time.Until(deadline)*9/10) // the rest is for the answer
}

func orElse(n, otherwise int) int {
	if n == 0 {
		return otherwise
	}
	return n
}

// lastLines are the last lines of a log that a command names.
func (c *call) lastLines(log string) []string {
	if !filepath.IsAbs(log) {
		log = filepath.Join(c.server.roots[0].dir, log)
	}
	text, err := files.Read(log, 1<<20)
	if err != nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[max(0, len(lines)-mostPrinted):]
}

// mostPrinted lines of a program are enough to see why it ended.
const mostPrinted = 8
