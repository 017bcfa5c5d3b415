package shard

import (
	"bytes"
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/template"

	"saturate/internal/human"
)

//go:embed engines
var engines embed.FS

// Engines are those that a script can be written for, and what its file is called.
var Engines = []struct{ Name, File, template string }{
	{"slurm", "saturate-%s.sbatch", "slurm.sh"},
	{"k8s", "saturate-%s.yaml", "k8s.yaml"},
	{"ray", "saturate_%s_ray.py", "ray.py"},
}

// EngineNames lists them.
func EngineNames() (names []string) {
	for _, e := range Engines {
		names = append(names, e.Name)
	}
	return names
}

// Script is what a script needs to know besides the plan.
type Script struct {
	Engine string
	File   string   // where it will lie
	Args   []string // of every worker, behind the name of the command: the plan first
	Tasks  int      // workers; 0 for a number that suits the plan
	CPUs   int      // of each
	Image  string   // k8s: with saturate in it
	Claim  string   // k8s: the volume claim that holds the plan's folder
}

// mostTasks is a number of tasks that every site's limits allow; each makes several shards.
const mostTasks = 500

// Emit writes a script for an engine, ready to run.
func Emit(p *Plan, place string, s Script) ([]byte, error) {
	at := slices.IndexFunc(Engines, func(e struct{ Name, File, template string }) bool { return e.Name == s.Engine })
	if at < 0 {
		return nil, fmt.Errorf("--emit cannot be %q: use %s", s.Engine, strings.Join(EngineNames(), ", "))
	}
	remote := IsRemote(place)
	switch {
	case s.Tasks < 0 || s.Tasks > len(p.Shards):
		return nil, fmt.Errorf("--tasks must be 1 to %d, the number of shards, not %d", len(p.Shards), s.Tasks)
	case s.CPUs < 1:
		return nil, fmt.Errorf("--cpus must be 1 or more, not %d", s.CPUs)
	case s.Engine == "k8s" && s.Image == "":
		return nil, fmt.Errorf("--emit k8s needs --image, a container image that has saturate")
	case s.Engine == "k8s" && !remote && s.Claim == "":
		return nil, fmt.Errorf("%s is a folder, which pods do not see; plan in s3://BUCKET/PREFIX, or name the volume "+
			"claim that holds it with --claim", place)
	}
	tasks := cmp.Or(s.Tasks, min(len(p.Shards), mostTasks))
	words := append([]string{p.Kind, "work"}, s.Args...)
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = human.Shell(w)
	}
	python, err := json.Marshal(words) // a list of strings is written alike in JSON and Python
	if err != nil {
		return nil, err
	}
	command, err := json.Marshal(append(append([]string{"saturate"}, words...), "--shard", fmt.Sprintf("/%d", tasks)))
	if err != nil {
		return nil, err
	}
	text, err := template.ParseFS(engines, "engines/"+Engines[at].template)
	if err != nil {
		return nil, err
	}
	quote := func(v string) string { b, _ := json.Marshal(v); return string(b) }
	var out bytes.Buffer
	err = text.Execute(&out, map[string]any{
		"Kind": p.Kind, "Shards": len(p.Shards), "Tasks": tasks, "Last": tasks - 1, "CPUs": s.CPUs, "File": human.Shell(filepath.Base(s.File)),
		"Status": "saturate " + p.Kind + " status " + human.Shell(place), "Work": strings.Join(quoted,
			" "), "Python": string(python),
		"Command": string(command), "Short": p.Hash[:8], "Parallel": min(tasks,
			100), "Image": quote(s.Image), "Memory": "2Gi",
		"Remote": remote, "Claim": quoteIf(s.Claim, quote), "Mount": quote(place),
	})
	return out.Bytes(), err
}

func quoteIf(v string, quote func(string) string) string {
	if v == "" {
		return ""
	}
	return quote(v)
}

// ScriptName is what a script is called where the user gives no name.
func ScriptName(engine, kind string) string {
	for _, e := range Engines {
		if e.Name == engine {
			return fmt.Sprintf(e.File, kind)
		}
	}
	return ""
}
