package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"saturate/internal/human"
	"saturate/internal/report"
	"saturate/internal/shard"
)

// shardOptions are what plan, work, merge and status have in common.
type shardOptions struct {
	per     int
	which   string
	scratch string
	check   bool
	help    bool
	replace bool
	script  shard.Script
	typed   func(func(*pflag.Flag))
}

// shardData is what their JSON holds.
type shardData struct {
	State   *shard.State   `json:"state,omitempty"`   // of plan, merge and status
	Worked  *shard.Worked  `json:"worked,omitempty"`  // of work
	Fetched *shard.Fetched `json:"fetched,omitempty"` // of fetch
}

func (o *shardOptions) planFlags(fs *pflag.FlagSet, what string) {
	fs.IntVar(&o.per, "per-shard", 1000, what+" per shard; a worker that dies loses at most one shard's work")
	o.scratchFlag(fs)
	onCommandLineOnly(fs, "per-shard")
}

func (o *shardOptions) scratchFlag(fs *pflag.FlagSet) {
	fs.StringVar(&o.scratch, "scratch", "", "local `FOLDER` for files on their way to an object store (default: the system's temporary folder)")
	onCommandLineOnly(fs, "scratch")
}

// workFlags are those of work; kind is mel or tts.
func (o *shardOptions) workFlags(fs *pflag.FlagSet, kind string) {
	o.typed = fs.Visit
	section(fs, "Which shards", func() {
		fs.StringVar(&o.which, "shard", "", "make the shards of worker `i/N`, with i from 0; with /N, i comes from SLURM_ARRAY_TASK_ID, JOB_COMPLETION_INDEX or RANK (default: both from the scheduler, or all shards)")
	})
	fs.BoolVar(&o.help, "take-over", false,
		"after its own shards, make those that slow or dead workers have not published")
	section(fs, "Write a script instead", func() {
		fs.StringVar(&o.script.Engine, "emit", "", "write a script that runs the workers: "+strings.Join(shard.EngineNames(),
			", "))
		var names []string
		for _, engine := range shard.EngineNames() {
			names = append(names, shard.ScriptName(engine, kind))
		}
		fs.StringVarP(&o.script.File, "output", "o", "", "`FILE` of the script (default: "+human.Or(names)+")")
		fs.IntVar(&o.script.Tasks, "tasks", 0, "workers in the array or Job (default: one per shard, at most 500)")
		fs.IntVar(&o.script.CPUs, "cpus", 4, "CPUs of each worker")
		fs.StringVar(&o.script.Image, "image", "", "container image with saturate, for k8s")
		fs.StringVar(&o.script.Claim, "claim", "", "volume claim that holds the plan's folder, for k8s")
		fs.BoolVar(&o.replace, "replace", false, "overwrite an edited script")
	})
	o.scratchFlag(fs)
	onCommandLineOnly(fs, "shard", "emit", "output", "tasks", "cpus", "image", "claim", "replace", "take-over")
}

func (o *shardOptions) mergeFlags(fs *pflag.FlagSet) {
	fs.BoolVar(&o.check, "check", false, "read every published byte and compare it with its SHA-256")
	o.scratchFlag(fs)
	onCommandLineOnly(fs, "check")
}

// place is where a plan lies: a path as it is seen from here, or an object store.
func (o *shardOptions) place(env *Env, typed string) string {
	if shard.IsRemote(typed) {
		return strings.TrimRight(typed, "/")
	}
	return env.path(typed)
}

func (o *shardOptions) store(env *Env, place string) (shard.Store, error) {
	scratch := o.scratch
	if scratch != "" {
		scratch = env.path(scratch)
	}
	s, err := shard.Open(place, scratch, env.Var)
	if err != nil {
		return nil, usage("%v", err)
	}
	return s, nil
}

// stores gives an opener that keeps what it has opened.
func (o *shardOptions) stores(env *Env) func(place string) (shard.Store, error) {
	open := map[string]shard.Store{}
	lock := make(chan struct{}, 1)
	return func(place string) (shard.Store, error) {
		lock <- struct{}{}
		defer func() { <-lock }()
		if s := open[place]; s != nil {
			return s, nil
		}
		s, err := o.store(env, place)
		if err == nil {
			open[place] = s
		}
		return s, err
	}
}

// plan opens the plan that the only argument names.
func (o *shardOptions) plan(ctx context.Context, env *Env, kind, verb string, args []string) (shard.Store, *shard.Plan, error) {
	if len(args) != 1 {
		return nil, nil, usage("%s %s needs the place of a plan; try: saturate %s %s FOLDER", kind, verb, kind, verb)
	}
	s, err := o.store(env, o.place(env, args[0]))
	if err != nil {
		return nil, nil, err
	}
	p, err := shard.ReadPlan(ctx, s)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil, usage("%s has no plan; make one with: saturate %s plan INPUT -o %s", args[0], kind, args[0])
	case err != nil:
		return nil, nil, err
	case p.Kind != kind:
		return nil, nil, usage("%s is a plan of saturate %s; try: saturate %s %s %s", args[0], p.Kind, p.Kind, verb, args[0])
	}
	return s, p, nil
}

