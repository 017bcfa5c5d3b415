package offline

import "testing"

func TestRequire(t *testing.T) {
	const hashed = "numpy==1.0 --hash=sha256:00\n"
	for _, tt := range []struct {
		name, text, want string
		with             func(string) (string, bool)
		ok               bool
	}{
		{"a line", "torch\n", "torch\nsaturate-gpu>=0.1.0\n", inRequirements, true},
		{"no newline at the end", "torch", "torch\nsaturate-gpu>=0.1.0\n", inRequirements, true},
		{"Windows", "torch\r\n", "torch\r\nsaturate-gpu>=0.1.0\r\n", inRequirements, true},
		{"there already", "torch\nsaturate_gpu==0.1.0\n", "torch\nsaturate_gpu==0.1.0\n", inRequirements, true},
		{"hashes", hashed, "", inRequirements, false},
		{"one line", "[project]\ndependencies = [\"torch\"]\n", "[project]\ndependencies = [\"saturate-gpu>=0.1.0\", \"torch\"]\n", inPyproject, true},
		{"several lines", "[project]\ndependencies = [\n  \"torch\",\n]\n", "[project]\ndependencies = [\n  \"saturate-gpu>=0.1.0\",\n  \"torch\",\n]\n", inPyproject, true},
		{"none yet", "[project]\ndependencies = []\n", "[project]\ndependencies = [\"saturate-gpu>=0.1.0\"]\n", inPyproject, true},
		{"listed", "[project]\ndependencies = [\"saturate-gpu\"]\n", "[project]\ndependencies = [\"saturate-gpu\"]\n", inPyproject, true},
		{"another table's", "[tool.x]\ndependencies = [\"a\"]\n", "", inPyproject, false},
		{"the second table", "[tool.x]\ndependencies = [\"a\"]\n[project]\ndependencies = [\"b\"]\n", "[tool.x]\ndependencies = [\"a\"]\n[project]\ndependencies = [\"saturate-gpu>=0.1.0\", \"b\"]\n", inPyproject, true},
		{"not TOML", "[project\n", "", inPyproject, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got, ok := tt.with(tt.text); got != tt.want || ok != tt.ok {
				t.Errorf("%q, %v; want %q, %v", got, ok, tt.want, tt.ok)
			}
		})
	}
}
