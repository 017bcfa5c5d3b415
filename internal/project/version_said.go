package project

import (
	"bytes"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// versionsSaid reads the versions that a README, script, Dockerfile or conda file of any name tells people to install.
func versionsSaid(file string, text []byte) []Requirement {
	base := strings.ToLower(path.Base(slashed(file)))
	switch {
	case settingsLanguage(base) == "yaml":
		if !bytes.HasPrefix(text, condaList) && !bytes.Contains(text, append([]byte("\n"), condaList...)) {
			return nil
		}
		return at(file, readVersions("environment.yml", text))
	case settingsLanguage(base) != "":
		return nil
	case base == "setup.py":
		return inQuotes(file, text)
	}
	list := installCommands(file, text)
	if isReadme(base) {
		list = append(list, inProse(file, text)...)
	}
	return list
}

// condaList is the key that a conda file has at its top, whatever its name.
var condaList = []byte("dependencies:")

// isDockerfile reports the recipe of an image by its name.
func isDockerfile(base string) bool {
	return base == "dockerfile" || strings.HasPrefix(base, "dockerfile.") || strings.HasSuffix(base, ".dockerfile")
}

// at gives requirements the path of the file that asks for them.
func at(file string, list []Requirement) []Requirement {
	for i := range list {
		list[i].Path = file
	}
	return list
}

// installCommands reads what commands install, and the images that have it: pip install torch==1.7.1,
// FROM pytorch/pytorch:1.7.0-cuda11.
func installCommands(file string, text []byte) (list []Requirement) {
	line := 0
	for l := range bytes.Lines(text) {
		line++
		if !bytes.Contains(l, []byte("install")) && !bytes.Contains(l, []byte("pytorch")) {
			continue
		}
		said := string(l)
		if image := torchImage.FindStringSubmatch(said); image != nil {
			list = append(list, Requirement{Library: "torch", Exact: image[1], Path: file, Line: line, Said: true})
		}
		at := installs.FindStringIndex(said)
		if at == nil {
			continue
		}
		list = append(list, withCUDA(file, line, said[at[1]:])...)
		for _, word := range strings.Fields(said[at[1]:]) {
			word = strings.Trim(word, "`'\"\\,;)")
			if name, version, ok := strings.Cut(word, "="); ok && isLibraryName(name) && !strings.HasPrefix(version, "=") {
				word = name + "==" + version // conda's spelling
			}
			if r, ok := requirement(word); ok && r.bounds() {
				r.Path, r.Line, r.Said = file, line, true
				list = append(list, r)
			}
		}
	}
	return list
}

// withCUDA is what a conda command says of torch without a version, by the package that it gets CUDA from: builds since
// torch 1.13 need pytorch-cuda.
func withCUDA(file string, line int, said string) []Requirement {
	words := strings.Fields(channels.ReplaceAllString(said, ""))
	if !slices.Contains(words, "pytorch") || !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, "cudatoolkit") }) {
		return nil
	}
	return []Requirement{{Library: "torch", High: "1.13", Path: file, Line: line, Said: true}}
}

var channels = regexp.MustCompile(`\s(?:-c|--channel)[ =]\S+`)

var (
	installs   = regexp.MustCompile(`\b(?:pip3?|conda|mamba|uv)\s+(?:pip\s+)?(?:install|add)\s`)
	torchImage = regexp.MustCompile(`(?i)^\s*FROM\s+\S*pytorch/pytorch:(\d+\.\d+(?:\.\d+)?)`)
)

// inProse reads the version of torch that a README names: "PyTorch 1.4", "torch (>= 1.0)", "PyTorch 1.6 or later".
func inProse(file string, text []byte) (list []Requirement) {
	line := 0
	for l := range bytes.Lines(text) {
		line++
		said := link.ReplaceAllString(string(l), "$1")
		for _, m := range torchSaid.FindAllStringSubmatch(said, -1) {
			r := Requirement{Library: "torch", Path: file, Line: line, Said: true}
			for _, version := range dotted.FindAllString(m[3], -1) {
				if major, _ := versionPart(version); major <= 2 && (r.Exact == "" || compareVersions(version, r.Exact) > 0) {
					r.Exact = version
				}
			}
			if m[1] != "" || strings.ContainsAny(m[2], ">≥~^") || m[4] != "" {
				r.Low, r.Exact = r.Exact, ""
			}
			if r.bounds() && !strings.Contains(m[2], "<") {
				list = append(list, r)
			}
		}
	}
	return list
}

var (
	link = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	// at least, the name, a comparison, versions, and what allows later ones
	torchSaid = regexp.MustCompile(`(?i)(at least |minimum )?\b(?:py)?torch[*_` + "`" + `'"]*\s*(?:version|ver\.|v\.)?\s*[-(（:=]?\s*([<>=~^≥]*)\s*[*_` + "`" + `]*v?` +
		`(\d+\.\d+(?:\.\d+)?(?:\s*(?:,|/|-|–|and|or|to)\s*v?\d+\.\d+(?:\.\d+)?)*)` +
		`(\+(?:\W|$)|\s*\(?(?:or|and)\s+(?:higher|later|above|newer|greater|up|more recent))?`)
	dotted = regexp.MustCompile(`\d+\.\d+(?:\.\d+)?`)
)

