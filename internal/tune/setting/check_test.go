package setting

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
)

// check applies the choices in a process of their own, reads them back and runs their probes.
func check(ctx context.Context, python string, env []string, chosen []Choice) ([]Observation, error) {
	plan, err := Plan(chosen, "")
	if err != nil {
		return nil, err
	}
	if env == nil {
		env = os.Environ()
	}
	out, err := ask(ctx, python, slices.Concat(env, Environment(chosen, env)), plan, "check")
	if err != nil {
		return nil, fmt.Errorf("cannot check the settings: %w", err)
	}
	return readObservations(out)
}

// readObservations reads lines of JSON; other lines, which libraries print, are passed over.
func readObservations(text []byte) ([]Observation, error) {
	var all []Observation
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var o Observation
		if json.Unmarshal(lines.Bytes(), &o) == nil && (o.Setting != "" || o.Dead != "") {
			all = append(all, o)
		}
	}
	return all, lines.Err()
}
