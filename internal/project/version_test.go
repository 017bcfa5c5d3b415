package project

import "testing"

func TestVersions(t *testing.T) {
	for _, tt := range []struct {
		file, text, library, version string
		want                         Answer
	}{
		{"requirements.txt", "torch==2.4.0+cu121\n", "torch", "2.0", Yes},
		{"requirements.txt", "torch==1.13.1\n", "torch", "2.0", No},
		{"requirements.txt", "pytorch==1.3.1\n", "torch", "2.0", No},
		{"requirements.txt", "torch>=2.6  # new\n", "torch", "2.0", Yes},
		{"requirements.txt", "torch>=1.10\n", "torch", "2.0", Maybe},
		{"requirements.txt", "torch>=1.10,<2\n", "torch", "2.0", No},
		{"requirements.txt", "torch\n", "torch", "2.0", Maybe},
		{"requirements.txt", "-r other.txt\n--index-url https://x\ntorch ~= 2.1 ; python_version > '3.8'\n", "torch", "2.0", Yes},
		{"requirements-dev.txt", "pytorch_lightning[extra] == 2.1.*\n", "pytorch-lightning", "2.0", Yes},
		{"requirements.txt", "git+https://github.com/x/y\n./local\n", "torch", "2.0", Maybe},
		{"poetry.lock", "[[package]]\nname = \"torch\"\nversion = \"2.3.1\"\ndescription = \"x\"\n", "torch", "2.3", Yes},
		{"uv.lock", "version = 1\n[[package]]\nname = \"transformers\"\nversion = \"4.44.0\"\n", "transformers", "5", No},
		{"pyproject.toml", "[project]\ndependencies = [\n  \"torch>=2.2,<3\",\n]\n", "torch", "2.2", Yes},
		{"pyproject.toml", "[project]\nversion = \"3.0\"\ndependencies = [\"torch==2.2\"]\n", "torch", "2.2", Yes},
		{"pyproject.toml", "[tool.poetry.dependencies]\ntorch = \"^1.13\"\n", "torch", "2.0", No},
		{"pyproject.toml", "[tool.poetry.dependencies]\ntorch = {version = \"^2.1\", extras = [\"x\"]}\n", "torch", "2.0", Yes},
		{"environment.yml", "dependencies:\n  - pytorch::torch=2.1.0=py3\n  - pip:\n    - datasets>=4\n", "torch", "2.1", Yes},
		{"environment.yml", "dependencies:\n  - pip:\n    - datasets>=4\n", "datasets", "4", Yes},
		{"setup.cfg", "[options]\ninstall_requires =\n    torch>=2.0\n", "torch", "2.0", Yes},
		{"Dockerfile", "FROM pytorch/pytorch:1.7.1-cuda11.0-cudnn8-devel\n", "torch", "2.0", No},
		{"Dockerfile", "RUN pip3 install --no-cache torch==1.9.0+cu111 jax==0.2.1\n", "jax", "0.4", No},
	} {
		v := Versions{Required: readVersions(tt.file, []byte(tt.text))}
		if got := v.AtLeast(tt.library, tt.version); got != tt.want {
			t.Errorf("%s: %q: %s at least %s: %d, want %d (%+v)", tt.file, tt.text, tt.library, tt.version, got, tt.want, v.Required)
		}
	}
}

