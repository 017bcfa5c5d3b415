package tune

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"saturate/internal/files"
	"saturate/internal/tune/setting"
)

var interpreter = regexp.MustCompile(`^(python|pypy)[0-9.]*(\.exe)?$`)

// Interpreter is the Python that a command runs: the one it names, that of a script such as torchrun by the script's
// first line, else the one on the PATH.
func Interpreter(command []string, dir string) string {
	for _, word := range command {
		if interpreter.MatchString(filepath.Base(word)) {
			return located(word, dir)
		}
	}
	if len(command) > 0 {
		if file, err := files.Open(located(command[0], dir)); err == nil {
			defer file.Close()
			first, _ := bufio.NewReader(io.LimitReader(file, 4096)).ReadString('\n')
			if script, ok := strings.CutPrefix(first, "#!"); ok {
				for _, word := range strings.Fields(script) {
					if interpreter.MatchString(filepath.Base(word)) {
						return located(word, dir)
					}
				}
			}
		}
	}
	return located("python3", dir)
}

func located(program, dir string) string {
	if strings.ContainsRune(program, filepath.Separator) {
		if !filepath.IsAbs(program) {
			program = filepath.Join(dir, program)
		}
		return program
	}
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	return program
}

// fresh is how long a machine counts as known: memory comes and goes, and drivers are changed.
const fresh = time.Hour

// Detect asks a Python what is here. To import torch takes seconds, so what it said is remembered for a while, for the
// same interpreter with the same packages and variables; `again` ignores what was remembered.
func Detect(ctx context.Context, python string, environ []string, again bool) (setting.Machine, error) {
	cache := cacheFile(python, environ)
	if info, err := os.Stat(cache); err == nil && !again && time.Since(info.ModTime()) < fresh {
		var m setting.Machine
		if data, err := files.Read(cache, files.MaxRecord); err == nil && json.Unmarshal(data, &m) == nil && m.Backend != "" {
			return m, nil
		}
	}
	m, err := setting.Detect(ctx, python, environ)
	if err != nil || cache == "" {
		return m, err
	}
	if data, err := json.Marshal(m); err == nil && os.MkdirAll(filepath.Dir(cache), 0o755) == nil {
		_ = files.Write(cache, data) // it is asked again next time
	}
	return m, nil
}

// passing are variables that change from terminal to terminal and say nothing about the machine.
var passing = []string{"PWD", "OLDPWD", "SHLVL", "_", "WINDOWID", "TERM", "COLUMNS", "LINES"}

// cacheFile is where the answer of an interpreter is remembered; "" where that cannot be.
func cacheFile(python string, environ []string) string {
	folder, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	sum := sha256.New()
	sum.Write(setting.Module())
	home, _ := os.UserHomeDir()
	root := filepath.Dir(filepath.Dir(python))
	places := []string{
		python, filepath.Join(root, "pyvenv.cfg"), "/proc/driver/nvidia/version", "/dev/nvidia0",
		"/dev/kfd",
	}
	for _, pattern := range []string{
		filepath.Join(root, "lib", "python3*", "*-packages"), filepath.Join(root, "Lib", "site-packages"),
		filepath.Join(home, ".local", "lib", "python3*",
			"site-packages"), "/usr/lib/python3*/dist-packages", "/usr/local/lib/python3*/*-packages",
	} {
		found, _ := filepath.Glob(pattern)
		places = append(places, found...)
	}
	for _, place := range places {
		if info, err := os.Stat(place); err == nil {
			fmt.Fprintln(sum, place, info.ModTime().UnixNano())
		}
	}
	boot, _ := files.Read("/proc/sys/kernel/random/boot_id", files.MaxSystem)
	sum.Write(boot)
	variables := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(passing, name)
	})
	slices.Sort(variables)
	fmt.Fprintln(sum, variables)
	return filepath.Join(folder, "saturate", "machines", hex.EncodeToString(sum.Sum(nil)[:8])+".json")
}
