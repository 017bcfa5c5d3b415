package mcp

import (
	"encoding/json"
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "rewrite golden files")

// The schema of the answers is published, and is what the tools declare.
func TestPublishedSchema(t *testing.T) {
	const path = "../../docs/schema/mcp.json"
	s := Schema()
	s.Schema, s.Title = "https://json-schema.org/draft/2020-12/schema", "answers of the tools of saturate mcp"
	want, err := json.MarshalIndent(s, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	want = append(want, '\n')
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, _ := os.ReadFile(path); string(got) != string(want) {
		t.Errorf("%s is out of date; run `go test ./internal/mcp -update` and read the change", path)
	}
}