// Texts for people name versions too, which count where nothing is required.
func TestVersionsSaid(t *testing.T) {
	for _, tt := range []struct {
		file, text, version string
		want                Answer
	}{
		{"README.md", "- PyTorch 0.4.0 or Tensorflow 1.9.0\n", "2.0", No},
		{"README.md", "Trained using [PyTorch 1.2](https://github.com/pytorch/pytorch) and Python 3.7.\n", "1.7", No},
		{"README.md", "* Pytorch 0.4.0 (**not 0.4.1**)\nThis repo supports pytorch-1.0 now!\n", "1.0", Yes},
		{"README.md", "- torch 1.4\n- torchvision 0.5\n", "1.7", No},
		{"README.md", "- **PyTorch** (1.0.0)\n", "1.7", No},
		{"README.md", "- PyTorch `1.8.1`\n", "2.0", No},
		{"README.md", "- pytorch1.6.0+cu101\n", "2.0", No},
		{"README.md", "支持 PyTorch（2.1.0）\n", "2.0", Yes},
		{"README.md", "PyTorch 1.7.1 and 2.0 were tested.\n", "2.0", Yes},
		{"README.md", "You need PyTorch 1.6 or later.\n", "2.0", Maybe},
		{"README.md", "PyTorch >= 1.6, at least torch 1.7, torch 1.8+\n", "2.0", Maybe},
		{"README.md", "pytorch-lightning 1.5 and torch-geometric==1.0.3\n", "2.0", Maybe},
		{"README.md", "conda install pytorch=1.7.1 torchvision cudatoolkit=11.0 -c pytorch\n", "2.0", No},
		{"README.md", "`pip install torch==1.0.1`, or for new cards `pip install torch==2.1`\n", "2.0", Yes},
		{"setup.py", "setup(install_requires=['torch>=1.4,<1.9', \"numpy\"])\n", "2.0", No},
		{"env_gpu.yml", "name: x\ndependencies:\n- pytorch=1.6.0\n", "2.0", No},
		{"train.yml", "model:\n- pytorch=1.6.0\n", "2.0", Maybe},
		{"README.md", "conda install pytorch torchvision cudatoolkit=10.0 -c pytorch\n", "2.0", No},
		{"README.md", "conda install pytorch torchvision pytorch-cuda=11.8 -c pytorch\n", "2.0", Maybe},
		{"INSTALL.md", "pip install torch==1.8.0+cu111\n", "2.0", No},
		{"CHANGES.md", "PyTorch 1.4\n", "2.0", Maybe},
		{"install.sh", "pip install torch==1.13.1\n", "2.0", No},
	} {
		v := Versions{Required: versionsSaid(tt.file, []byte(tt.text))}
		if got := v.AtLeast("torch", tt.version); got != tt.want {
			t.Errorf("%s: %q: torch at least %s: %d, want %d (%+v)", tt.file, tt.text, tt.version, got, tt.want, v.Required)
		}
		v.Required = append(v.Required, Requirement{Library: "torch", Exact: "2.4", Path: "requirements.txt"})
		if got := v.AtLeast("torch", "2.0"); got != Yes && tt.file != "setup.py" && tt.file != "env_gpu.yml" {
			t.Errorf("%s: %q counts more than a requirement", tt.file, tt.text)
		}
	}
}

// What a program ran with counts more than what its project asks for.
func TestInstalledVersions(t *testing.T) {
	v := Versions{Required: []Requirement{{Library: "torch", Exact: "1.4"}}, Installed: map[string]string{"torch": "2.15.0+cu132"}}
	if got := v.Above("a/b.py").AtLeast("torch", "2.0"); got != Yes {
		t.Errorf("torch 2.15 runs: at least 2.0 is %d", got)
	}
	if got := v.AtLeast("torch", "3"); got != No {
		t.Errorf("torch 2.15 runs: at least 3 is %d", got)
	}
}

func TestCompareVersions(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{{"2.0", "2.0.0", 0}, {"2.10", "2.9", 1}, {"1.13.1", "2", -1}, {"2.0rc1", "2.0", 0}, {"", "1", -1}} {
		if got := compareVersions(tt.a, tt.b); got != tt.want {
			t.Errorf("%s against %s: %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

func FuzzVersions(f *testing.F) {
	f.Add("requirements.txt", "torch>=2.0,<3 ; x\n-e .\n")
	f.Add("pyproject.toml", "a = [\"b>=1\"]\nc = {version = \"^1\"}\n")
	f.Add("environment.yml", "- a::b=1=2\n")
	f.Fuzz(func(t *testing.T, file, text string) {
		for _, r := range readVersions(file, []byte(text)) {
			Versions{Required: []Requirement{r}}.AtLeast(r.Library, "1")
		}
	})
}
