package repair

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/patch"
)

// installed are folders that a package manager owns, foreign are folders of code that somebody else maintains.
var (
	installed = []string{"site-packages", "dist-packages", "node_modules"}
	foreign   = []string{"vendor", "vendored", "_vendor", "third_party", "third-party", "thirdparty", "3rdparty"}
)

// made matches the sentence with which a generator marks its files, near their top.
var made = regexp.MustCompile(`(?i)@generated\b|\b(auto[- ]?generated|automatically generated|generated (by|from|using))\b[^\n]*(\n[^\n]*){0,4}?\bdo not\s+(edit|modify|change)|\bdo not\s+(edit|modify)\b[^\n]*(\n[^\n]*){0,4}?\b(auto[- ]?generated|generated (by|from))\b|code generated .* do not edit`)

// protected says why a file must not be edited, or nothing.
func protected(path string, text []byte) string {
	for part := range strings.SplitSeq(filepath.ToSlash(filepath.Dir(path)), "/") {
		switch {
		case slices.Contains(installed, part):
			return "the file belongs to an installed package; the next installation would undo the fix"
		case slices.Contains(foreign, part):
			return "the file is vendored (" + part + "); fix it at its source"
		}
	}
	head := text[:min(len(text), 2000)]
	if filepath.Ext(path) != ".ipynb" && made.Match(comments(head)) {
		return "the file is generated; fix its generator"
	}
	if patch.ReadOnly(path) {
		return "the file is read-only; make it writable first"
	}
	return ""
}

// comments keeps the comment and documentation lines that open a file.
func comments(head []byte) []byte {
	var out [][]byte
	inDoc := false
	for line := range bytes.SplitSeq(head, []byte("\n")) {
		text := bytes.TrimSpace(line)
		quotes := bytes.Count(text, []byte(`"""`)) + bytes.Count(text, []byte(`'''`))
		if !inDoc && quotes == 0 && len(text) > 0 && text[0] != '#' && !bytes.HasPrefix(text, []byte("//")) {
			break
		}
		if quotes%2 == 1 {
			inDoc = !inDoc
		}
		out = append(out, text)
	}
	return bytes.Join(out, []byte("\n"))
}
