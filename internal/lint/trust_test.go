package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Calls that only one place may make, so that what it holds back is held back everywhere. SECURITY.md says what that
// is.
var oneplace = []struct {
	calls []string
	place string
	why   string
}{
	{[]string{"os.Create", "os.WriteFile", "os.CreateTemp"}, "internal/files", "files are made new, or are saturate's own: files.Write, files.Create, files.OpenOwn"},
	{[]string{"os.Open"}, "internal/files", "a pipe in a folder would hold the command up: files.Open"},
	{[]string{"os.ReadFile"}, "internal/files", "only regular files of a bounded size are read: files.Read"},
	{[]string{"io.ReadAll"}, "internal/files", "what is read is bounded: files.ReadAll"},
	{[]string{"exec.Command", "exec.CommandContext", "os.StartProcess", "syscall.Exec"}, "internal/process", "programs are started in one place: process.Command"},
}

// exempt are calls that are safe where they stand, with the reason.
var exempt = map[string]string{
	"internal/bench/meter_linux.go os.WriteFile":     "a file of the kernel's, about this process",
	"internal/audio/ffmpeg.go os.CreateTemp":         "exclusive, for its owner alone, in the folder for such files",
	"internal/tune/attempt.go os.CreateTemp":         "exclusive, for its owner alone, in the folder for such files",
	"internal/device/doctor/disk.go os.CreateTemp":   "exclusive, and removed before it is written",
	"internal/cli/output.go os.CreateTemp":           "exclusive, empty, and removed at once: whether a folder can be written",
	"internal/trace/open/open.go os.Open":            "named by the user, who may name a pipe: waited for with files.Await",
	"internal/cli/tts.go os.Open":                    "named by the user, who may name a pipe: waited for with files.Await",
	"internal/probe/follow.go os.Open":               "made by the program that the user runs, in a folder of saturate's own",
	"internal/verify/ownlog.go os.Open":              "made by the program that the user runs",
	"internal/process/tail.go os.Open":               "a program's output, in a folder of saturate's own; files may not be imported here",
	"internal/process/tail.go io.ReadAll":            "bounded where it stands; files may not be imported here",
	"internal/process/confine_linux.go os.ReadFile":  "a file of the kernel's, about this process",
	"internal/process/confined_linux.go os.ReadFile": "a file of the kernel's, about this process",
	"internal/rule/newrule/main.go os.ReadFile":      "a tool for this repository alone",
	"internal/rule/newrule/main.go os.WriteFile":     "a tool for this repository alone",
	"internal/rows/rows.go io.ReadAll":               "bounded where it stands; files may not be imported here",
}

// TestOnePlace: files are opened and programs started where it is made sure that nothing of somebody else's is harmed
// or run.
func TestOnePlace(t *testing.T) {
	root, used := repository(t), map[string]bool{}
	for _, path := range tracked(t) {
		name, err := filepath.Rel(root, path)
		name = filepath.ToSlash(name)
		if err != nil || !strings.HasPrefix(name, "internal/") && !strings.HasPrefix(name, "cmd/") ||
			!strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") || isForTests(name) {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			what := dotted(call.Fun)
			for _, rule := range oneplace {
				if !slices.Contains(rule.calls, what) || filepath.ToSlash(filepath.Dir(name)) == rule.place {
					continue
				}
				if key := name + " " + what; exempt[key] != "" {
					used[key] = true
				} else {
					t.Errorf("%s calls %s; %s", name, what, rule.why)
				}
			}
			if what == "os.OpenFile" || strings.HasSuffix(what, ".OpenFile") {
				flags := words(call)
				if slices.Contains(flags, "O_CREATE") && !slices.Contains(flags, "O_EXCL") {
					t.Errorf("%s makes a file that may exist already, and follows a link of that name: files.OpenOwn", name)
				}
			}
			return true
		})
	}
	for key := range exempt {
		if !used[key] {
			t.Errorf("%s is exempt and does not happen", key)
		}
	}
}

// isForTests tells of packages and programs that no user runs.
func isForTests(name string) bool {
	return strings.Contains(name, "/_gen/") || slices.ContainsFunc(strings.Split(name, "/"), func(part string) bool {
		return part == "testdata" || strings.HasSuffix(part, "test") && part != "test"
	})
}

func dotted(e ast.Expr) string {
	if s, ok := e.(*ast.SelectorExpr); ok {
		if of, ok := s.X.(*ast.Ident); ok {
			return of.Name + "." + s.Sel.Name
		}
		return "." + s.Sel.Name
	}
	return ""
}

// words are the names in a call's arguments.
func words(call *ast.CallExpr) (all []string) {
	for _, arg := range call.Args {
		ast.Inspect(arg, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok {
				all = append(all, id.Name)
			}
			return true
		})
	}
	return all
}
