package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/human"
	"saturate/internal/patch"
	"saturate/internal/process"
	"saturate/internal/report"
	"saturate/internal/rule"
	"saturate/internal/rule/repair"
	"saturate/internal/view"
)

type fixOptions struct {
	only, except, exclude []string
	unsafe, apply, undo   bool
	project               string
}

var fixCommand = command{
	name: "fix", group: fix, args: "[PATH…]", max: -1, endings: []string{".diff", ".patch"},
	short: "Fix what starves the GPU: show a diff, or write it with --apply",
	long: `Fix what starves the GPU, in source and settings files: show a diff, or write it with --apply.

By default, fix makes only changes that keep the results the same. --unsafe adds changes of precision, randomness,
memory use or dependencies. Some fixes are only shown, because they can also slow a program down: "saturate optimize"
measures them. Every fix is tested in memory first: the file still parses, the finding is gone, and no
new one appears. Findings without a fix are listed.

--apply changes all files or none. If it is killed, the next command completes or reverts the change, and says which.
Installed packages and vendored, generated and read-only files are skipped.

Exit codes: 0 nothing to fix, or applied; 1 fixes available; 2 a file cannot be read or written, and nothing changed.`,
	example: `  saturate fix                      show the diff
  saturate fix --apply              write it; saturate fix --undo reverts it
  saturate fix | git apply          the same through git
  saturate fix --unsafe --only SAT2 only data loader settings
  saturate fix src/train.py --except no-pin-memory`,
	formats: []string{"text", "json", "markdown", "html"},
	data:    view.FixData{},
	prepare: with(func(fs *pflag.FlagSet, o *fixOptions) {
		fs.BoolVar(&o.apply, "apply", false, "write the fixes to the files")
		fs.BoolVar(&o.undo, "undo", false, "revert the last --apply below PATH, byte for byte")
		fs.BoolVar(&o.unsafe, "unsafe", false, "also make fixes that may change results")
		fs.StringSliceVar(&o.only, "only", nil, "only these rules: `CODES`, names, or prefixes of codes (SAT2)")
		fs.StringSliceVar(&o.except, "except", nil, "skip these rules: `CODES`, as for --only")
		fs.StringSliceVar(&o.exclude, "exclude", nil, "skip files that match `PATTERNS`, as in .gitignore")
		projectFlag(fs, &o.project)
		onCommandLineOnly(fs, "apply", "undo", "unsafe")
		takeRules(fs, "only", "except")
	}, runFix),
}

func runFix(ctx context.Context, env *Env, o fixOptions, args []string) (report.Report, error) {
	if o.undo {
		return undoFix(env, o, args)
	}
	selection := rule.Selection{Select: o.only, Ignore: o.except, Small: o.only}
	if unknown := selection.Unknown(); len(unknown) > 0 {
		return report.Report{}, usage("unknown rule %q; `saturate rule` lists all rules", unknown[0])
	}
	if len(args) == 0 {
		args = []string{"."}
	}
	var paths []string
	for _, a := range args {
		paths = append(paths, env.path(a))
	}
	shown := stages{display: env.Progress}
	defer shown.end()
	read, in := withinProject(env, o.project, paths)
	plan, err := repair.Make(ctx, repair.Options{
		Paths: read, In: in, Exclude: o.exclude, Rules: selection, Unsafe: o.unsafe, Cores: env.Cores,
		Environments: env.environments(), Progress: shown.files("reading", "testing fixes"),
	})
	shown.end()
	if err != nil {
		return report.Report{}, err
	}
	var warnings []string
	if o.apply && len(plan.Changes) > 0 {
		warnings = uncommitted(ctx, env, plan)
		journal, err := env.journal()
		if err != nil {
			return report.Report{}, err
		}
		if err := journal.Apply(plan.Project.Root, "saturate fix --apply", plan.Changes); err != nil {
			return report.Report{}, err
		}
	}
	plan.Show(env.shown)
	r := view.OfFix(plan, o.apply && len(plan.Changes) > 0)
	r.Warnings = append(warnings, r.Warnings...)
	if !o.apply && len(plan.Changes) > 0 {
		r.Next = []string{o.typed(args) + " --apply"}
	}
	return r, nil
}

