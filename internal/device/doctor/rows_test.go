package doctor

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"saturate/internal/device"
	"saturate/internal/device/devicetest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

const torchAndFriends = `{"version": "3.12.3", "implementation": "CPython", "executable": "/venv/bin/python", "prefix": "/venv", "packages": {"torch": "2.11.0", "transformers": "5.16.0", "jax": "0.11.1", "numpy": "2.3.1"}}`

// Recorded machines with interpreters of different kinds, and what the doctor says of them.
func TestRows(t *testing.T) {
	cases := []struct {
		name, machine string
		options       Options
		with          map[string]string // command to answer
	}{
		{"a100-all-well", "a100-sxm", Options{}, map[string]string{
			"env":                              "VIRTUAL_ENV=/venv",
			"$ /venv/bin/python -c … packages": "saturate:" + torchAndFriends,
			"$ /venv/bin/python -c … torch":    `saturate:{"version": "2.11.0+cu128", "cuda": "12.8", "hip": "", "import_s": 2.5, "gpus": 2, "archs": ["sm_75", "sm_80", "sm_90", "compute_120"], "mps": false}`,
			"$ python3 -c … packages":          "A banner of the site\n\nsaturate:" + `{"version": "3.9.2", "implementation": "CPython", "executable": "/usr/bin/python3", "prefix": "/usr", "packages": {}}`,
			"$ python -c … packages":           "saturate:" + `{"version": "2.7.18", "implementation": "CPython", "executable": "/usr/bin/python", "prefix": "/usr2", "packages": {}}`,
		}},
		{"h200-recorded", "h200", Options{}, map[string]string{
			"$ python3 -c … packages": "saturate:" + `{"version": "3.12.3", "implementation": "CPython", "executable": "/opt/torch/.venv/bin/python3", "prefix": "/opt/torch/.venv", "packages": {"torch": "2.11.0", "transformers": "5.17.0", "jax": "0.11.2", "jax-cuda13-plugin": "0.11.2"}}`,
			"$ python3 -c … torch":    `saturate:{"version": "2.11.0+cu130", "cuda": "13.0", "hip": "", "import_s": 4.663, "gpus": 1, "archs": ["sm_75", "sm_80", "sm_86", "sm_90", "sm_100", "sm_120"], "mps": false}`,
		}},
		{"h100-cpu-torch", "h100-sxm", Options{Python: "/opt/py/bin/python"}, map[string]string{
			"$ /opt/py/bin/python -c … packages": "saturate:" + torchAndFriends,
			"$ /opt/py/bin/python -c … torch":    `saturate:{"version": "2.11.0+cpu", "cuda": "", "hip": "", "gpus": 0, "archs": [], "mps": false}`,
		}},
		{"h100-old-driver-for-torch", "h100-sxm", Options{Python: "/opt/py/bin/python"}, map[string]string{
			"$ /opt/py/bin/python -c … packages": "saturate:" + torchAndFriends,
			"$ /opt/py/bin/python -c … torch":    `saturate:{"version": "2.11.0+cu130", "cuda": "13.0", "gpus": 0, "problem": "CUDA initialization: The NVIDIA driver on your system is too old (found version 12080).\nPlease update"}`,
		}},
		{"h100-torch-without-its-code", "h100-sxm", Options{}, map[string]string{
			"$ python3 -c … packages": "saturate:" + torchAndFriends,
			"$ python3 -c … torch":    `saturate:{"version": "1.11.0+cu113", "cuda": "11.3", "gpus": 1, "archs": ["sm_37", "sm_70", "sm_80", "sm_86"]}`,
		}},
		{"h100-quick", "h100-sxm", Options{Quick: true}, map[string]string{
			"$ python3 -c … packages": "saturate:" + torchAndFriends,
		}},
		{"smi-only-broken-torch", "t4-old-driver", Options{}, map[string]string{
			"$ python3 -c … packages": "saturate:" + torchAndFriends,
			"$ python3 -c … torch":    `saturate:{"problem": "OSError: libcudnn.so.9: cannot open shared object file"}`,
		}},
		{"mi300x-no-permission", "mi300x", Options{}, map[string]string{
			"$ python3 -c … packages": "saturate:" + torchAndFriends,
			"$ python3 -c … torch":    `saturate:{"version": "2.11.0+rocm6.4", "cuda": "", "hip": "6.4.43482", "gpus": 0, "mps": false}`,
		}},
		{"m2-pro", "m2-pro", Options{}, map[string]string{
			"$ python3 -c … packages": "saturate:" + torchAndFriends,
			"$ python3 -c … torch":    `saturate:{"version": "2.11.0", "cuda": "", "hip": "", "gpus": 0, "mps": true}`,
		}},
		{"old-python-small-container", "graviton3-docker", Options{}, map[string]string{
			"$ python3 -c … packages": "saturate:" + `{"version": "3.6.8", "implementation": "CPython", "executable": "/usr/bin/python3", "prefix": "/usr", "packages": {}}`,
		}},
		{"python-of-debian", "graviton3-docker", Options{}, map[string]string{
			"$ python3 -c … packages": "saturate:" + `{"version": "3.13.5", "implementation": "CPython", "executable": "/usr/bin/python3", "prefix": "/usr", "managed": true, "packages": {}}`,
		}},
		{"broken-everything", "broken-driver", Options{Python: "/gone/bin/python"}, map[string]string{
			"env":                               "VIRTUAL_ENV=/gone\nCONDA_PREFIX=/conda",
			"! /conda/bin/python -c … packages": "Fatal Python error: init_fs_encoding: failed to get the Python codec",
			"$ python3 -c … packages":           "this is not Python",
		}},
		{"asked-for-cuda", "nothing", Options{Backend: device.CUDA}, nil},
		{"nothing", "nothing", Options{}, nil},
	}
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			machine := devicetest.Load(t, filepath.Join("..", "testdata", "machines", test.machine+".txtar"))
			for command, answer := range test.with {
				machine = machine.With(command, answer)
			}
			test.options.Dir = "/data/me/project"
			if test.options.Backend == "" {
				test.options.Backend = device.Auto
			}
			d := Diagnosis{OS: machine.OS(), Quick: test.options.Quick}
			d.ask(context.Background(), machine, test.options)
			if !test.options.Quick {
				d.measureCopies(context.Background(), machine)
				d.importTorch(context.Background(), machine)
			}
			d.Disk = Disk{Dir: "/data/me/project", FreeBytes: 71 << 30, TotalBytes: 250 << 30} // not this machine's
			if !test.options.Quick {
				d.Disk.Read = &Read{Dir: "/data/me/project", Bytes: 256 << 20, Seconds: 0.15, CacheBypassed: true}
			}
			golden(t, "testdata/rows/"+test.name+".txt", render(d))
		})
	}
}

