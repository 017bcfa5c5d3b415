package project

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// isScript reports a shell script, a Makefile or a README by its name: it may say how a program is started. Settings in
// languages that are not read further say what it names.
func isScript(name string) bool {
	switch filepath.Ext(name) {
	case ".sh", ".bash", ".slurm", ".sbatch", ".mk", ".conf", ".hocon", ".jsonnet", ".libsonnet", ".ini":
		return true
	}
	switch strings.ToLower(filepath.Base(name)) {
	case "makefile", "gnumakefile", "justfile":
		return true
	}
	return isReadme(name)
}

// isReadme reports a text for people that shows how a program is installed or started.
func isReadme(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	return strings.HasSuffix(base, ".md") && slices.ContainsFunc(shownIn, func(start string) bool { return strings.HasPrefix(base, start) })
}

var shownIn = []string{"readme", "install", "train", "getting_started", "getting-started", "usage"}

// readScript keeps the commands of a script or README; spaces replace the rest, so that offsets stay valid.
func readScript(path string, text []byte) *Source {
	s := &Source{Path: path, Text: text, lines: lineStarts(text)}
	if isReadme(path) {
		s.Text = shownCommands(text)
	}
	s.Text = comments.ReplaceAllFunc(s.Text, spaces)
	return s
}

// shownCommands keeps the lines of a Markdown text that stand in blocks of code: between fences, or indented.
func shownCommands(text []byte) []byte {
	kept := make([]byte, 0, len(text))
	var open []byte // the fence that a block began with
	for line := range bytes.Lines(text) {
		fence, behind := fenceOf(line)
		switch {
		case open == nil && len(fence) > 0 && (fence[0] == '~' || !bytes.Contains(behind, fence[:1])): // ```data/``` is code within a sentence
			open = fence
		case open != nil && bytes.HasPrefix(fence, open) && len(behind) == 0:
			open = nil
		default:
			fence = nil // a line of text, or of the block
		}
		indented := bytes.HasPrefix(line, []byte("    ")) || bytes.HasPrefix(line, []byte("\t"))
		if fence == nil && (open != nil || indented) {
			kept = append(kept, line...)
			continue
		}
		kept = append(kept, spaces(bytes.TrimRight(line, "\r\n"))...)
		kept = append(kept, line[len(bytes.TrimRight(line, "\r\n")):]...)
	}
	return kept
}

// fenceOf is the row of ` or ~ that a line starts with, three or more, and what stands behind it.
func fenceOf(line []byte) (fence, behind []byte) {
	line = bytes.TrimSpace(line)
	for _, sign := range [...]string{"`", "~"} {
		behind = bytes.TrimLeft(line, sign)
		if row := line[:len(line)-len(behind)]; len(row) >= 3 {
			return row, behind
		}
	}
	return nil, nil
}

// StartedWith reports whether a script of the project that starts the module gives an option of the command line,
// and does not turn it off: --fp16, but not --fp16 False.
func (p *Project) StartedWith(m *Module, option string) bool {
	for _, c := range p.commands[m] { // also python -m folder.program
		if w, given := c.options[option]; given && !strings.EqualFold(w.text, "false") && w.text != "0" {
			return true
		}
	}
	program := []byte(filepath.Base(m.Path))
	given := regexp.MustCompile(`--` + regexp.QuoteMeta(option) + `\b(?:[\s=]+["']?(?:False|false|0)\b)?`)
	for _, s := range p.Scripts {
		if !bytes.Contains(s.Text, program) {
			continue
		}
		for _, found := range given.FindAll(s.Text, -1) {
			if len(found) == len("--"+option) {
				return true
			}
		}
	}
	return false
}

// Given is the value that a command of a script gives an option, and where.
type Given struct {
	Value   string
	Command []byte // the whole of it, over all its lines
	Source  *Source
	Span    pysrc.Span
}

// GivenBy lists the values that the scripts of the project give an option of the command line when they start a module.
func (p *Project) GivenBy(m *Module, option string) (list []Given) {
	program := []byte(filepath.Base(m.Path))
	given := regexp.MustCompile(`--` + regexp.QuoteMeta(option) + `[ \t=]+["']?([^\s"']+)`)
	for _, s := range p.Scripts {
		for _, line := range commands.FindAllIndex(s.Text, -1) {
			command := s.Text[line[0]:line[1]]
			if !bytes.Contains(command, program) {
				continue
			}
			for _, at := range given.FindAllSubmatchIndex(command, -1) {
				span := pysrc.Span{Start: int32(line[0] + at[0]), End: int32(line[0] + at[1])}
				list = append(list, Given{string(command[at[2]:at[3]]), command, s, span})
			}
		}
	}
	return list
}

// commands are the lines of a script, each with those that it is continued on.
var commands = regexp.MustCompile(`(?:[^\n\\]|\\[\s\S])+`)

// spaces replaces a comment with spaces, so that offsets stay valid.
func spaces(comment []byte) []byte { return bytes.Repeat([]byte{' '}, len(comment)) }

// comments are the lines of a script that are not run.
var comments = regexp.MustCompile(`(?m)^\s*#.*$`)
