package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"saturate/internal/files"
	"saturate/internal/human"
	"saturate/internal/process"
)

const gitPatience = 5 * time.Minute

// ErrNoGit says that git itself is missing.
var ErrNoGit = errors.New("git is not installed: install it, or give folders instead of refs and patches")

// git runs a command of git's in a folder. It never writes to the user's repository: objects are
// only read, and the index that is filled is a temporary one.
func git(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitPatience)
	defer cancel()
	out, err := process.OpenGit(ctx, dir, os.Environ()).With(env...).Run(ctx, 0, args...)
	if errors.Is(err, exec.ErrNotFound) {
		err = ErrNoGit
	}
	return string(out), err
}

func isRef(ctx context.Context, dir, name string) bool {
	_, err := git(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	return err == nil
}

// repository is the top of the user's tree, and where in it the user stands.
func repository(ctx context.Context, dir string) (top, inside string, err error) {
	out, err := git(ctx, dir, nil, "rev-parse", "--show-toplevel")
	if err != nil {
		return "", "", err
	}
	top = strings.TrimRight(out, "\r\n")
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", "", plainError(err)
	}
	inside, err = filepath.Rel(top, real)
	return top, inside, err
}

// prepareRef writes the files of a commit into a folder of their own.
func prepareRef(ctx context.Context, dir, name, into string, command []string) (Variant, error) {
	top, inside, err := repository(ctx, dir)
	switch {
	case errors.Is(err, ErrNoGit):
		return Variant{}, err
	case err != nil:
		return Variant{}, fmt.Errorf("%s is not a file, folder or git ref: %s is not in a git repository", name, dir)
	}
	out, err := git(ctx, dir, nil, "rev-parse", "--verify", "--quiet", "--end-of-options", name+"^{commit}")
	if err != nil {
		return Variant{}, fmt.Errorf("%s is not a file, folder or git ref%s", name, nearRefs(ctx, dir))
	}
	commit := strings.TrimSpace(out)
	if err := emptyFolder(into); err != nil {
		return Variant{}, err
	}
	index := into + ".index"
	defer os.Remove(index)
	env := []string{"GIT_INDEX_FILE=" + index}
	if _, err := git(ctx, top, env, "read-tree", commit); err != nil {
		return Variant{}, fmt.Errorf("the files of %s cannot be read: %w", name, err)
	}
	if _, err := git(ctx, top, env, "checkout-index", "--all", "--quiet",
		"--prefix="+into+string(filepath.Separator)); err != nil {
		return Variant{}, fmt.Errorf("the files of %s cannot be written: %w", name, err)
	}
	submodules, err := linkSubmodules(ctx, top, into, env)
	if err != nil {
		return Variant{}, err
	}
	linked, err := linkIgnored(ctx, top, into)
	if err != nil {
		return Variant{}, err
	}
	v, err := inCopy(name, Ref, into, inside, command, linked)
	v.Commit, v.Origin = commit, top
	if len(submodules) > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("submodules (%s) are linked into %s in their current state", someOf(submodules), name))
	}
	if changed, err := git(ctx, top, nil, "status", "--porcelain", "--untracked-files=no"); err == nil && changed != "" {
		v.Notes = append(v.Notes, fmt.Sprintf("%s does not hold your uncommitted changes in "+
			"%s; name the folder (.) to measure those", name, human.Plural(strings.Count(changed, "\n"), "file")))
	}
	return v, err
}

// linkSubmodules puts links where a commit names repositories within the repository: it does not hold their files.
func linkSubmodules(ctx context.Context, top, into string, env []string) (linked []string, err error) {
	list, err := git(ctx, top, env, "ls-files", "-z", "--stage")
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(list, "\x00") {
		_, name, _ := strings.Cut(entry, "\t")
		to := filepath.Join(into, name)
		if !strings.HasPrefix(entry, "160000 ") || name == "" {
			continue
		}
		if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return linked, fmt.Errorf("%s cannot be linked: %w", name, plainError(err))
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Symlink(filepath.Join(top, name), to)); err != nil {
			return linked, fmt.Errorf("%s cannot be linked: %w", name, plainError(err))
		}
		linked = append(linked, name)
	}
	return linked, nil
}

// nearRefs names some refs that could have been meant.
func nearRefs(ctx context.Context, dir string) string {
	out, err := git(ctx, dir, nil, "for-each-ref", "--count=4", "--sort=-committerdate", "--format=%(refname:short)",
		"refs/heads", "refs/tags")
	if names := strings.Fields(out); err == nil && len(names) > 0 {
		return "; there are " + strings.Join(names, ", ")
	}
	return ""
}

