package project

import (
	"bytes"
	"path/filepath"
	"regexp"
)

// isScript reports a shell script by its name: it may say how a program is started.
func isScript(name string) bool {
	switch filepath.Ext(name) {
	case ".sh", ".bash", ".slurm", ".sbatch":
		return true
	}
	return false
}

// StartedWith tells whether a script of the project that starts the module gives an option of the command line,
// and does not turn it off: --fp16, but not --fp16 False.
func (p *Project) StartedWith(m *Module, option string) bool {
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

// comments are the lines of a script that are not run.
var comments = regexp.MustCompile(`(?m)^\s*#.*$`)
