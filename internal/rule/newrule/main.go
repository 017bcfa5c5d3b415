// Newrule writes the skeleton of a rule:
//
//	go run ./internal/rule/newrule SAT321 some-name
//
// It writes the rule's file with every field of its documentation, a hit and a near
// miss in testdata, and the rule's line in the list of rules. The rule's tests fail until it
// finds the hit.
package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"text/template"
)

func main() {
	folder := filepath.Join("internal", "rule")
	written, err := run(folder, os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "newrule:", err)
		os.Exit(2)
	}
	for _, path := range written {
		fmt.Println("wrote", path)
	}
	fmt.Println("next: edit them, then go test ./internal/rule")
}

var (
	codes = regexp.MustCompile(`^SAT[1-9]\d\d$`)
	names = regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z0-9]+)+$`)
)

// skeleton is what the templates are filled with.
type skeleton struct {
	Code, Name, Variable string
}

func run(folder string, args []string) ([]string, error) {
	if len(args) != 2 || !codes.MatchString(args[0]) || !names.MatchString(args[1]) {
		return nil, errors.New("usage: go run ./internal/rule/newrule SAT321 some-name")
	}
	s := skeleton{Code: args[0], Name: args[1], Variable: camelCase(args[1])}
	known, err := rulesIn(folder)
	if err != nil {
		return nil, fmt.Errorf("run this in the root of the repository: %w", err)
	}
	for _, r := range known {
		if r.Code == s.Code || r.Name == s.Name || r.Variable == s.Variable {
			return nil, fmt.Errorf("%s %s is taken by %s %s; the next free code is %s", s.Code, s.Name, r.Code, r.Name,
				nextFree(s.Code, known))
		}
	}
	list, err := withLine(filepath.Join(folder, "list.go"), s, known)
	if err != nil {
		return nil, err
	}
	testdata := filepath.Join(folder, "testdata", s.Name)
	if err := os.Mkdir(testdata, 0o755); err != nil {
		return nil, err
	}
	file := strings.ToLower(s.Code) + "_" + strings.ReplaceAll(s.Name, "-", "_") + ".go"
	files := []struct{ path, text string }{
		{filepath.Join(folder, file), filled(ruleText, s)},
		{filepath.Join(testdata, "hit.py"), filled(hitText, s)},
		{filepath.Join(testdata, "near_miss.py"), filled(missText, s)},
		{filepath.Join(folder, "list.go"), list},
	}
	var written []string
	for _, f := range files {
		if err := os.WriteFile(f.path, []byte(f.text), 0o644); err != nil {
			return written, err
		}
		written = append(written, f.path)
	}
	return written, nil
}

// nextFree is the first code after all those of the same hundred.
func nextFree(code string, known []skeleton) string {
	last := code
	for _, r := range known {
		if r.Code[:4] == code[:4] && r.Code > last {
			last = r.Code
		}
	}
	number, _ := strconv.Atoi(last[3:])
	return fmt.Sprintf("SAT%d", number+1)
}

// rulesIn reads the code, name and variable of every rule of the package.
func rulesIn(folder string) ([]skeleton, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "sat*.go"))
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s has no rules", folder)
	}
	var list []skeleton
	for _, path := range paths {
		file, parseErr := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if parseErr != nil {
			return nil, parseErr
		}
		for _, d := range file.Decls {
			if r, ok := ruleOf(d); ok {
				list = append(list, r)
			}
		}
	}
	return list, err
}

// ruleOf reads var name = Rule{Code: …, Name: …}.
func ruleOf(d ast.Decl) (r skeleton, ok bool) {
	v, ok := d.(*ast.GenDecl)
	if !ok || len(v.Specs) != 1 {
		return r, false
	}
	spec, ok := v.Specs[0].(*ast.ValueSpec)
	if !ok || len(spec.Values) != 1 {
		return r, false
	}
	literal, ok := spec.Values[0].(*ast.CompositeLit)
	if !ok {
		return r, false
	}
	r.Variable = spec.Names[0].Name
	for _, e := range literal.Elts {
		field, isField := e.(*ast.KeyValueExpr)
		if !isField {
			continue
		}
		text, isText := field.Value.(*ast.BasicLit)
		key, isName := field.Key.(*ast.Ident)
		if !isText || !isName {
			continue
		}
		switch value, _ := strconv.Unquote(text.Value); key.Name {
		case "Code":
			r.Code = value
		case "Name":
			r.Name = value
		}
	}
	return r, r.Code != "" && r.Name != ""
}

// withLine gives the text of list.go with a line for the rule, in order of the codes.
func withLine(path string, s skeleton, known []skeleton) (string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	codeOf := map[string]string{}
	for _, r := range known {
		codeOf["&"+r.Variable+","] = r.Code
	}
	lines := strings.Split(string(text), "\n")
	last := -1
	for i, line := range lines {
		if code := codeOf[strings.TrimSpace(line)]; code != "" && code < s.Code {
			last = i
		} else if code != "" && last < 0 {
			last = i - 1
		}
	}
	if last < 0 {
		return "", fmt.Errorf("%s lists none of the rules", path)
	}
	lines[last] += "\n\t&" + s.Variable + ","
	return strings.Join(lines, "\n"), nil
}

// camelCase gives someName for some-name.
func camelCase(name string) string {
	parts := strings.Split(name, "-")
	for i, p := range parts[1:] {
		parts[i+1] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "")
}

var (
	//go:embed rule.go.tmpl
	ruleText string
	//go:embed hit.py.tmpl
	hitText string
	//go:embed near_miss.py.tmpl
	missText string
)

func filled(text string, s skeleton) string {
	var b bytes.Buffer
	template.Must(template.New("").Parse(text)).Execute(&b, s) //nolint:errcheck // a buffer takes everything
	return b.String()
}