// inQuotes reads the requirements that setup.py lists as strings.
func inQuotes(file string, text []byte) (list []Requirement) {
	line := 0
	for l := range bytes.Lines(text) {
		line++
		for _, m := range inString.FindAllSubmatch(l, -1) {
			if r, ok := requirement(string(m[1])); ok && r.bounds() {
				r.Path, r.Line = file, line
				list = append(list, r)
			}
		}
	}
	return list
}

var inString = regexp.MustCompile(`["']([A-Za-z][\w.-]*(?:\[[\w,]*\])?\s*[=<>~]=?\s*\d[\w.,<>=!~ ]*)["']`)

// bounds reports a requirement that says something of the version.
func (r *Requirement) bounds() bool { return r.Exact != "" || r.Low != "" || r.High != "" }

// VersionsAbove is Above for a file of the project, worked out once for each folder.
func (p *Project) VersionsAbove(file string) *Versions {
	folder := path.Dir(filepath.ToSlash(file))
	if known, ok := p.above.Load(folder); ok {
		return known.(*Versions)
	}
	above := p.Versions.Above(file)
	known, _ := p.above.LoadOrStore(folder, &above)
	return known.(*Versions)
}

// Bound is what decides that a library is older than a version: the file that says so, or a name in the source that later
// versions no longer have. It is nil where nothing does.
func (v Versions) Bound(library, version string) *Requirement {
	if v.AtLeast(library, version) != No {
		return nil
	}
	if installed := v.Installed[normalName(library)]; installed != "" {
		return &Requirement{Library: normalName(library), Exact: installed}
	}
	for i := range v.Required {
		if r := &v.Required[i]; r.Library == normalName(library) && r.atLeast(version) == No {
			return r
		}
	}
	return nil
}

// String names the version and who says it: "torch 1.0.1 (requirements.txt)".
func (r *Requirement) String() string {
	text := r.Library
	switch {
	case r.Exact != "":
		text += " " + r.Exact
	case r.High != "":
		text += " before " + r.High
	}
	switch {
	case r.Name != "":
		text += " (it uses " + r.Name + ")"
	case r.Path != "":
		text += " (" + path.Base(slashed(r.Path)) + ")"
	}
	return text
}

// goneNames are names that a library had before some version, and no longer has: a program that uses them cannot run with
// it. Names of torchtext and flax say which torch and jax they came with.
var goneNames = []struct{ name, library, gone string }{
	{"torch.utils.ffi.*", "torch", "1.0"},
	{loss0, "torch", "0.5"},
	{asyncCopy, "torch", "1.0"},
	{"torch._six.*", "torch", "2.0"},
	{"torchtext.data.Field", "torch", "1.12"},
	{"torchtext.data.BucketIterator", "torch", "1.12"},
	{"torchtext.legacy.*", "torch", "1.12"},
	{"jax.ops.index_update", "jax", "0.3.2"},
	{"jax.ops.index_add", "jax", "0.3.2"},
	{"jax.tree_multimap", "jax", "0.3.16"},
	{"jax.experimental.optimizers.*", "jax", "0.3.16"},
	{"jax.experimental.stax.*", "jax", "0.3.16"},
	{"flax.optim.*", "jax", "0.4.14"},
}

// loss0 and asyncCopy are how programs of the first versions read a loss and copied a batch. Later versions refuse both:
// a loss has no elements, and async is a word of Python's.
const (
	loss0     = "loss.data[0]"
	asyncCopy = "cuda(async=True)"
)

// oldForms gives the forms that a module uses of those that later versions refuse.
func (m *Module) oldForms() (list []string) {
	if m.Says("async=True") && m.Says(".cuda(") {
		list = append(list, asyncCopy)
	}
	if !m.Says(".data[0]") {
		return list
	}
	for _, s := range m.Sites {
		if f, ok := s.Node.Func.(*pysrc.Attribute); ok && f.Attr == "backward" && pysrc.DottedName(f.Value) != "" && m.Says(pysrc.DottedName(f.Value)+".data[0]") {
			return append(list, loss0)
		}
	}
	return list
}

// WrittenFor is what the names that a module's program uses say about versions: those that no longer have them are too new.
func (p *Project) WrittenFor(m *Module) (list []Requirement) {
	for _, gone := range goneNames {
		if p.UsedWith(m, gone.name) {
			list = append(list, Requirement{Library: gone.library, High: gone.gone, Name: strings.TrimSuffix(gone.name, ".*")})
		}
	}
	return list
}
