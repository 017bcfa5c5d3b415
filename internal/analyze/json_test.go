package analyze

import (
	"encoding/json"
	"testing"
)

// The names that other programs read: what cannot be renamed without breaking them.
func TestJSONNames(t *testing.T) {
	a := newMaker().kernel("k", 0, 10, 100).analyse(t, All)
	data, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	gpu := tree["gpus"].([]any)[0].(map[string]any)
	for where, want := range map[string]struct {
		object map[string]any
		names  []string
	}{
		"the analysis":  {tree, []string{"verdict", "window", "gpus", "steps", "transfers", "kernels", "operators", "launch", "memory", "quality", "findings"}},
		"the verdict":   {tree["verdict"].(map[string]any), []string{"bottleneck", "sentence", "confidence"}},
		"a GPU":         {gpu, []string{"device", "busy_ratio", "span", "idle_by_cause", "streams"}},
		"a GPU's span":  {gpu["span"].(map[string]any), []string{"span_ns", "busy_ns", "idle_ns", "compute_ns", "memory_ns", "communication_ns", "kernels", "kernel_sum_ns"}},
		"the quality":   {tree["quality"].(map[string]any), []string{"events", "dropped", "repaired", "overlapping", "unlinked", "notes"}},
		"a kernel":      {tree["kernels"].([]any)[0].(map[string]any), []string{"name", "count", "total_ns"}},
		"a GPU's queue": {gpu["streams"].([]any)[0].(map[string]any), []string{"stream", "busy_ns", "host_wait_ns", "kernel_wait_ns", "other_ns", "kernels"}},
	} {
		for _, name := range want.names {
			if _, ok := want.object[name]; !ok {
				t.Errorf("%s has no %q", where, name)
			}
		}
	}
}