// publish makes a draft the plan of a place, and says how far the place is.
func publish(ctx context.Context, s shard.Store, d *shard.Draft, place, noun string) (report.Report, error) {
	existing, err := d.Publish(ctx, s)
	if err != nil {
		return report.Report{}, err
	}
	st, err := shard.Status(ctx, s, &d.Plan)
	if err != nil {
		return report.Report{}, err
	}
	return planned(&d.Plan, place, noun, existing, st), nil
}

// planned reports a plan that was made.
func planned(p *shard.Plan, place, noun string, existing bool, st shard.State) report.Report {
	out := report.Report{Title: "Plan", Data: shardData{State: &st}}
	sentence := fmt.Sprintf("%s: %s in %s, %s. Plan %s.", place, human.Plural(p.Inputs, noun),
		human.Plural(len(p.Shards), "shard"), human.Bytes(p.Bytes), p.Hash[:8])
	if existing {
		sentence = fmt.Sprintf("%s has this plan already: %s in %s. Plan %s.", place, human.Plural(p.Inputs, noun),
			human.Plural(len(p.Shards), "shard"), p.Hash[:8])
	}
	out.Summary = []string{sentence}
	at := human.Shell(place)
	out.Next = []string{
		fmt.Sprintf("saturate %s work %s --shard 0/4", p.Kind, at),
		fmt.Sprintf("saturate %s work %s --emit slurm", p.Kind, at),
		fmt.Sprintf("saturate %s merge %s --check", p.Kind, at),
	}
	return out
}

// work makes this worker's shards, or writes a script for all workers.
func (o *shardOptions) work(ctx context.Context, env *Env, s shard.Store, p *shard.Plan, typed string, make shard.Maker) (report.Report, error) {
	if o.script.Engine != "" {
		return o.emit(env, p, typed)
	}
	if name := firstTyped(o.typed, "output", "tasks", "cpus", "image", "claim", "replace"); name != "" {
		return report.Report{}, usage("--%s needs --emit; add it or remove --%s", name, name)
	}
	which, err := shard.Choose(o.which, env.Var)
	if err != nil {
		return report.Report{}, usage("%v", err)
	}
	mine := which.Mine(len(p.Shards))
	task := env.Progress.Start("shards", "shards", int64(len(mine)))
	note := func(e shard.Event) {
		if e.What != "begun" {
			task.Add(1)
		}
		switch {
		case e.Err != nil:
			env.say("shard %d: %v", e.Shard, e.Err)
		case env.Verbose > 0:
			env.say("shard %d: %s", e.Shard, e.What)
		}
	}
	w, err := shard.Work(ctx, s, p, mine, make, note)
	if err == nil && o.help {
		var more shard.Worked
		more, err = shard.TakeOver(ctx, s, p, mine, make, note)
		w.TakenOver, w.Lost = more.Published, w.Lost+more.Lost
	}
	task.Done()
	if ctx.Err() != nil {
		return report.Report{}, exitError{exitStopped, fmt.Errorf("stopped after %s of %s; the same command resumes",
			human.Count(w.Published+w.Skipped), human.Plural(w.Shards, "shard"))}
	}
	if n := len(w.Failed); n > 1 {
		return report.Report{}, fmt.Errorf("%s of %s failed; the first: %w", human.Count(n), human.Plural(w.Shards, "shard"),
			err)
	}
	if err != nil {
		return report.Report{}, err
	}
	out := report.Report{Title: "Shards", Data: shardData{Worked: &w}}
	out.Summary = []string{fmt.Sprintf("Worker %d of %d (%s): %s published, %s existing; %s, %s of audio.",
		which.Worker, which.Of, which.From, human.Plural(w.Published,
			"shard"), human.Count(w.Skipped), human.Plural(int(w.Rows), "row"), human.Duration(w.Seconds))}
	if w.TakenOver > 0 {
		out.Summary = append(out.Summary, fmt.Sprintf("%s of other workers published.", human.Plural(w.TakenOver, "shard")))
	}
	if w.Lost > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s had been published by another worker meanwhile",
			human.Plural(w.Lost, "shard")))
	}
	if w.Unusable > 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("%s could not be used; `saturate %s merge` lists them", human.Plural(w.Unusable, "input"), p.Kind))
	}
	out.Next = []string{fmt.Sprintf("saturate %s status %s", p.Kind, human.Shell(typed))}
	return out, nil
}

func firstTyped(visit func(func(*pflag.Flag)), names ...string) (found string) {
	visit(func(f *pflag.Flag) {
		if found == "" && slices.Contains(names, f.Name) {
			found = f.Name
		}
	})
	return found
}

