package agent

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// Installing changes only what is saturate's; again changes nothing; removing gives back every byte.
func TestInstallAndRemove(t *testing.T) {
	for _, h := range hosts {
		existing := []string{
			"", "{}\n", "{ }", "{\n\t\"mcpServers\": {\n\t\t\"a\": {\"command\": \"x\", \"args\": []}\n\t}\n}\n",
			`{"theme":"dark","mcpServers":{"a":{"command":"x"},"b":{"command":"y"}},"servers":{}}`, "{\n  \"servers\": {},\n  \"mcpServers\": {}\n}\n",
		}
		if h.under == nil {
			existing = []string{"", "model = \"x\"\n", "[mcp_servers.a]\ncommand = \"y\"\n\n[other]\nz = 1\n"}
		}
		for _, before := range existing {
			dir := t.TempDir()
			path := filepath.Join(dir, h.settings)
			if before != "" {
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				write(t, path, before)
			}
			for _, program := range [][]string{{"python", "old.py"}, {"python", "train.py", "--name", `a "b"`}} {
				s, err := Install(dir, h.name, program)
				if err != nil {
					t.Fatal(h.name, before, err)
				}
				if _, err := s.Apply(); err != nil {
					t.Fatal(err)
				}
			}
			after, err := os.ReadFile(path)
			if err != nil || strings.Contains(string(after), "old.py") || !strings.Contains(string(after), "train.py") {
				t.Errorf("%s: %v\n%s", h.name, err, after)
			}
			if h.under != nil {
				checkServer(t, before, string(after), h.under[0])
			}
			if again, err := Install(dir, h.name, []string{"python", "train.py", "--name", `a "b"`}); err != nil || len(again.Changes) > 0 {
				t.Errorf("%s: a second time: %v %d changes", h.name, err, len(again.Changes))
			}
			if backup, _ := os.ReadFile(path + ".before-saturate"); string(backup) != before && strings.Trim(before, "{ }\n") != "" {
				t.Errorf("%s: backup %q of %q", h.name, backup, before)
			}
			s, err := Remove(dir, h.name)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.Apply(); err != nil {
				t.Fatal(err)
			}
			left, err := os.ReadFile(path)
			if before == "" != (err != nil) && strings.TrimSpace(before) != "{}" && before != "{ }" {
				t.Errorf("%s: %v, after %q", h.name, err, before)
			}
			if err == nil && !sameJSON(string(left), before) && string(left) != before {
				t.Errorf("%s: left %q of %q", h.name, left, before)
			}
			if _, err := os.Stat(filepath.Join(dir, h.skill)); err == nil {
				t.Errorf("%s: the skill is still there", h.name)
			}
			if before == "" {
				if rest, _ := os.ReadDir(dir); len(rest) > 0 {
					t.Errorf("%s: left %v", h.name, rest)
				}
			}
		}
	}
}

func checkServer(t *testing.T, before, after, under string) {
	t.Helper()
	var was, is map[string]map[string]any
	_ = json.Unmarshal([]byte(before), &was)
	var document map[string]any
	if err := json.Unmarshal([]byte(after), &document); err != nil {
		t.Fatalf("%v\n%s", err, after)
	}
	_ = json.Unmarshal([]byte(after), &is)
	got, _ := is[under][server].(map[string]any)
	if got["command"] != "saturate" || !reflect.DeepEqual(got["args"], []any{"mcp", "--", "python", "train.py", "--name", `a "b"`}) {
		t.Errorf("the server is %v in\n%s", got, after)
	}
	for name, value := range was[under] {
		if !reflect.DeepEqual(is[under][name], value) {
			t.Errorf("%s became %v", name, is[under][name])
		}
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	return json.Unmarshal([]byte(a), &x) == nil && json.Unmarshal([]byte(b), &y) == nil && reflect.DeepEqual(withoutEmpty(x), withoutEmpty(y))
}

// withoutEmpty takes empty lists of servers away: one that saturate had to make stays.
func withoutEmpty(v any) any {
	if m, ok := v.(map[string]any); ok {
		for _, name := range []string{"servers", "mcpServers"} {
			if inner, ok := m[name].(map[string]any); ok && len(inner) == 0 {
				delete(m, name)
			}
		}
	}
	return v
}

// What cannot be edited safely is refused, and stays.
func TestInstallRefuses(t *testing.T) {
	for text, host := range map[string]string{
		"{ // a comment\n}": "claude", "[]": "cursor", `{"mcpServers": []}`: "claude", `{"mcpServers": {"a": 1}`: "gemini",
		"[mcp_servers.saturate]\ncommand = \"mine\"\n": "codex", "# saturate: begin\n[mcp_servers.saturate]\n": "codex", "x = 1": "codex",
	} {
		h, _ := hostOf(host)
		dir := t.TempDir()
		path := filepath.Join(dir, h.settings)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
		if s, err := Install(dir, host, nil); err == nil {
			t.Errorf("%q: %+v", text, s.Changes)
		}
	}
	if _, err := Install(t.TempDir(), "cloude", nil); err == nil || !strings.Contains(err.Error(), "claude") {
		t.Error(err)
	}
}

func FuzzMembers(f *testing.F) {
	for _, text := range []string{"{}", `{"mcpServers":{"a":1},"b":[{}]}`, "{ \"mcpServers\" : { } }", `{"mcpServers":{"saturate":{},"saturate":2}}`, `{"a":"{\"mcpServers\":"}`} {
		f.Add(text)
	}
	path := []string{"mcpServers", server}
	f.Fuzz(func(t *testing.T, text string) {
		set, err := setMember([]byte(text), path, []byte(`{"command":"saturate"}`))
		if err != nil {
			return
		}
		var document struct {
			Servers map[string]any `json:"mcpServers"`
		}
		if err := json.Unmarshal(set, &document); err != nil {
			t.Fatalf("%q became %q: %v", text, set, err)
		}
		if left, err := removeMember(set, path); err != nil || left != nil && !json.Valid(left) {
			t.Fatalf("%q without it: %q, %v", set, left, err)
		}
	})
}
