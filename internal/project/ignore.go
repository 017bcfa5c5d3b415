package project

import (
	"os"
	"path"
	"path/filepath"
	"strings"

	"saturate/internal/files"
)

// skippedFolders hold nothing that the user wrote.
var skippedFolders = setOf(".git", ".hg", ".svn", ".tox", ".nox", ".venv", "venv", "virtualenv",
	"node_modules", "site-packages", "dist-packages", "__pycache__", ".ipynb_checkpoints", ".mypy_cache",
	".pytest_cache", ".ruff_cache", ".eggs", "build", "dist", "wandb", "mlruns", "lightning_logs", ".saturate")

// ignores are the patterns that hold in a folder: those of the user, and of
// every .gitignore on the way down.
type ignores struct {
	base  string
	rules []ignoreRule
}

// ignoreRule is one line of a .gitignore.
type ignoreRule struct {
	base    string // the folder of the .gitignore
	pattern string
	negate  bool
	folder  bool // only folders
	rooted  bool // from base, not at any depth
}

const maxIgnoreBytes = 1 << 20

// enter adds the .gitignore of a folder.
func (ig ignores) enter(dir string) ignores {
	path := filepath.Join(dir, ".gitignore")
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ig // git follows no link here either
	}
	text, err := files.Read(path, maxIgnoreBytes)
	if err != nil {
		return ig
	}
	rules := parseIgnore(string(text))
	for i := range rules {
		rules[i].base = dir
	}
	ig.rules = append(ig.rules[:len(ig.rules):len(ig.rules)], rules...)
	return ig
}

func parseIgnore(text string) []ignoreRule {
	var rules []ignoreRule
	for _, line := range strings.Split(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		if line == "" || line[0] == '#' {
			continue
		}
		var r ignoreRule
		line, r.negate = strings.CutPrefix(line, "!")
		line, r.folder = strings.CutSuffix(line, "/")
		r.rooted = strings.Contains(line, "/")
		r.pattern = strings.TrimPrefix(strings.TrimPrefix(line, "/"), "**/")
		if strings.HasPrefix(line, "**/") {
			r.rooted = false
		}
		if r.pattern != "" && strings.Count(r.pattern, "**") <= 3 { // more would take very long, and nobody writes them
			rules = append(rules, r)
		}
	}
	return rules
}

// skips reports whether a file or folder is left out. The last pattern that
// matches decides, as in git.
func (ig ignores) skips(file, name string, isDir bool) bool {
	if isDir && skippedFolders[name] {
		return true
	}
	skip := false
	for _, r := range ig.rules {
		if r.folder && !isDir || r.negate != skip {
			continue
		}
		if r.matches(ig.base, file, name) {
			skip = !r.negate
		}
	}
	return skip
}

func (r ignoreRule) matches(base, file, name string) bool {
	if !r.rooted {
		if ok, _ := path.Match(r.pattern, name); ok {
			return true
		}
		if !strings.Contains(r.pattern, "/") {
			return false
		}
	}
	if r.base != "" {
		base = r.base
	}
	rel, err := filepath.Rel(base, file)
	if err != nil {
		return false
	}
	return matchSegments(strings.Split(r.pattern, "/"), strings.Split(filepath.ToSlash(rel), "/"))
}

// matchSegments matches a path folder by folder; ** stands for any number of them.
func matchSegments(pattern, segments []string) bool {
	for len(pattern) > 0 {
		if pattern[0] == "**" {
			if len(pattern) == 1 {
				return len(segments) > 0 // what is inside, not the folder itself
			}
			for i := range len(segments) + 1 {
				if matchSegments(pattern[1:], segments[i:]) {
					return true
				}
			}
			return false
		}
		if len(segments) == 0 {
			return false
		}
		if ok, _ := path.Match(pattern[0], segments[0]); !ok {
			return false
		}
		pattern, segments = pattern[1:], segments[1:]
	}
	return len(segments) == 0
}