// emit writes a script whose workers get the flags that were typed here.
func (o *shardOptions) emit(env *Env, p *shard.Plan, typed string) (report.Report, error) {
	if o.help && o.script.Engine == "ray" {
		return report.Report{}, usage("--take-over is not for Ray, which hands out one shard at a time; remove it")
	}
	place := o.place(env, typed) // whole: the script runs elsewhere
	o.script.Args = []string{place}
	o.typed(func(f *pflag.Flag) {
		if !slices.Contains([]string{
			"emit", "output", "tasks", "cpus", "image", "claim", "replace", "shard", "quiet",
			"verbose", "color", "format",
		}, f.Name) {
			o.script.Args = append(o.script.Args, "--"+f.Name+"="+f.Value.String())
		}
	})
	o.script.File = cmp.Or(o.script.File, shard.ScriptName(o.script.Engine, p.Kind))
	text, err := shard.Emit(p, place, o.script)
	if err != nil {
		return report.Report{}, usage("%v", err)
	}
	if err := give(env, []gift{{o.script.File, signed(text)}}, o.replace, otherName); err != nil {
		return report.Report{}, err
	}
	start := map[string]string{
		"slurm": "sbatch ", "k8s": "kubectl apply -f ",
		"ray": "python ",
	}[o.script.Engine] + human.Shell(o.script.File)
	return report.Report{
		Title: "Shards", Summary: []string{fmt.Sprintf("Wrote %s for %s.", o.script.File,
			human.Plural(len(p.Shards), "shard"))},
		Next: []string{start, fmt.Sprintf("saturate %s status %s", p.Kind, human.Shell(typed))},
		Data: shardData{},
	}, nil
}

// stateReport says how far a plan is.
func stateReport(typed string, st shard.State) report.Report {
	out := report.Report{Title: "Shards", Data: shardData{State: &st}}
	if st.Published < st.Shards {
		out.Outcome = report.Undecided
		out.Summary = []string{fmt.Sprintf("%s of %s published in %s (%s).", human.Count(st.Published),
			human.Plural(st.Shards, "shard"), typed, human.Percent(float64(st.Published)/float64(st.Shards)))}
		var first []string
		for _, n := range st.Missing[:min(10, len(st.Missing))] {
			first = append(first, fmt.Sprint(n))
		}
		more := ""
		if n := st.Shards - st.Published - len(first); n > 0 {
			more = fmt.Sprintf(" and %s more", human.Count(n))
		}
		out.Summary = append(out.Summary, "Missing: "+strings.Join(first, ", ")+more+".")
		return out
	}
	out.Tone = report.Good
	out.Summary = []string{fmt.Sprintf("All %s are published in %s.", human.Plural(st.Shards, "shard"), typed)}
	return out
}

// mergedReport says what all shards hold together.
func mergedReport(typed string, st shard.State) report.Report {
	out := stateReport(typed, st)
	out.Summary = []string{fmt.Sprintf("%s is complete: %s, %s from %s (%s of audio), %s.", typed,
		human.Plural(st.Shards, "shard"), human.Plural(int(st.Rows), "row"),
		human.Plural(st.Inputs, "input"), human.Duration(st.Seconds), human.Bytes(st.Bytes))}
	if st.Checked > 0 {
		out.Summary = append(out.Summary, fmt.Sprintf("%s read and compared with their SHA-256.",
			human.Plural(st.Checked, "file")))
	}
	out.Summary = append(out.Summary, "Index: "+strings.TrimRight(typed, "/")+"/"+st.Index)
	if st.Failed > 0 {
		out.Outcome, out.Tone = report.Found, report.Bad
		out.Summary = append(out.Summary, fmt.Sprintf("%s could not be used.", human.Plural(st.Failed, "input")))
		table := &report.Table{Columns: []report.Column{{Name: "Input"}, {Name: "Reason"}}}
		for _, f := range st.Unusable[:min(20, len(st.Unusable))] {
			table.Rows = append(table.Rows, []string{f.Input, f.Reason})
		}
		if n := st.Failed - len(table.Rows); n > 0 {
			table.Foot = fmt.Sprintf("and %s more", human.Count(n))
		}
		out.Blocks = append(out.Blocks, report.Block{Heading: "Unusable", Table: table})
	}
	return out
}

// status is the command of that name.
func (o *shardOptions) status(ctx context.Context, env *Env, kind string, args []string) (report.Report, error) {
	s, p, err := o.plan(ctx, env, kind, "status", args)
	if err != nil {
		return report.Report{}, err
	}
	st, err := shard.Status(ctx, s, p)
	if err != nil {
		return report.Report{}, err
	}
	return stateReport(args[0], st), nil
}

// merge checks that everything is there.
func (o *shardOptions) merge(ctx context.Context, env *Env, kind string, args []string) (shard.Store, *shard.Plan, report.Report, error) {
	s, p, err := o.plan(ctx, env, kind, "merge", args)
	if err != nil {
		return nil, nil, report.Report{}, err
	}
	task := env.Progress.Start("merging", "shards", int64(len(p.Shards)))
	st, _, err := shard.Merge(ctx, s, p, o.check, func(done int) { task.Set(int64(done)) })
	task.Done()
	if err != nil {
		return nil, nil, report.Report{}, err
	}
	return s, p, mergedReport(args[0], st), nil
}
