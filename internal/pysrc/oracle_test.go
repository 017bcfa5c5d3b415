package pysrc

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// python is an interpreter that runs testdata/dump.py.
type python struct {
	t     testing.TB
	exe   string
	minor int
	in    io.WriteCloser
	out   *bufio.Reader
}

func startPython(t testing.TB, exe string) *python {
	t.Helper()
	version, err := exec.Command(exe, "-c", "import sys; print(sys.version_info[1])").Output()
	if err != nil {
		t.Skipf("%s does not run: %v", exe, err)
	}
	minor, err := strconv.Atoi(strings.TrimSpace(string(version)))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "testdata/dump.py")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		cmd.Wait()
	})
	return &python{t, exe, minor, in, bufio.NewReader(out)}
}

// answer is what CPython makes of a file: the hash of its tree, or an error.
type answer struct {
	hash    string
	line    int // of the error; 0 when it has none
	message string
}

// ask sends file names and calls each with the answers, in order. The two
// sides work at the same time.
func (p *python) ask(paths []string, each func(path string, a answer)) {
	go func() {
		for _, path := range paths {
			fmt.Fprintln(p.in, path)
		}
	}()
	for _, path := range paths {
		line, err := p.out.ReadString('\n')
		if err != nil {
			p.t.Fatalf("%s stopped at %s: %v", p.exe, path, err)
		}
		kind, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		a := answer{hash: rest}
		if kind == "error" {
			number, message, _ := strings.Cut(rest, " ")
			n, _ := strconv.Atoi(number)
			a = answer{line: n, message: message}
		}
		each(path, a)
	}
}

func hashOf(tree []byte) string {
	sum := sha256.Sum256(tree)
	return hex.EncodeToString(sum[:])
}

// difference shows where our tree and CPython's part.
func (p *python) difference(path string, ours []byte) string {
	theirs, err := exec.Command(p.exe, "testdata/dump.py", "--full", path).Output()
	if err != nil {
		return err.Error()
	}
	return firstDifference(ours, theirs)
}

func firstDifference(ours, theirs []byte) string {
	a, b := bytes.Split(ours, []byte("\n")), bytes.Split(theirs, []byte("\n"))
	for i := range max(len(a), len(b)) {
		var x, y []byte
		if i < len(a) {
			x = a[i]
		}
		if i < len(b) {
			y = b[i]
		}
		if !bytes.Equal(x, y) {
			return fmt.Sprintf("node %d\n  ours    %.300s\n  CPython %.300s", i, x, y)
		}
	}
	return "the dumps are equal"
}

// tally counts how the comparison went.
type tally struct {
	files, bytes, accepted, rejected   int
	differences, overAccepted, refused int
	sameLine                           int
	parsing                            time.Duration
}

func (n tally) String() string {
	return fmt.Sprintf("%d files, %.1f MB, parsed by us at %.0f MB/s of one core: %d trees compared, %d differ, %d refused by us alone; CPython refuses %d, %d accepted by us alone, %d of the others on the same line",
		n.files, float64(n.bytes)/1e6, float64(n.bytes)/1e6/n.parsing.Seconds(), n.accepted, n.differences, n.refused, n.rejected, n.overAccepted, n.sameLine)
}

// compare parses files on both sides and reports what differs.
func (p *python) compare(t *testing.T, paths []string) tally {
	var n tally
	p.ask(paths, func(path string, a answer) {
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		start := cpuTime()
		f := Parse(path, src)
		n.parsing += cpuTime() - start
		n.files++
		n.bytes += len(src)
		if a.hash == "" {
			n.rejected++
			switch ours := f.Err(); {
			case ours == nil:
				n.overAccepted++
				t.Logf("%s: accepted, but CPython says line %d: %s", path, a.line, a.message)
			case a.line == 0 || ours.Line == a.line:
				n.sameLine++
			default:
				t.Logf("%s: error %v, but CPython says line %d: %s", path, ours, a.line, a.message)
			}
			return
		}
		n.accepted++
		if e := f.Err(); e != nil {
			n.refused++
			t.Errorf("%s:%v, but CPython accepts it", path, e)
			return
		}
		if tree := dump(f, p.minor); hashOf(tree) != a.hash {
			n.differences++
			if n.differences <= 20 {
				t.Errorf("%s: %s", path, p.difference(path, tree))
			}
		}
	})
	return n
}

// sources lists the .py files of an interpreter: its standard library and site-packages.
func sources(t testing.TB, exe string) []string {
	t.Helper()
	out, err := exec.Command(exe, "-c", "import sysconfig; p = sysconfig.get_paths(); print(p['stdlib']); print(p['purelib'])").Output()
	if err != nil {
		t.Skipf("%s does not run: %v", exe, err)
	}
	return pythonFiles(strings.Fields(string(out)))
}

func pythonFiles(roots []string) []string {
	var paths []string
	seen := map[string]bool{}
	for _, root := range roots {
		filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && strings.HasSuffix(path, ".py") && !seen[path] {
				seen[path] = true
				paths = append(paths, path)
			}
			return nil
		})
	}
	return paths
}

// TestTreesEqualCPython compares a sample of 1,000 files.
func TestTreesEqualCPython(t *testing.T) {
	exe := os.Getenv("SATURATE_TEST_PYTHON")
	if exe == "" {
		t.Skip("SATURATE_TEST_PYTHON names no interpreter")
	}
	all := sources(t, exe)
	const want = 1000
	var sample []string
	for i := range want {
		if at := i * len(all) / want; len(sample) == 0 || sample[len(sample)-1] != all[at] {
			sample = append(sample, all[at])
		}
	}
	t.Log(startPython(t, exe).compare(t, sample))
}

// TestOracle compares everything that every interpreter has: those of pyenv,
// and those in the list SATURATE_ORACLE_PYTHONS. The directories in the list
// SATURATE_ORACLE_ROOTS are compared by each of them too.
func TestOracle(t *testing.T) {
	if os.Getenv("SATURATE_ORACLE") == "" {
		t.Skip("set SATURATE_ORACLE=1 to compare everything; make oracle does")
	}
	home, _ := os.UserHomeDir()
	exes, _ := filepath.Glob(filepath.Join(home, ".pyenv/versions/3.*/bin/python"))
	exes = append(exes, filepath.SplitList(os.Getenv("SATURATE_ORACLE_PYTHONS"))...)
	if exe := os.Getenv("SATURATE_TEST_PYTHON"); exe != "" {
		exes = append(exes, exe)
	}
	for _, exe := range exes {
		t.Run(strings.Trim(strings.NewReplacer("/", "_").Replace(exe), "_"), func(t *testing.T) {
			p := startPython(t, exe)
			if p.minor < 8 {
				t.Skip("older than 3.8")
			}
			files := append(sources(t, exe), pythonFiles(filepath.SplitList(os.Getenv("SATURATE_ORACLE_ROOTS")))...)
			t.Log(p.compare(t, files))
		})
	}
}