// typed is the command line that gives the same plan.
func (o fixOptions) typed(args []string) string {
	line := []string{"saturate fix"}
	for _, a := range args {
		if a != "." {
			line = append(line, human.Shell(a))
		}
	}
	if o.project != "" {
		line = append(line, "--project", o.project)
	}
	if o.unsafe {
		line = append(line, "--unsafe")
	}
	for _, list := range []struct {
		flag   string
		values []string
	}{{"--only", o.only}, {"--except", o.except}, {"--exclude", o.exclude}} {
		if len(list.values) > 0 {
			line = append(line, list.flag, human.Shell(strings.Join(list.values, ",")))
		}
	}
	return strings.Join(line, " ")
}

func undoFix(env *Env, o fixOptions, args []string) (report.Report, error) {
	if o.apply || o.unsafe || o.project != "" || len(o.only)+len(o.except)+len(o.exclude) > 0 {
		return report.Report{}, usage("--undo takes no other flags: `saturate fix --undo [PATH]`")
	}
	if len(args) > 1 {
		return report.Report{}, usage("--undo takes one PATH: a file or the project folder")
	}
	root := env.Dir
	if len(args) == 1 {
		root = env.path(args[0])
	}
	journal, err := env.journal()
	if err != nil {
		return report.Report{}, err
	}
	paths, err := journal.Undo(root)
	if errors.Is(err, patch.ErrNothingToUndo) {
		return report.Report{}, usage("nothing to undo below %s", env.shown(root))
	}
	if err != nil {
		return report.Report{}, err
	}
	for i := range paths {
		paths[i] = env.shown(paths[i])
	}
	return view.OfUndo(paths), nil
}

// journal is where changes of the user's files are kept until they are safe, and to take them back.
func (e *Env) journal() (*patch.Journal, error) {
	state := e.Var("XDG_STATE_HOME")
	switch {
	case filepath.IsAbs(state):
	case e.Var("HOME") != "":
		state = filepath.Join(e.Var("HOME"), ".local", "state")
	case e.Var("LOCALAPPDATA") != "":
		state = e.Var("LOCALAPPDATA")
	default:
		return nil, errors.New("no folder for the undo journal; set XDG_STATE_HOME to a folder you can write to")
	}
	return &patch.Journal{Dir: filepath.Join(state, "saturate", "journal"), Now: e.Now}, nil
}

// recoverChanges ends what a killed --apply or --undo left in between, before any command does its work.
func (e *Env) recoverChanges() {
	journal, err := e.journal()
	if err != nil {
		return // then nothing was ever applied
	}
	messages, err := journal.Recover()
	for _, m := range messages {
		e.say("%s", m)
	}
	if err != nil {
		e.say("warning: %v", err)
	}
}

// uncommitted warns of files with changes that git does not have yet: the repair will stand among them.
func uncommitted(ctx context.Context, env *Env, plan *repair.Plan) (warnings []string) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second) // the repository may hold a pipe where git looks
	defer cancel()
	args := []string{"status", "--porcelain", "-z", "--untracked-files=no", "--"}
	for _, c := range plan.Changes {
		args = append(args, c.Path)
	}
	out, err := process.OpenGit(ctx, plan.Project.Root, env.Vars).Run(ctx, 1<<20, args...)
	if err != nil {
		return nil // no git, or not under version control
	}
	var names []string
	for entry := range strings.SplitSeq(string(out), "\x00") {
		if len(entry) > 3 {
			names = append(names, entry[3:])
		}
	}
	if len(names) > 0 {
		warnings = append(warnings, fmt.Sprintf("these files also have your uncommitted changes: %s; `saturate fix "+
			"--undo` reverts only the fixes", strings.Join(names, ", ")))
	}
	return warnings
}
