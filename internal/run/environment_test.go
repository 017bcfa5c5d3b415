package run

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRelevantVariables(t *testing.T) {
	got := relevantVariables([]string{
		"CUDA_VISIBLE_DEVICES=0,1", "TORCHINDUCTOR_CACHE_DIR=/x", "PYTORCH_ALLOC_CONF=expandable_segments:True", "OMP_NUM_THREADS=4",
		"HF_TOKEN=hf_abcdefghijklmnop", "HF_HOME=/models", "HF_ENDPOINT=https://me:p@ss@hub.example/x", "TOKENIZERS_PARALLELISM=false",
		"HF_TOKENIZER_API_KEY=abc", "NCCL_AUTH=", "XLA_FLAGS=--a=1 --b=2", "GPU_BACKEND=cuda", "SATURATE_PASSWORD=x", "jax_passwd=x",
		"PYTHONPATH=.", "HOME=/root", "AWS_SECRET_ACCESS_KEY=x", "EDITOR", "=C:=C:\\", "NCCL_NOTE=uses sk-abcdefghijklmnop for tests",
		"MASTER_ADDR=https://me:p@ss@hub.example/x", "TORCH_HUB_SECRET=x", "SATURATE_TTS_SERVER=x", "JAX_COORDINATOR=x", "PYTHON_KEYRING_BACKEND=x",
	})
	want := map[string]string{
		"CUDA_VISIBLE_DEVICES": "0,1", "TORCHINDUCTOR_CACHE_DIR": "/x", "PYTORCH_ALLOC_CONF": "expandable_segments:True", "OMP_NUM_THREADS": "4",
		"HF_HOME": "/models", "TOKENIZERS_PARALLELISM": "false", "XLA_FLAGS": "--a=1 --b=2", "GPU_BACKEND": "cuda", "PYTHONPATH": ".",
		"NCCL_NOTE": "uses (masked) for tests", "MASTER_ADDR": "https://(masked)@hub.example/x",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
}

func TestIsSecretName(t *testing.T) {
	for _, word := range []string{"TOKEN", "KEY", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "AUTH"} {
		for _, name := range []string{word, "HF_" + word, "MY" + word + "S", strings.ToLower("x_" + word)} {
			if !isSecretName(name) {
				t.Errorf("%s is shown", name)
			}
		}
	}
}

func TestMaskCommand(t *testing.T) {
	for _, test := range []struct{ command, want string }{
		{"python train.py --hf-token abc --lr 3", "python train.py --hf-token (masked) --lr 3"},
		{"python train.py --api_key=abc --key --lr", "python train.py --api_key=(masked) --key --lr"},
		{"env HF_TOKEN=abc MY_TOKEN_1='a|b' python x.py", "env HF_TOKEN=(masked) MY_TOKEN_1=(masked) python x.py"},
		{"python x.py --max-tokens 256 max_tokens=3 --tokenizer t --num_key_value_heads 8", "python x.py --max-tokens 256 max_tokens=3 --tokenizer t --num_key_value_heads 8"},
		{"python x.py --db-pass abc --pwd=abc --pat abc", "python x.py --db-pass (masked) --pwd=(masked) --pat (masked)"},
		{"sync me:pa55@db.example:5432/x s3://b/x?X-Amz-Signature=abc&n=2 https://a/?sig=abc", "sync (masked)@db.example:5432/x s3://b/x?X-Amz-Signature=(masked)&n=2 https://a/?sig=(masked)"},
		{`train --json {"api_key":"abc","lr":3} {'access_token':'abc'}`, `train --json {"api_key":"(masked)","lr":3} {'access_token':'(masked)'}`},
		{"curl -H X-Api-Key:|abc -H Cookie:|a=b;c=d -H Accept:|x", "curl -H X-Api-Key: (masked) -H Cookie: (masked) -H Accept: x"},
		{"train eyJhbGciOiJI.eyJzdWIiOiIx.abc AIzaSyA1234567890abcdef", "train (masked) (masked)"},
		{"git clone https://u:p@host/x", "git clone https://(masked)@host/x"},
		{"curl -H Authorization:|Bearer|abc", "curl -H Authorization: (masked)"},
		{"train hf_abcdefghijklmnopqrst model.auth=x", "train (masked) model.auth=(masked)"},
	} {
		command := strings.Split(test.command, " ")
		for i := range command {
			command[i] = strings.ReplaceAll(command[i], "|", " ")
		}
		if got := strings.Join(MaskCommand(command), " "); got != test.want {
			t.Errorf("got  %s\nwant %s", got, test.want)
		}
	}
}

func TestMachine(t *testing.T) {
	m, err := thisMachine()
	if err != nil {
		t.Fatal(err)
	}
	if m.Cores < 1 || m.UsableCores < 1 || m.Arch != runtime.GOARCH || m.Kernel == "" || m.MemoryBytes < 1<<20 {
		t.Errorf("%+v", m)
	}
}

func TestProcFiles(t *testing.T) {
	for _, test := range []struct{ cpuinfo, want string }{
		{"processor\t: 0\nmodel name\t: Intel(R) Xeon(R)  Platinum   8480+\nmodel name\t: other\n", "Intel(R) Xeon(R) Platinum 8480+"},
		{"processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd4f\n", "ARM implementer 0x41, part 0xd4f"},
		{"processor: 0\nCPU part: 0xd08\nModel: Raspberry Pi 4\n", "Raspberry Pi 4"},
		{"", ""},
		{"nonsense without a colon", ""},
	} {
		if got := cpuModel(test.cpuinfo); got != test.want {
			t.Errorf("%q: %q, want %q", test.cpuinfo, got, test.want)
		}
	}
	for text, want := range map[string]int64{"MemTotal:       32768000 kB\nMemFree: 1 kB\n": 32768000 << 10, "": 0, "MemTotal: many kB": 0} {
		if got := memoryTotal(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

func TestCapture(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	environ := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "OMP_NUM_THREADS=3"}
	git := func(args ...string) string {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@b", "-C", dir}, args...)...)
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	capture := func(in string) Environment { return Capture(context.Background(), in, environ) }

	if env := capture(dir); env.Git != nil || len(env.Notes) != 0 || env.Directory != dir || env.Variables["OMP_NUM_THREADS"] != "3" {
		t.Errorf("no repository: %+v", env)
	}
	git("init", "-q", "-b", "trunk")
	if env := capture(dir); env.Git != nil || len(env.Notes) != 1 || !strings.Contains(env.Notes[0], "no commit") {
		t.Errorf("no commit: %+v", env)
	}
	writeFiles(t, dir, map[string]string{"train.py": "a\n", "sub/x.py": "b\n"})
	git("add", ".")
	git("commit", "-q", "-m", "first")
	commit := git("rev-parse", "HEAD")
	if env := capture(filepath.Join(dir, "sub")); !cmp.Equal(env.Git, &Git{Commit: commit, Branch: "trunk"}) || len(env.Changes) != 0 {
		t.Errorf("clean: %+v", env.Git)
	}

	writeFiles(t, dir, map[string]string{"train.py": "changed\n", "new ü.py": "c\n"})
	env := capture(filepath.Join(dir, "sub"))
	if !env.Git.Dirty || env.Git.Truncated || env.Git.ChangesHash == "" || !cmp.Equal(env.Git.Untracked, []string{"new ü.py"}) || !strings.Contains(string(env.Changes), "+changed") {
		t.Errorf("dirty: %+v\n%s", env.Git, env.Changes)
	}

	writeFiles(t, dir, map[string]string{"train.py": strings.Repeat("a long line of changes\n", 100_000)})
	git("checkout", "-q", "--detach")
	env = capture(dir)
	if !env.Git.Truncated || len(env.Changes) > mostChanges || len(env.Changes) < mostChanges/2 || env.Changes[len(env.Changes)-1] != '\n' || env.Git.Branch != "" {
		t.Errorf("a large diff: %+v with %d bytes", env.Git, len(env.Changes))
	}

	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if env := Capture(cancelled, dir, environ); env.Git != nil || len(env.Notes) != 1 {
		t.Errorf("cancelled: %+v", env)
	}
	if env := capture(filepath.Join(dir, "missing")); env.Git != nil || len(env.Notes) != 1 {
		t.Errorf("a missing folder: %+v", env)
	}
}

func TestDiffEnvironments(t *testing.T) {
	a := Environment{
		Machine:  Machine{OS: "Linux", CPU: "one", Cores: 8},
		GPUs:     []GPU{{Name: "A100", Driver: "550"}},
		Versions: map[string]string{"torch": "2.14", "jax": "0.10"},
		Git:      &Git{Commit: "a", ChangesHash: "x"}, Directory: "/p",
		Variables: map[string]string{"OMP_NUM_THREADS": "1", "HF_HOME": "/h"},
		Notes:     []string{"not compared"},
	}
	b := a
	b.Machine.CPU = "two"
	b.GPUs = []GPU{{Name: "A100", Driver: "570"}, {Name: "L4"}}
	b.Versions = map[string]string{"torch": "2.15", "numpy": "2.4", "jax": "0.10"}
	b.Git = &Git{Commit: "b", ChangesHash: "x"}
	b.Variables = map[string]string{"HF_HOME": "/h"}
	want := []Difference{
		{"cpu", "one", "two"},
		{"gpu 0 driver", "550", "570"},
		{"torch", "2.14", "2.15"},
		{"git commit", "a", "b"},
		{"variable OMP_NUM_THREADS", "1", ""},
		{"gpu 1", "", "L4"},
		{"gpu 1 memory bytes", "", "0"},
		{"numpy", "", "2.4"},
	}
	if diff := cmp.Diff(want, DiffEnvironments(a, b)); diff != "" {
		t.Errorf("- want, + got:\n%s", diff)
	}
	if same := DiffEnvironments(a, a); len(same) != 0 {
		t.Errorf("an environment differs from itself: %v", same)
	}
	if len(DiffEnvironments(Environment{}, a)) == 0 {
		t.Error("nothing is like something")
	}
}

// TestChangesWithoutSecrets: the diff of a Run holds no files of secrets, and none that git is told to ignore.
func TestChangesWithoutSecrets(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir := t.TempDir()
	names := []string{"train.py", ".env", "conf/.env.local", "deploy.pem", "keys/id_rsa", "kept-though-ignored.txt", "secrets.yaml", "secrets/a.txt", "environment.py"}
	write := func(text string) {
		for _, name := range names {
			path := filepath.Join(dir, name)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text+" "+name+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=x", "-c", "user.email=x@y"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	write("old")
	git("init", "-q")
	git("add", "-A")
	git("commit", "-q", "-m", "one")
	if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte("kept-*\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write("new")
	env := Capture(context.Background(), dir, os.Environ())
	for _, name := range names {
		want := name == "train.py" || name == "environment.py"
		if got := strings.Contains(string(env.Changes), "new "+name); got != want {
			t.Errorf("%s is in changes.diff: %v", name, got)
		}
	}
	if env.Git == nil || !env.Git.Dirty {
		t.Errorf("git is %+v, %q", env.Git, env.Notes)
	}
	r, err := Create(t.TempDir(), "x", Options{Environment: env})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Save("sub/a.txt", "note", []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(0); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	_ = filepath.WalkDir(r.Dir(), func(path string, d os.DirEntry, _ error) error {
		info, err := d.Info()
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v, %v", path, info.Mode(), err)
		}
		return nil
	})
}
