package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// ErrGitTooMuch says that git had more to say than was asked for.
var ErrGitTooMuch = errors.New("the output is longer than what is kept")

// Git calls git in a repository that others may have made. Nothing that the repository brings along is run: hooks, its
// file system monitor, filters of its own settings, and what would fetch, ask, page or sign are off. Filters that the
// user has set up for all repositories, as git-lfs does, stay.
type Git struct {
	dir     string
	environ []string
	off     []string // settings of the repository that name programs or files elsewhere
	err     error    // why git cannot be asked at all
}

// gitPatience is how long git may take to read its settings: a repository may hold a pipe in their place.
const gitPatience = 20 * time.Second

// never are settings that would run a program or reach another machine.
var never = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "core.editor=true", "core.sshCommand=false", "core.askPass=",
	"core.alternateRefsCommand=", "core.gitProxy=", "credential.helper=", "protocol.allow=never", "log.showSignature=false",
	"submodule.recurse=false", "gc.auto=0", "maintenance.auto=false", "core.quotePath=off",
}

// local are the settings that a repository may not decide about. Those of filters and drivers have a free name in the
// middle. A driver without a command fails where it is asked: diffs are made with --no-textconv and --no-ext-diff.
const local = `^((filter|diff|merge)\..*\.(clean|smudge|process|required|textconv|command|driver)|core\.(excludesfile|attributesfile|worktree))$`

// OpenGit looks up what has to be switched off in a folder's repository.
func OpenGit(ctx context.Context, dir string, environ []string) Git {
	g := Git{dir: dir, environ: environ}
	asking, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	// An error means no such setting, no repository or no git; the next call reports it.
	out, _ := g.Run(asking, 1<<20, "config", "--includes", "--show-scope", "--name-only", "--null", "--get-regexp", local)
	if asking.Err() != nil && ctx.Err() == nil {
		g.err = fmt.Errorf("git could not read the settings of the repository within %.0f s", gitPatience.Seconds())
	}
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		switch scope, name := fields[i], fields[i+1]; {
		case scope == "global" || scope == "system":
		case name == "core.worktree" && slices.ContainsFunc(environ, isGitDir): // the user has named the repository
		case name == "core.worktree": // or files elsewhere would be taken for the repository's
			g.environ = append(slices.Clone(g.environ), "GIT_WORK_TREE="+topOf(dir))
		case strings.HasSuffix(name, ".required"): // or a filter without a command is an error
			g.off = append(g.off, name, "false")
		default:
			g.off = append(g.off, name, "")
		}
	}
	return g
}

func isGitDir(variable string) bool { return strings.HasPrefix(variable, "GIT_DIR=") }

// topOf is the folder that holds the repository of a folder.
func topOf(dir string) string {
	dir, _ = filepath.Abs(dir)
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Lstat(filepath.Join(at, ".git")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}

// With is the same with further variables, such as GIT_INDEX_FILE.
func (g Git) With(environ ...string) Git {
	g.environ = slices.Concat(g.environ, environ)
	return g
}

// Run returns what git prints, at most so many bytes of it; 0 keeps all. An error is the first line of its
// complaint.
func (g Git) Run(ctx context.Context, most int, args ...string) ([]byte, error) {
	if g.err != nil {
		return nil, g.err
	}
	var words []string
	for _, setting := range never {
		words = append(words, "-c", setting)
	}
	cmd := Command(ctx, "git", slices.Concat(words, []string{"-C", g.dir}, args)...)
	cmd.Env = append(slices.Clone(g.environ), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "GIT_NO_LAZY_FETCH=1",
		"GIT_ALLOW_PROTOCOL=none",
		"GIT_CONFIG_NOSYSTEM=1", "GIT_ATTR_NOSYSTEM=1", "GIT_PAGER=cat", "LC_ALL=C", fmt.Sprintf("GIT_CONFIG_COUNT=%d",
			len(g.off)/2))
	for i := 0; i < len(g.off); i += 2 { // by variables: a name may hold an equals sign
		cmd.Env = append(cmd.Env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i/2, g.off[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s",
			i/2, g.off[i+1]))
	}
	var complaint Tail
	out := &beginning{most: most, full: func() { _ = cmd.Process.Kill() }}
	cmd.Stdout, cmd.Stderr = out, &complaint
	err := cmd.Run()
	switch {
	case out.over:
		return out.kept[:bytes.LastIndexByte(out.kept, '\n')+1], ErrGitTooMuch
	case err == nil || errors.Is(err, exec.ErrNotFound):
		return out.kept, err
	}
	if first, _, _ := strings.Cut(strings.TrimSpace(string(complaint)), "\n"); first != "" {
		return nil, errors.New(first)
	}
	return nil, err
}

// beginning keeps the first bytes of what is written, and says when there are more.
type beginning struct {
	kept []byte
	most int
	over bool
	full func()
}

func (b *beginning) Write(p []byte) (int, error) {
	n := len(p)
	if b.most > 0 && len(b.kept)+n > b.most {
		p = p[:b.most-len(b.kept)]
		if !b.over {
			b.over = true
			b.full()
		}
	}
	b.kept = append(b.kept, p...)
	return n, nil
}