func render(d Diagnosis) string {
	var text strings.Builder
	for _, sentence := range d.Summary() {
		fmt.Fprintln(&text, sentence)
	}
	for _, row := range d.Rows() {
		fmt.Fprintf(&text, "\n%s / %s: %s\n  %s\n", row.Group, row.Thing, row.State, row.Value)
		if row.Without != "" || row.Get != "" {
			fmt.Fprintf(&text, "  without: %s\n  get: %s\n", row.Without, row.Get)
		}
	}
	return text.String()
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	if *update {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("differs (-want +got); run with -update if it should:\n%s", diff)
	}
}

func TestDiskRows(t *testing.T) {
	tests := []struct {
		name    string
		disk    Disk
		states  string
		mention string
	}{
		{"fast", Disk{FreeBytes: 1 << 40, TotalBytes: 1 << 41, Read: &Read{Bytes: 256 << 20, Seconds: 0.1, CacheBypassed: true}}, "ok ok", "2.68 GB/s without page cache"},
		{"cached", Disk{FreeBytes: 1 << 40, TotalBytes: 1 << 41, Read: &Read{Bytes: 256 << 20, Seconds: 0.05}}, "ok unknown", "from the page cache, not the disk"},
		{"full", Disk{FreeBytes: 1 << 30, TotalBytes: 1 << 41, Problem: "no room"}, "limited limited", "no room"},
		{"gone", Disk{Problem: "no such folder"}, "unknown limited", "no such folder"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			rows := Diagnosis{Disk: test.disk}.diskRows()
			if got := fmt.Sprint(rows[0].State, " ", rows[1].State); got != test.states {
				t.Errorf("states %s, want %s", got, test.states)
			}
			if !strings.Contains(rows[1].Value, test.mention) {
				t.Errorf("%q does not mention %q", rows[1].Value, test.mention)
			}
		})
	}
}

// What is missing or limited must say what fails without it and how to get it; a note only repeats what was said.
func TestEveryFindingHelps(t *testing.T) {
	files, _ := filepath.Glob("testdata/rows/*.txt")
	if len(files) == 0 {
		t.Fatal("no golden files")
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, row := range strings.Split(string(text), "\n\n")[1:] {
			wanting := strings.Contains(row, ": missing\n") || strings.Contains(row, ": limited\n")
			if wanting && !strings.Contains(row, "GPU note") && (!strings.Contains(row, "\n  without: ") || !strings.Contains(row, "\n  get: ")) {
				t.Errorf("%s: no help in\n%s", file, row)
			}
		}
	}
}

func TestHasCode(t *testing.T) {
	tests := []struct {
		archs      string
		capability string
		want       bool
	}{
		{"sm_80 sm_90", "9.0", true},
		{"sm_80 sm_90", "8.6", true},
		{"sm_80 sm_90", "12.0", false},
		{"sm_80 compute_90", "12.0", true},
		{"sm_90a", "9.0", true},
		{"sm_86", "8.0", false},
		{"sm_120", "12.0", true},
		{"rubbish", "9.0", false},
		{"", "9.0", true}, // not told
		{"sm_80", "", true},
	}
	for _, test := range tests {
		if got := hasCode(strings.Fields(test.archs), test.capability); got != test.want {
			t.Errorf("hasCode(%s, %s) = %v", test.archs, test.capability, got)
		}
	}
}
