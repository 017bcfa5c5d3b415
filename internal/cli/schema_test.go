package cli

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestSchemas holds docs/schema to the types that commands print: one JSON Schema a command.
func TestSchemas(t *testing.T) {
	dir := filepath.Join("..", "..", "docs", "schema")
	for _, c := range commands {
		if c.data == nil {
			if c.group != about && c.name != "mcp" { // whose answers have a schema of the protocol's
				t.Errorf("%s does not say what its JSON holds", c.name)
			}
			continue
		}
		fields := schemaOfAll(append([]any{c.data}, c.others...))
		properties := fields["properties"].(map[string]any)
		properties["schema"] = map[string]any{"const": "saturate/" + c.name + "/1", "description": "name and version of this format"}
		properties["version"] = map[string]any{"type": "string", "description": "the version of saturate"}
		fields["$schema"] = "https://json-schema.org/draft/2020-12/schema"
		fields["title"] = "saturate " + c.name + " --format json"
		fields["required"] = []string{"schema", "version"}
		want, err := json.MarshalIndent(fields, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, '\n')
		path := filepath.Join(dir, c.name+".json")
		got, _ := os.ReadFile(path)
		if string(got) == string(want) {
			continue
		}
		if !*update {
			t.Errorf("%s is not what the command prints now; run `go test ./internal/cli -run TestSchemas -update` and read the change", path)
			continue
		}
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// Every property of every published schema says what it is. The words are the comments of the fields.
func TestSchemasDescribeEveryProperty(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join("..", "..", "docs", "schema", "*.json"))
	if err != nil || len(paths) < 20 {
		t.Fatalf("%d schemas: %v", len(paths), err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var schema any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		for _, name := range undescribed(schema) {
			t.Errorf("%s: %s has no description; add a comment to its field", filepath.Base(path), name)
		}
	}
}

// undescribed are the properties of a schema without a description, by their paths.
func undescribed(schema any) (names []string) {
	switch s := schema.(type) {
	case []any:
		for _, form := range s {
			names = append(names, undescribed(form)...)
		}
	case map[string]any:
		for _, inner := range []string{"items", "additionalProperties", "anyOf"} {
			names = append(names, undescribed(s[inner])...)
		}
		properties, _ := s["properties"].(map[string]any)
		for name, property := range properties {
			if text, _ := property.(map[string]any)["description"].(string); text == "" {
				names = append(names, name)
			}
			for _, inside := range undescribed(property) {
				names = append(names, name+"."+inside)
			}
		}
	}
	return names
}

// schemaOfAll describes a document that has one of several forms.
func schemaOfAll(forms []any) map[string]any {
	if len(forms) == 1 {
		return schemaOf(reflect.TypeOf(forms[0]))
	}
	var list []any
	for _, f := range forms {
		list = append(list, schemaOf(reflect.TypeOf(f)))
	}
	return map[string]any{"type": "object", "properties": map[string]any{}, "anyOf": list}
}

// schemaOf describes a Go type as encoding/json would write it. The descriptions are the comments of the fields.
func schemaOf(t reflect.Type) map[string]any {
	marshaler := reflect.TypeFor[json.Marshaler]()
	switch {
	case t == reflect.TypeFor[time.Time]():
		return map[string]any{"type": "string", "format": "date-time"}
	case t.Implements(marshaler) || reflect.PointerTo(t).Implements(marshaler):
		if t.Kind() == reflect.Float64 {
			return map[string]any{"type": []string{"number", "string", "null"}} // not finite: "NaN", "Infinity"
		}
		return map[string]any{}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return orNull(schemaOf(t.Elem()))
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice:
		return orNull(map[string]any{"type": "array", "items": schemaOf(t.Elem())})
	case reflect.Array:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return orNull(map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())})
	case reflect.Interface:
		return map[string]any{}
	case reflect.Struct:
		properties := map[string]any{}
		addFields(t, properties)
		return map[string]any{"type": "object", "properties": properties}
	default:
		return map[string]any{"type": "integer"}
	}
}

// orNull allows what is absent to be written as null.
func orNull(schema map[string]any) map[string]any {
	if kind, ok := schema["type"].(string); ok {
		schema["type"] = []string{kind, "null"}
	}
	return schema
}

func addFields(t reflect.Type, properties map[string]any) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			addFields(f.Type, properties)
		default:
			if name == "" {
				name = f.Name
			}
			field := schemaOf(f.Type)
			if strings.Contains(options, "string") {
				field = map[string]any{"type": "string"}
			}
			if text := descriptionOf(t, f); text != "" {
				field["description"] = text
			}
			properties[name] = field
		}
	}
}

// commentOf is what the source says of a field, behind it or above it.
func commentOf(t reflect.Type, field string) string {
	dir, ok := strings.CutPrefix(t.PkgPath(), "saturate/")
	if !ok {
		return ""
	}
	if comments[dir] == nil {
		comments[dir] = readComments(filepath.Join("..", "..", filepath.FromSlash(dir)))
	}
	return comments[dir][t.Name()+"."+field]
}

// descriptionOf is the comment of a field; one without takes what the comment of its own type says the type is.
func descriptionOf(t reflect.Type, f reflect.StructField) string {
	if text := commentOf(t, f.Name); text != "" {
		return text
	}
	kind := f.Type
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice || kind.Kind() == reflect.Map {
		kind = kind.Elem()
	}
	text, _, _ := strings.Cut(commentOf(kind, ""), ". ")
	for _, verb := range []string{" is ", " are "} {
		if rest, ok := strings.CutPrefix(text, kind.Name()+verb); ok {
			return strings.TrimSuffix(rest, ".")
		}
	}
	return ""
}

var comments = map[string]map[string]string{} // by folder, then by Type.Field

func readComments(dir string) map[string]string {
	found := map[string]string{}
	paths, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			continue
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if group, ok := n.(*ast.GenDecl); ok && len(group.Specs) == 1 {
				if spec, ok := group.Specs[0].(*ast.TypeSpec); ok {
					found[spec.Name.Name+"."] = oneLine(group.Doc)
				}
			}
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			if spec.Doc != nil {
				found[spec.Name.Name+"."] = oneLine(spec.Doc)
			}
			if fields, ok := spec.Type.(*ast.StructType); ok {
				for _, f := range fields.Fields.List {
					for _, name := range f.Names {
						found[spec.Name.Name+"."+name.Name] = cmp.Or(oneLine(f.Comment), oneLine(f.Doc))
					}
				}
			}
			return true
		})
	}
	return found
}

func oneLine(c *ast.CommentGroup) string { return strings.Join(strings.Fields(c.Text()), " ") }
