package cli

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"saturate/internal/files"
	"saturate/internal/process"
	runtimefiles "saturate/python"
)

// needed is what the example imports, and packages where it comes from.
const needed = "import torch, transformers, tokenizers, yaml, numpy"

var packages = []string{"torch>=2.6", "transformers>=5.0", "tokenizers>=0.21", "numpy>=1.26", "PyYAML>=6.0"}

// cpuTorch has builds without CUDA, which are much smaller. Elsewhere than on Linux, those of PyPI are.
const cpuTorch = "https://download.pytorch.org/whl/cpu"

// trainingPython finds an interpreter that has what the example needs, or makes an environment with it.
func trainingPython(ctx context.Context, env *Env, o demoOptions) (string, error) {
	python, err := env.pythonToRun(o.python)
	if err == nil {
		err = hasPackages(ctx, env, python)
	}
	if err == nil || o.python != "" || ctx.Err() != nil {
		return python, err
	}
	return demoPython(ctx, env, o.torch == "pypi")
}

// hasPackages is nil where an interpreter can import what the example needs.
func hasPackages(ctx context.Context, env *Env, python string) error {
	cmd := process.Command(ctx, python, "-c", needed)
	cmd.Env, cmd.Dir = env.Vars, process.Neutral()
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case !errors.As(err, &exit):
		return exitError{exitMissing, fmt.Errorf("the demo needs a Python, but %s cannot be "+
			"run: %w; choose another with --python", python, reason(err))}
	}
	return exitError{exitMissing, fmt.Errorf("the demo needs torch, transformers and PyYAML, and %s lacks some (%s): `%s -m pip install torch transformers PyYAML`, or choose another with --python",
		python, cmp.Or(process.LastLine(said), err.Error()), python)}
}

// demoPython is the interpreter of the demo's own environment, which is made once.
func demoPython(ctx context.Context, env *Env, pypi bool) (string, error) {
	dir, err := demoFolder(pypi)
	if err != nil {
		return "", err
	}
	python, complete := process.PythonIn(dir), filepath.Join(dir, "complete")
	if _, err := os.Stat(complete); err == nil && hasPackages(ctx, env, python) == nil {
		return python, bringRuntime(dir)
	}
	steps, err := installer(env, dir, pypi)
	if err != nil {
		return "", err
	}
	if err := files.OwnFolder(dir, 0o700); err != nil {
		return "", fmt.Errorf("cannot make the demo's Python environment: %w", err)
	}
	unlock, err := files.LockFolder(dir, "saturate demo")
	if err != nil {
		return "", err
	}
	defer unlock()
	announce(env, dir, pypi)
	for _, words := range steps {
		cmd := process.Command(ctx, words[0], words[1:]...)
		// Its progress bars are for people, so they go where ours go.
		cmd.Env, cmd.Dir, cmd.Stdout, cmd.Stderr = env.Vars, process.Neutral(), env.Stderr, env.Stderr
		if err := process.Run(cmd); err != nil {
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			return "", exitError{exitMissing, fmt.Errorf("cannot make the demo's Python environment: `%s` failed: %w; use your own Python with --python%s", strings.Join(words, " "), err, otherTorch(pypi))}
		}
	}
	if err := hasPackages(ctx, env, python); err != nil {
		return "", err
	}
	if err := bringRuntime(dir); err != nil {
		return "", err
	}
	return python, files.Write(complete, nil)
}

// bringRuntime puts saturate_gpu of this binary into an environment, so that the patched example runs there.
func bringRuntime(dir string) error {
	folders, err := filepath.Glob(filepath.Join(dir, "[Ll]ib", "python3*", "site-packages"))
	if err == nil && len(folders) == 0 {
		folders, err = filepath.Glob(filepath.Join(dir, "[Ll]ib", "site-packages")) // Windows
	}
	for _, folder := range folders {
		for name, text := range runtimefiles.Package() {
			path := filepath.Join(folder, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), files.Write(path, text)); err != nil {
				return fmt.Errorf("cannot put saturate_gpu into the demo's Python environment: %w", err)
			}
		}
	}
	return err
}

func otherTorch(pypi bool) string {
	if pypi || runtime.GOOS != "linux" {
		return ""
	}
	return ", or get torch from PyPI with --torch pypi (several GB)"
}

// announce says what is about to be downloaded, from where and to where.
func announce(env *Env, dir string, pypi bool) {
	from := "the CPU build from download.pytorch.org"
	if pypi || runtime.GOOS != "linux" {
		from = "from PyPI"
		if runtime.GOOS == "linux" {
			from += ", with CUDA: several GB"
		}
	}
	env.say("the demo needs a Python with torch, transformers and PyYAML, and none was found.")
	env.say("Downloading once into %s: torch (%s); transformers, tokenizers, NumPy and PyYAML (from PyPI).", dir, from)
	env.say("Ctrl-C stops. To use your own Python: saturate demo --python PATH. To remove this one: delete the folder.")
}

// demoFolder is named after what it holds.
func demoFolder(pypi bool) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", exitError{exitMissing, fmt.Errorf("no folder for the demo's Python "+
			"environment: %w; use your own Python with --python", err)}
	}
	sum := sha256.Sum256(fmt.Append(nil, packages, pypi))
	return filepath.Join(cache, "saturate", "demo-"+hex.EncodeToString(sum[:4])), nil
}

// installer is the commands that make the environment: by uv where it is, which also gets a Python where there is none;
// else by Python's own venv and pip.
func installer(env *Env, dir string, pypi bool) ([][]string, error) {
	python := process.PythonIn(dir)
	cpu := !pypi && runtime.GOOS == "linux"
	if uv := cmp.Or(env.Var("UV"), "uv"); lookUp(uv) {
		install := append([]string{uv, "pip", "install", "--python", python}, packages...)
		if cpu {
			install = append(install, "--torch-backend", "cpu")
		}
		return [][]string{{uv, "venv", "--quiet", "--allow-existing", "--python", ">=3.10", dir}, install}, nil
	}
	base, err := env.pythonToRun("")
	if err != nil {
		return nil, exitError{exitMissing, errors.New("the demo needs Python 3.10 or newer, or uv " +
			"(https://docs.astral.sh/uv), which gets one")}
	}
	pip := []string{python, "-m", "pip", "install", "--disable-pip-version-check", "--retries", "1"}
	steps := [][]string{{base, "-m", "venv", dir}}
	if cpu {
		steps = append(steps, append(pip[:len(pip):len(pip)], "--index-url", cpuTorch, packages[0]))
	}
	return append(steps, append(pip, packages...)), nil
}

func lookUp(program string) bool {
	_, err := exec.LookPath(program)
	return err == nil
}
