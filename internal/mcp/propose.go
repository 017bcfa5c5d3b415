package mcp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"regexp"

	"saturate/internal/files"
	"saturate/internal/human"
	patches "saturate/internal/patch"
	"saturate/internal/rule/repair"
	"saturate/internal/view"
)

type proposeInput struct {
	Paths  []string `json:"paths,omitempty" jsonschema:"files or folders below the roots; the project when empty"`
	Rules  []string `json:"rules,omitempty" jsonschema:"only these rules: codes, names, or prefixes of codes"`
	Except []string `json:"except,omitempty" jsonschema:"skip these rules"`
	Unsafe bool     `json:"unsafe,omitempty" jsonschema:"also fixes that may change results: precision, randomness, memory"`
}

func answerPropose(ctx context.Context, c *call, in proposeInput) (Answer, error) {
	args, err := c.source("fix", in.Paths)
	if err != nil {
		return Answer{}, err
	}
	for _, list := range []struct {
		flag  string
		rules []string
	}{{"--only", in.Rules}, {"--except", in.Except}} {
		if args, err = withRules(args, list.flag, list.rules); err != nil {
			return Answer{}, err
		}
	}
	if in.Unsafe {
		args = append(args, "--unsafe")
	}
	r, a, err := c.command(ctx, args...)
	if err != nil {
		return a, err
	}
	data, _ := r.Data.(view.FixData)
	for _, f := range data.Files {
		if !c.server.roots.inside(f.Path) {
			return a, refused("a fix would change a file outside the roots, through a link; name other paths")
		}
	}
	a.Patch = &Patch{Diff: data.Diff, Whole: true}
	unsafe := false
	for _, l := range data.Left {
		why := string(l.Reason)
		unsafe = unsafe || l.Reason == repair.NeedsUnsafe
		if l.Reason == repair.NoRepair && l.Advice != "" {
			why = l.Advice
		}
		a.Patch.Left = append(a.Patch.Left, fmt.Sprintf("%s %s:%d: %s", l.Code, l.Path, l.Line, why))
	}
	if data.Diff == "" {
		a.Patch = &Patch{Left: a.Patch.Left, Whole: true}
		a.NextStep = NextStep{Tool: "verify", Why: "No fix to propose. Write your own diff for the rest, and verify it."}
		if unsafe && !in.Unsafe {
			a.NextStep = NextStep{
				Tool: "propose", Arguments: map[string]any{"unsafe": true},
				Why: "What is left has fixes that may change results; verify guards the loss.",
			}
		}
		return a, nil
	}
	name, err := c.server.keepPatch("fix", []byte(data.Diff))
	if err != nil {
		return a, err
	}
	a.Patch.Path, a.Patch.Apply = name, "git apply "+human.Shell(filepath.Join(c.server.patches(), name))
	for _, f := range data.Files {
		a.Patch.Files = append(a.Patch.Files, fmt.Sprintf("%s (+%d −%d)", f.Path, f.Added, f.Removed))
	}
	arguments := map[string]any{"patch": name}
	for _, m := range data.Repairs {
		a.Patch.Fixes = append(a.Patch.Fixes, fmt.Sprintf("%s %s:%d: %s (%s)", m.Code, m.Path, m.Line, m.Title, m.Safety))
		if m.Safety == patches.Unsafe {
			a.Patch.Unsafe, arguments["numerics"] = true, "changed"
		}
	}
	a.Links = []string{"patch://" + name}
	a.NextStep = NextStep{
		Tool: "verify", Arguments: arguments,
		Why: "The patch is not measured yet. Only verify shows whether it is faster and right.",
	}
	return a, nil
}

const largestPatch = 1 << 20

// patches is the folder of the patch files that an agent works with. It lies in the folder of Runs, not among the
// sources.
func (s *Server) patches() string { return filepath.Join(s.opt.Runs, ".patches") }

// keepPatch writes a patch under a name made of its content.
func (s *Server) keepPatch(kind string, diff []byte) (string, error) {
	if len(diff) > largestPatch {
		return "", refused("a patch has at most %d bytes", largestPatch)
	}
	if err := files.MakeOwn(s.opt.Runs); err != nil {
		return "", err
	}
	if err := files.MakeOwn(s.patches()); err != nil {
		return "", err
	}
	sum := sha256.Sum256(diff)
	name := kind + "-" + hex.EncodeToString(sum[:6]) + ".patch"
	return name, files.Write(filepath.Join(s.patches(), name), diff)
}

var patchName = regexp.MustCompile(`^(?:fix|diff)-[0-9a-f]{12}\.patch$`)

// patchFile is the patch that an agent names: one of its own, or a file below the roots.
func (s *Server) patchFile(typed string) (string, error) {
	if patchName.MatchString(typed) {
		return filepath.Join(s.patches(), typed), nil
	}
	return s.roots.path(typed)
}
