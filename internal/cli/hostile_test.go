package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// nasty is a name that would steer a terminal, break a line and turn the direction of writing.
const nasty = "a\x1b]0;evil\a\x1b[2J\r\nb\u202ec\u009b2Jd"

// hostileTrace FILE KIND: writes a trace that somebody made to be expensive or to be shown.
func hostileTrace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: hostile-trace FILE KIND")
	}
	var events []string
	add := func(kind, name string, start, duration int, args map[string]any) {
		event, err := json.Marshal(map[string]any{"ph": "X", "cat": kind, "name": name, "pid": 0, "tid": 7, "ts": start, "dur": duration, "args": args})
		ts.Check(err)
		events = append(events, string(event))
	}
	top := map[string]any{}
	switch args[1] {
	case "names": // three of 4 MiB
		for i := range 3 {
			add("kernel", strings.Repeat(fmt.Sprint(i), 4<<20), 10*i, 5, map[string]any{"device": 0, "stream": 7})
		}
	case "devices":
		for i := range 20_000 {
			add("kernel", "k", 10*i, 5, map[string]any{"device": i, "stream": 7})
		}
	case "numbers": // every launch has the same
		for i := range 30_000 {
			add("cuda_runtime", "cudaLaunchKernel", 10*i, 2, map[string]any{"correlation": 1})
			add("kernel", "k", 10*i+3, 5, map[string]any{"device": 0, "stream": 7, "correlation": 1})
		}
	case "nested":
		for i := range 30_000 {
			add("cpu_op", fmt.Sprint("op", i), i, 60_001-2*i, nil)
		}
		add("kernel", "k", 1, 5, map[string]any{"device": 0, "stream": 7})
	case "control":
		for i := range 20 {
			add("kernel", nasty, 10*i, 5, map[string]any{"device": 0, "stream": 7, "correlation": i + 1})
			add("cuda_runtime", nasty, 10*i, 2, map[string]any{"correlation": i + 1})
			add("cpu_op", nasty, 10*i, 4, map[string]any{"Call stack": nasty})
			add("user_annotation", "ProfilerStep#"+fmt.Sprint(i), 10*i, 10, nil)
		}
		for _, of := range []string{"process_name", "thread_name", "process_labels"} {
			event, err := json.Marshal(map[string]any{"ph": "M", "name": of, "pid": 0, "tid": 7, "args": map[string]any{"name": nasty, "labels": nasty}})
			ts.Check(err)
			events = append(events, string(event))
		}
		top["deviceProperties"] = []any{map[string]any{"id": 0, "name": nasty}}
		top["distributedInfo"] = map[string]any{"backend": nasty, "rank": 0, "world_size": 2}
	default:
		ts.Fatalf("unknown kind %q", args[1])
	}
	rest, err := json.Marshal(top)
	ts.Check(err)
	text := strings.TrimSuffix(string(rest), "}")
	if len(top) > 0 {
		text += ","
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text+`"traceEvents":[`+strings.Join(events, ",\n")+`]}`), 0o644))
}
