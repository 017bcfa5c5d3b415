package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"saturate/internal/files"
	"saturate/internal/finding"
)

// baselineSchema names the version of the baseline file.
const baselineSchema = "saturate/baseline/1"

// baseline lists findings that are known. A finding is identified by its rule, file and source line's
// text, not by the line's number, so that code above it may move.
type baseline struct {
	Schema   string          `json:"schema"`
	Findings []baselineEntry `json:"findings"`
}

type baselineEntry struct {
	Code   string `json:"code"`
	Path   string `json:"path"`
	Source string `json:"source"`
}

func entryOf(f finding.Finding) baselineEntry {
	e := baselineEntry{Code: f.Code}
	if f.Where != nil {
		e.Path, e.Source = filepath.ToSlash(f.Where.Path), strings.TrimSpace(f.Where.Excerpt)
	}
	return e
}

func writeBaseline(ctx context.Context, file string, findings []finding.Finding) error {
	b := baseline{Schema: baselineSchema, Findings: []baselineEntry{}}
	for _, f := range findings {
		b.Findings = append(b.Findings, entryOf(f))
	}
	data, err := json.MarshalIndent(b, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(ctx, file, append(data, '\n'))
}

// applyBaseline leaves out the findings that are known, each entry once.
func applyBaseline(file string, findings []finding.Finding) ([]finding.Finding, error) {
	data, err := files.Read(file, files.MaxSource)
	if err != nil {
		return nil, fmt.Errorf("cannot read the baseline: %w", err)
	}
	var b baseline
	if err := json.Unmarshal(data, &b); err != nil {
		return nil, fmt.Errorf("the baseline %s is damaged: %w; rewrite it with --write-baseline", file, err)
	}
	if b.Schema != baselineSchema {
		return nil, fmt.Errorf("%s is not a baseline of this version (its schema is %q); rewrite it with --write-baseline",
			file, b.Schema)
	}
	known := map[baselineEntry]int{}
	for _, e := range b.Findings {
		known[e]++
	}
	return slices.DeleteFunc(findings, func(f finding.Finding) bool {
		e := entryOf(f)
		known[e]--
		return known[e] >= 0
	}), nil
}

// perFileIgnores leaves rules out where a path matches.
type perFileIgnores []struct{ pattern, code string }

func parsePerFile(list []string) (perFileIgnores, error) {
	var out perFileIgnores
	for _, item := range list {
		i := strings.LastIndexByte(item, ':')
		if i <= 0 || i == len(item)-1 {
			return nil, usage("--per-file-ignore cannot be %q: use PATTERN:CODE, such as tests/*:SAT3", item)
		}
		if _, err := path.Match(item[:i], ""); err != nil {
			return nil, usage("--per-file-ignore %q: invalid pattern", item)
		}
		out = append(out, struct{ pattern, code string }{item[:i], strings.ToUpper(item[i+1:])})
	}
	return out, nil
}

func (p perFileIgnores) apply(findings []finding.Finding) []finding.Finding {
	return slices.DeleteFunc(findings, func(f finding.Finding) bool {
		if f.Where == nil {
			return false
		}
		at := filepath.ToSlash(f.Where.Path)
		for _, i := range p {
			if strings.HasPrefix(f.Code, i.code) && matchesPath(i.pattern, at) {
				return true
			}
		}
		return false
	})
}

// matchesPath matches the whole path, its last name, or a folder that it lies in.
func matchesPath(pattern, at string) bool {
	pattern = strings.TrimSuffix(pattern, "/")
	if ok, _ := path.Match(pattern, path.Base(at)); ok {
		return true
	}
	for p := at; p != "." && p != "/"; p = path.Dir(p) {
		if ok, _ := path.Match(pattern, p); ok {
			return true
		}
	}
	return false
}
