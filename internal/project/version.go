package project

import (
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

// Versions are the libraries that a project asks for.
type Versions struct {
	// Required is what the files say, in the order of their paths.
	Required []Requirement
	// Installed are the versions that the program runs with, where it was seen to run.
	Installed map[string]string
}

// Requirement is one library in one file.
type Requirement struct {
	Library string // lower case, with hyphens
	// Exact is the version of a lock file or an == pin; Low the lowest that a
	// range allows; High the lowest that it no longer allows. Each may be empty.
	Exact, Low, High string
	Path             string
	Line             int
	// Said is set where a text only names a version, as a README or Dockerfile does: it counts where nothing is required.
	Said bool
	Name string // what the source uses, which later versions no longer have; may be empty
}

// Answer is yes, no or maybe.
type Answer uint8

const (
	Maybe Answer = iota
	Yes
	No
)

// Known reports whether the project asks for the library at all.
func (v Versions) Known(library string) bool {
	for _, r := range v.Required {
		if r.Library == normalName(library) {
			return true
		}
	}
	return false
}

// Above returns what the files in a file's own folder and those above it ask for, and in a folder named requirements
// there: a repository of many examples may require other versions elsewhere.
func (v Versions) Above(file string) Versions {
	above := Versions{Installed: v.Installed}
	for _, r := range v.Required {
		folder := path.Dir(filepath.ToSlash(r.Path))
		if path.Base(folder) == "requirements" {
			folder = path.Dir(folder)
		}
		if folder == "." || strings.HasPrefix(filepath.ToSlash(file), strings.TrimSuffix(folder, "/")+"/") {
			above.Required = append(above.Required, r)
		}
	}
	return above
}

// AtLeast reports whether the version that will be used is at least the one given.
func (v Versions) AtLeast(library, version string) Answer {
	answer, library := Maybe, normalName(library)
	if installed := v.Installed[library]; installed != "" {
		if compareVersions(installed, version) >= 0 {
			return Yes
		}
		return No
	}
	var required, said []Answer
	for _, r := range v.Required {
		switch {
		case r.Library != library || !r.bounds():
		case r.Said:
			said = append(said, r.atLeast(version))
		case r.Exact != "" && answer == Maybe:
			answer = r.atLeast(version)
		default:
			required = append(required, r.atLeast(version))
		}
	}
	if answer == Maybe {
		for _, a := range required {
			answer = max(answer, a) // no range that excludes it may be left
		}
		if len(required) == 0 && len(said) > 0 {
			answer = said[0]
			for _, a := range said {
				answer = min(answer, a) // the newest that is named
			}
		}
	}
	return answer
}

// atLeast is what one requirement says.
func (r *Requirement) atLeast(version string) Answer {
	switch {
	case r.Exact != "" && compareVersions(r.Exact, version) < 0, r.High != "" && compareVersions(r.High, version) <= 0:
		return No
	case r.Exact != "", r.Low != "" && compareVersions(r.Low, version) >= 0:
		return Yes
	}
	return Maybe
}

func (v *Versions) add(list []Requirement) { v.Required = append(v.Required, list...) }

// normalName writes a library's name as PEP 503 does. Conda calls torch pytorch.
func normalName(name string) string {
	name = strings.ToLower(toDashes.Replace(name))
	if name == "pytorch" {
		return "torch"
	}
	return name
}

var toDashes = strings.NewReplacer("_", "-", ".", "-")

// compareVersions compares dotted numbers; what follows them (rc1, +cu121) does not count.
func compareVersions(a, b string) int {
	for a != "" || b != "" {
		var x, y int
		x, a = versionPart(a)
		y, b = versionPart(b)
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

func versionPart(s string) (int, string) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	n, _ := strconv.Atoi(s[:end])
	if end < len(s) && s[end] == '.' {
		return n, s[end+1:]
	}
	return n, ""
}

func isVersionsFile(base string) bool {
	switch base {
	case "pyproject.toml", "setup.cfg", "poetry.lock", "uv.lock", "pdm.lock", "pipfile", "environment.yml",
		"environment.yaml", "conda.yaml":
		return true
	}
	return isDockerfile(base) || strings.HasPrefix(base, "requirements") && strings.HasSuffix(base, ".txt") ||
		strings.HasSuffix(base, "requirements.txt") ||
		strings.HasPrefix(base, "constraints") && strings.HasSuffix(base, ".txt")
}

// readVersions reads the libraries that a file asks for. Each format is a list
// of requirement lines or of name and version pairs, and nothing else is read.
func readVersions(file string, text []byte) []Requirement {
	if isDockerfile(strings.ToLower(path.Base(slashed(file)))) {
		return versionsSaid(file, text)
	}
	var list []Requirement
	name := ""
	locked := strings.HasSuffix(file, ".lock")
	for i, line := range strings.Split(string(text), "\n") {
		r, ok := Requirement{}, false
		if locked {
			// [[package]] / name = "torch" / version = "2.4.0"
			key, value, found := strings.Cut(strings.TrimSpace(line), " = ")
			value = strings.Trim(value, `"`)
			switch {
			case !found:
			case key == "name":
				name = value
			case key == "version" && name != "":
				r, ok = Requirement{Library: normalName(name), Exact: value}, true
				name = ""
			}
		} else {
			r, ok = requirement(requirementText(path.Base(slashed(file)), line))
		}
		if ok {
			r.Path, r.Line = file, i+1
			list = append(list, r)
		}
	}
	return list
}

// requirementText takes the requirement out of a line: "torch>=2.0", in a TOML
// list, - torch=2.0 in a conda file, torch = "^2.0" in a Poetry section.
func requirementText(base, line string) string {
	line = strings.TrimSpace(line)
	switch {
	case strings.HasSuffix(base, ".toml") || base == "pipfile":
		if name, spec, ok := strings.Cut(line, " = "); ok {
			spec, _, _ = strings.Cut(strings.TrimSpace(spec), "#")
			spec = strings.TrimSpace(spec)
			if strings.HasPrefix(spec, `"`) && isLibraryName(name) && name != "version" && name != "python" {
				return name + poetry(strings.Trim(spec, `"`))
			}
			if _, inner, ok := strings.Cut(spec, `version = "`); ok && isLibraryName(name) {
				inner, _, _ = strings.Cut(inner, `"`)
				return name + poetry(inner)
			}
			if i := strings.IndexByte(spec, '"'); strings.HasPrefix(spec, "[") && i > 0 {
				line = spec[i:] // dependencies = ["torch>=2.0"]
			} else {
				return ""
			}
		}
		first, ok := strings.CutPrefix(line, `"`)
		if !ok {
			first, ok = strings.CutPrefix(line, `'`)
		}
		if !ok {
			return ""
		}
		end := strings.IndexAny(first, `"'`)
		if end < 0 {
			return ""
		}
		return first[:end]
	case strings.HasSuffix(base, ".yml") || strings.HasSuffix(base, ".yaml"):
		item, ok := strings.CutPrefix(line, "- ")
		if !ok || strings.HasSuffix(item, ":") {
			return ""
		}
		if i := strings.LastIndex(item, "::"); i >= 0 {
			item = item[i+2:]
		}
		if name, version, ok := strings.Cut(item, "="); ok && !strings.ContainsAny(name, "<>!~= ") &&
			!strings.HasPrefix(version, "=") {
			version, _, _ = strings.Cut(version, "=")
			return name + "==" + version
		}
		return item
	}
	return line
}

// poetry writes ^2.1 and ~2.1 as ranges that pip knows, and a bare version as a pin.
func poetry(spec string) string {
	switch {
	case spec == "" || spec == "*":
		return ""
	case spec[0] == '^' || spec[0] == '~' && !strings.HasPrefix(spec, "~="):
		low := spec[1:]
		major, _ := versionPart(low)
		return ">=" + low + ",<" + strconv.Itoa(major+1)
	case spec[0] >= '0' && spec[0] <= '9':
		return "==" + spec
	}
	return spec
}

func isLibraryName(s string) bool {
	for _, c := range s {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' || c == '.') {
			return false
		}
	}
	return s != ""
}

// requirement reads name[extra]>=1.0,<2.0 ; marker.
func requirement(line string) (Requirement, bool) {
	line, _, _ = strings.Cut(line, "#")
	line, _, _ = strings.Cut(line, ";")
	line = strings.TrimSpace(line)
	if line == "" || line[0] == '-' {
		return Requirement{}, false
	}
	end := strings.IndexAny(line, "[<>=!~ (@,")
	if end < 0 {
		end = len(line)
	}
	name := line[:end]
	if !isLibraryName(name) {
		return Requirement{}, false
	}
	rest := line[end:]
	if strings.HasPrefix(rest, "[") {
		_, rest, _ = strings.Cut(rest, "]")
	}
	r := Requirement{Library: normalName(name)}
	for _, spec := range strings.Split(strings.Trim(strings.TrimSpace(rest), "()"), ",") {
		spec = strings.TrimSpace(spec)
		operator := spec[:len(spec)-len(strings.TrimLeft(spec, "<>=!~"))]
		version := strings.TrimSpace(spec[len(operator):])
		switch operator {
		case "==", "===":
			r.Exact = strings.TrimSuffix(version, ".*")
		case ">=", ">":
			r.Low = version
		case "<":
			r.High = version
		case "~=":
			major, _ := versionPart(version)
			r.Low, r.High = version, strconv.Itoa(major+1)
		}
	}
	return r, true
}