// preparePatch copies the user's tree as it is now and applies a patch to the copy.
func preparePatch(ctx context.Context, dir, name, patch, into string, command []string) (Variant, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return Variant{}, ErrNoGit
	}
	if err := emptyFolder(into); err != nil {
		return Variant{}, err
	}
	top, inside, err := repository(ctx, dir)
	inRepository := err == nil
	var linked []string
	if inRepository {
		err = copyTracked(ctx, top, into)
		if err == nil {
			linked, err = linkIgnored(ctx, top, into)
		}
	} else {
		top, inside = dir, "."
		linked, err = copyPlain(top, into)
	}
	if err != nil {
		return Variant{}, fmt.Errorf("the current tree cannot be copied: %w", err)
	}
	patch, err = filepath.Abs(patch)
	if err != nil {
		return Variant{}, err
	}
	// The copy may lie within the user's repository: git must not take it for a part of that.
	alone := []string{"GIT_CEILING_DIRECTORIES=" + filepath.Dir(into)}
	_, err = git(ctx, into, alone, "apply", "--whitespace=nowarn", patch)
	if err != nil && inside != "." {
		// A patch may have been made from where the user stands.
		if _, again := git(ctx, filepath.Join(into, inside), alone, "apply", "--whitespace=nowarn", patch); again == nil {
			err = nil
		}
	}
	if err != nil {
		return Variant{}, fmt.Errorf("the patch %s does not apply to the current tree: %s", name,
			strings.TrimPrefix(err.Error(), "error: "))
	}
	v, err := inCopy(name, Patch, into, inside, command, linked)
	v.Origin = top
	return v, err
}

func inCopy(name string, kind Kind, into, inside string, command []string, linked []string) (Variant, error) {
	v := Variant{Name: name, Kind: kind, Dir: filepath.Join(into, inside), Root: into, Command: command}
	if _, err := os.Stat(v.Dir); err != nil {
		return v, fmt.Errorf("%s has no folder %s: run the command from a folder that both variants have", name, inside)
	}
	if len(linked) > 0 {
		v.Notes = append(v.Notes, fmt.Sprintf("files that git ignores (%s) are linked into %s, not copied",
			strings.Join(linked[:min(3, len(linked))], ", "), name))
	}
	return v, v.look()
}

func emptyFolder(into string) error {
	if err := errors.Join(os.RemoveAll(into), os.MkdirAll(into, 0o755)); err != nil {
		return fmt.Errorf("cannot create a folder for the variant: %w", err)
	}
	return nil
}

// copyTracked copies what git knows or would add: the tree with its uncommitted changes.
func copyTracked(ctx context.Context, top, into string) error {
	list, err := git(ctx, top, nil, "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--full-name")
	if err != nil {
		return err
	}
	own := map[string]bool{".": false}
	for name := range strings.SplitSeq(list, "\x00") {
		if name == "" || files.Inside(filepath.Join(top, name), into) || inOwn(top, filepath.Dir(name), own) {
			continue
		}
		if err := copyFile(filepath.Join(top, name), filepath.Join(into, name)); err != nil &&
			!errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// inOwn reports whether a folder of the tree is one of saturate's, or lies in one. What it has found out is kept.
func inOwn(top, folder string, known map[string]bool) bool {
	own, ok := known[folder]
	if !ok {
		own = inOwn(top, filepath.Dir(folder), known) || Own(filepath.Join(top, folder))
		known[folder] = own
	}
	return own
}

// neverLinked are ignored files that belong to the place they are in.
var neverLinked = []string{"__pycache__", ".saturate", "runs", ".git", ".pytest_cache", ".mypy_cache", ".ruff_cache"}

// linkIgnored puts links to what git ignores beside the files of a variant: datasets, checkpoints, environments.
// They are too large to copy, and the program needs them.
func linkIgnored(ctx context.Context, top, into string) (linked []string, err error) {
	list, err := git(ctx, top, nil, "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory",
		"--full-name")
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(list, "\x00") {
		name = strings.TrimSuffix(name, "/")
		from, to := filepath.Join(top, name), filepath.Join(into, name)
		if name == "" || slices.Contains(neverLinked, filepath.Base(name)) || strings.HasSuffix(name, ".pyc") ||
			files.Inside(into, from) || files.Inside(from, into) || Own(from) {
			continue
		}
		if _, err := os.Lstat(to); err == nil {
			continue // the variant brings its own
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(to), 0o755), os.Symlink(from, to)); err != nil {
			return linked, fmt.Errorf("%s cannot be linked: %w", name, plainError(err))
		}
		linked = append(linked, name)
	}
	return linked, nil
}

// largestCopied: larger files outside a repository are linked.
const largestCopied = 16 << 20

// copyPlain copies a folder that is in no repository.
func copyPlain(top, into string) (linked []string, err error) {
	err = filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(top, path)
		switch {
		case path == into || slices.Contains(neverLinked, d.Name()) || d.IsDir() && path != top && Own(path):
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		case d.IsDir():
			return os.MkdirAll(filepath.Join(into, name), 0o755)
		}
		if info, err := d.Info(); err == nil && info.Size() > largestCopied {
			linked = append(linked, name)
			return os.Symlink(path, filepath.Join(into, name))
		}
		return copyFile(path, filepath.Join(into, name))
	})
	return linked, err
}

// copyFile copies a file with its mode, or a link as it is.
func copyFile(from, to string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	case info.IsDir(): // a repository within the repository
		return os.Symlink(from, to)
	case !info.Mode().IsRegular():
		return nil
	}
	in, err := files.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := files.Create(to, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
