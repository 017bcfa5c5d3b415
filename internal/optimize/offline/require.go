package offline

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"saturate/internal/files"
	"saturate/internal/version"
)

// distribution is what pip installs.
const distribution = "saturate-gpu"

// require lists the package where the project lists what it needs, and says where: in requirements.txt or in
// pyproject.toml.
func (w *work) require(r *Repair, home string) string {
	for _, list := range []struct {
		name string
		with func(string) (string, bool)
	}{{"requirements.txt", inRequirements}, {"pyproject.toml", inPyproject}} {
		file := path.Join(home, list.name)
		text, err := files.Read(filepath.FromSlash(file), files.MaxSource)
		if err != nil {
			continue
		}
		fresh, ok := list.with(string(text))
		if !ok {
			continue
		}
		if fresh != string(text) {
			r.NewFiles = append(r.NewFiles, File{Path: file, Text: fresh})
		}
		return " (" + w.typed(file) + " lists it)"
	}
	return ""
}

var listed = regexp.MustCompile(`(?mi)^\s*saturate[-_.]gpu\b`)

// inRequirements adds a line. Where every line has a hash, pip refuses one without, so that list is the user's to
// change.
func inRequirements(text string) (string, bool) {
	switch {
	case listed.MatchString(text):
		return text, true
	case strings.Contains(text, "--hash=") || strings.Contains(text, "--require-hashes"):
		return "", false
	}
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += newline
	}
	return text + distribution + ">=" + version.Version + newline, true
}

var dependencies = regexp.MustCompile(`(?m)^dependencies[ \t]*=[ \t]*\[`)

// inPyproject adds an entry to [project] dependencies, and takes it back where that is not what the file then says.
func inPyproject(text string) (string, bool) {
	before, ok := needs(text)
	switch {
	case !ok:
		return "", false
	case slices.ContainsFunc(before, listed.MatchString):
		return text, true
	}
	for _, at := range dependencies.FindAllStringIndex(text, -1) {
		rest := text[at[1]:]
		entry := `"` + distribution + ">=" + version.Version + `"`
		line, _, _ := strings.Cut(rest, "\n")
		switch {
		case strings.TrimSpace(line) == "": // one entry a line
			indent := rest[len(line)+1:]
			indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
			entry = line + "\n" + indent + entry + ","
			rest = rest[len(line):]
		case !strings.HasPrefix(strings.TrimSpace(rest), "]"):
			entry += ", "
		}
		fresh := text[:at[1]] + entry + rest
		if after, ok := needs(fresh); ok && len(after) == len(before)+1 && slices.ContainsFunc(after, listed.MatchString) {
			return fresh, true
		}
	}
	return "", false
}

// needs are the dependencies of a project; not ok where it has no such list.
func needs(text string) ([]string, bool) {
	var file struct {
		Project struct {
			Dependencies []string `toml:"dependencies"`
		} `toml:"project"`
	}
	err := toml.Unmarshal([]byte(text), &file)
	return file.Project.Dependencies, err == nil && file.Project.Dependencies != nil
}
