package mcp

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// roots are the folders that an agent may name paths in. os.Root follows no link that leads out of them.
type roots []root

type root struct {
	dir  string
	open *os.Root
}

// refusal is an error for what an agent may not do, as opposed to what did not work.
type refusal string

func (r refusal) Error() string { return string(r) }

func refused(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

func openRoots(dirs []string) (roots, error) {
	var list roots
	for _, dir := range dirs {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			list.close()
			return nil, fmt.Errorf("--root %s: %w", dir, plain(err))
		}
		open, err := os.OpenRoot(real)
		if err != nil {
			list.close()
			return nil, fmt.Errorf("--root %s: %w", dir, plain(err))
		}
		list = append(list, root{real, open})
	}
	return list, nil
}

func (r roots) close() {
	for _, one := range r {
		one.open.Close()
	}
}

const longestPath = 1024

// path is where a file or folder stands that an agent names. It exists and lies below a root, links resolved.
func (r roots) path(typed string) (string, error) {
	if typed == "" || len(typed) > longestPath || strings.ContainsFunc(typed, unicode.IsControl) {
		return "", refused("a path is 1 to %d characters, without control characters", longestPath)
	}
	for _, one := range r {
		relative := typed
		if filepath.IsAbs(typed) {
			var err error
			if relative, err = filepath.Rel(one.dir, filepath.Clean(typed)); err != nil {
				continue
			}
		}
		if !filepath.IsLocal(relative) {
			continue
		}
		switch _, err := one.open.Stat(relative); {
		case err == nil:
			return filepath.Join(one.dir, relative), nil
		case errors.Is(err, fs.ErrNotExist) && len(r) == 1:
			return "", fmt.Errorf("no such file or folder: %s", typed)
		}
	}
	return "", refused("the path is not below the folders that saturate mcp was started with")
}

// inside reports whether a path that a command came across lies below a root, links resolved.
func (r roots) inside(path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(r[0].dir, path)
	}
	_, err := r.path(path)
	return err == nil
}

var runName = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._ +-]{0,99}$`)

func isRunName(name string) bool { return runName.MatchString(name) && !strings.Contains(name, "..") }

// gitRef is a branch, tag or commit. Nothing that git could take for an option or a range.
var gitRef = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_./~^@{}-]{0,199}$`)

func isRef(name string) bool { return gitRef.MatchString(name) && !strings.Contains(name, "..") }

// plain is an error without the path, which the message names already.
func plain(err error) error {
	var of *fs.PathError
	if errors.As(err, &of) {
		return of.Err
	}
	return err
}
