package cli

import (
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/spf13/pflag"

	"saturate/internal/mcp"
	"saturate/internal/process"
	"saturate/internal/report"
	"saturate/internal/version"
)

type mcpOptions struct {
	roots []string
	limit time.Duration
}

var mcpCommand = command{
	name: "mcp", group: agents, args: "[-- COMMAND…]", min: 0, max: -1,
	short: "Serve coding agents over stdin and stdout (Model Context Protocol)",
	long: `Serve coding agents over stdin and stdout, with the Model Context Protocol. "saturate agent install" sets
up an agent to use it.

The tools are doctor, scan, explain (= saturate rule, for a rule, a finding or a gap), profile, analyze, propose
(= saturate fix, as a patch file), verify and report. They run saturate's commands and create the same Runs. An agent
can name only paths below --root, and can run only COMMAND; any other program needs your consent, for which the agent
asks you. No tool changes your files: propose writes a patch file to runs/, and verify measures a patch in a copy, with
all its checks.`,
	example: `  saturate mcp -- python train.py
  saturate mcp --root . --root /data/traces --limit 30m -- python train.py --epochs 1`,
	prepare: with(func(fs *pflag.FlagSet, o *mcpOptions) {
		fs.StringArrayVar(&o.roots, "root", nil, "`DIR` that agents may name paths in (default: the current folder); COMMAND runs in the first")
		fs.DurationVar(&o.limit, "limit", time.Hour, "end a call after this time")
		onCommandLineOnly(fs, "root", "limit")
	}, serveAgents),
}

func serveAgents(ctx context.Context, env *Env, o mcpOptions, program []string) (report.Report, error) {
	switch {
	case env.dash > 0:
		return report.Report{}, usage("mcp takes a command after --; try: saturate mcp -- python train.py")
	case len(program) > 0 && env.dash < 0:
		return report.Report{}, usage("mcp takes a command after --; try: saturate mcp -- %s", typed(program))
	case o.limit < time.Second:
		return report.Report{}, usage("--limit must be at least 1s")
	}
	roots := []string{env.Dir}
	if len(o.roots) > 0 {
		roots = nil
		for _, dir := range o.roots {
			roots = append(roots, env.path(dir))
		}
	}
	inner := *env
	inner.Dir = roots[0]
	server, err := mcp.New(mcp.Options{
		Version: version.Version, Roots: roots, Program: program, Limit: o.limit,
		Runs: inner.path(env.Config.Get("runs").Value), Commands: inner.inProcess,
	})
	if err != nil {
		return report.Report{}, usage("%v", err)
	}
	err = server.Serve(ctx, io.NopCloser(env.Stdin), nopCloser{env.Stdout})
	if err != nil && ctx.Err() == nil && !errors.Is(err, io.EOF) {
		return report.Report{}, err
	}
	env.silent = true
	return report.Report{}, nil
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

// inProcess runs one command line as Main does, apart from this process's own streams: stdin and stdout belong to the
// client.
func (e *Env) inProcess(ctx context.Context, args []string, told func(string)) mcp.Result {
	printed := &lines{}
	inner := &Env{
		Stdin: strings.NewReader(""), Stdout: io.Discard, Stderr: printed, Dir: e.Dir, Now: e.Now, Vars: e.Vars,
		Cores: e.Cores,
		told:  told,
	}
	var result mcp.Result
	inner.take = func(r report.Report) { result.Report = r }
	root := newRoot(inner)
	root.SetArgs(append([]string{args[0], "--quiet", "--format=json"}, args[1:]...))
	err := root.ExecuteContext(ctx)
	if ctx.Err() != nil && err != nil && !errors.As(err, &exitError{}) {
		err = context.Canceled
	}
	result.Exit, result.Problem, result.Printed = exitCode(err), errorText(err), printed.last(8)
	return result
}

// lines keeps the last lines that several writers have written.
type lines struct {
	mu   sync.Mutex
	tail process.Tail
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.tail.Write(p)
}

func (l *lines) last(n int) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	text := strings.TrimSpace(strings.ToValidUTF8(string(l.tail), "?"))
	if text == "" {
		return nil
	}
	all := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	return all[max(0, len(all)-n):]
}
