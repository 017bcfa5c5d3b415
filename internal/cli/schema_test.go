package cli

import (
	"encoding/json"
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
			if c.group != about {
				t.Errorf("%s does not say what its JSON holds", c.name)
			}
			continue
		}
		fields := schemaOf(reflect.TypeOf(c.data))
		properties := fields["properties"].(map[string]any)
		properties["schema"] = map[string]any{"const": "saturate/" + c.name + "/1"}
		properties["version"] = map[string]any{"type": "string"}
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

// schemaOf describes a Go type as encoding/json would write it.
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
		return schemaOf(t.Elem())
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Float32, reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Slice, reflect.Array:
		return map[string]any{"type": "array", "items": schemaOf(t.Elem())}
	case reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": schemaOf(t.Elem())}
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

func addFields(t reflect.Type, properties map[string]any) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case f.Anonymous && name == "":
			addFields(f.Type, properties)
		default:
			if name == "" {
				name = f.Name
			}
			properties[name] = schemaOf(f.Type)
		}
	}
}
