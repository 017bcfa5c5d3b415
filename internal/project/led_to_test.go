package project

import (
	"bytes"
	"testing"

	"saturate/internal/pysrc"
)

// hotAt reports whether a line with a mark runs in every training step.
func hotAt(t *testing.T, p *Project, mark string) bool {
	t.Helper()
	for _, m := range p.Modules {
		at := bytes.Index(m.Text, []byte(mark))
		if at < 0 {
			continue
		}
		line := int32(bytes.LastIndexByte(m.Text[:at], '\n') + 1)
		for m.Text[line] == ' ' {
			line++
		}
		_, hot := p.Hot(m, m.StatementAt(line))
		return hot
	}
	t.Fatalf("no line has %s", mark)
	return false
}

// trainedAt reports whether training reaches a module.
func trainedAt(p *Project, path string) bool {
	for _, m := range p.Modules {
		if m.Path == path {
			return p.Trained(m)
		}
	}
	return false
}

const stepOfTrainer = `import torch


class Trainer:
    def run(self, loader):
        for x in loader:
            loss = self.model(x).mean()
            loss.backward()
`

// A package imports its own modules by its name, and programs reach what lies in them through the package.
func TestPackageBringsItsOwnModules(t *testing.T) {
	p := loadText(t, map[string]string{
		"kit/__init__.py":        "from kit import engine, nets\nfrom . import parts\n",
		"kit/engine/__init__.py": "from .plain import Trainer\n",
		"kit/engine/plain.py":    stepOfTrainer,
		"kit/nets/__init__.py":   "from .unet import UNet\n",
		"kit/nets/unet.py":       "import torch\n\n\nclass UNet(torch.nn.Module):\n    def forward(self, x):\n        return x  # forward\n",
		"kit/parts.py":           "def make():\n    return 1\n",
		"kit/other.py":           "import torch\n\n\nclass Other(torch.nn.Module):\n    def forward(self, x):\n        return x\n",
		"train.py":               "import kit\n\nkit.parts.make()\nmodel = kit.nets.UNet()\ntrainer = kit.engine.Trainer()\ntrainer.run(loader)\n",
	})
	for path, want := range map[string]bool{"train.py": true, "kit/nets/unet.py": true, "kit/engine/plain.py": true, "kit/parts.py": true, "kit/other.py": false} {
		if got := trainedAt(p, path); got != want {
			t.Errorf("%s: trained %v, want %v", path, got, want)
		}
	}
}

// What a package of Python 2 imports with a star lies beside it.
func TestStarOfOwnFolder(t *testing.T) {
	p := loadText(t, map[string]string{
		"nets/__init__.py": "from unet import *\n",
		"nets/unet.py":     "import torch\n\n\nclass UNet(torch.nn.Module):\n    def forward(self, x):\n        return x\n",
		"train.py":         "from nets import *\n\nmodel = UNet()\nfor x in loader:\n    model(x).mean().backward()\n",
	})
	if !trainedAt(p, "nets/unet.py") {
		t.Error("training does not reach what a star of the package's own folder brings")
	}
}

// A dict that starts empty and gets its classes one by one is a table of classes, also for who imports it.
func TestTableThatIsFilled(t *testing.T) {
	learner := func(name string) string {
		return "class " + name + ":\n    def learn(self, x, step):\n        loss = self.net(x).mean()\n        loss.backward()  # " + name + "\n"
	}
	files := map[string]string{
		"learners/__init__.py": "from .q import Q\nfrom .coma import Coma\n\nTABLE = {}\nTABLE['q'] = Q\nTABLE['coma'] = Coma\n",
		"learners/q.py":        learner("Q"),
		"learners/coma.py":     learner("Coma"),
		"learners/unused.py":   learner("Unused"),
		"run.py":               "from learners import TABLE\n\n\ndef main(args):\n    learner = TABLE[args.learner](args)\n    while True:\n        x = sample()\n        learner.learn(x, 1)  # turn\n",
	}
	p := loadText(t, files)
	for _, mark := range []string{"# Q", "# Coma", "# turn"} {
		if !hotAt(t, p, mark) {
			t.Errorf("%s does not run in each step", mark)
		}
	}
	if trainedAt(p, "learners/unused.py") != true { // a step of its own, which nothing calls
		t.Error("a method that steps is not taken for training where nothing calls it")
	}
}

// Callers say more of what a function is given than an annotation with a library's class.
func TestAnnotationOfBase(t *testing.T) {
	p := loadText(t, map[string]string{
		"engine.py": "import torch\n\n\ndef train(model: torch.nn.Module, criterion: torch.nn.Module, loader):\n    for x, y in loader:\n        x = x.cuda()\n" +
			"        out = model(x)\n        loss = criterion(out, y)\n        loss.backward()\n",
		"losses.py": "import torch\n\n\nclass Criterion(torch.nn.Module):\n    def forward(self, out, y):\n        return self.of(out)\n\n    def of(self, out):\n        n = out.sum().item()  # read\n        return out / n\n",
		"main.py":   "from engine import train\nfrom losses import Criterion\nfrom net import Net\n\ntrain(Net(), Criterion(), loader)\n",
		"net.py":    "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n",
	})
	for _, m := range p.Modules {
		for _, s := range m.Sites {
			if s.Method() != "item" {
				continue
			}
			e := p.NewEval()
			if way, hot := p.Hot(m, s.Node); !hot || way.Kind != TrainingLoop || e.OnDevice(m, s.Node.Func.(*pysrc.Attribute).Value) < Likely {
				t.Errorf("what the criterion reads is not known to be on the device")
			}
		}
	}
}

// What decorators keep serves those who ask the registry, wherever it is made and whatever its class; one of a library serves
// those who ask the library.
func TestRegisteredModules(t *testing.T) {
	model := func(decorator string) string {
		return decorator + "\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
	}
	p := loadText(t, map[string]string{
		"tools/registry.py": "class Registry:\n    def __init__(self):\n        self.kept = {}\n\n    def get(self, key):\n        return self.kept.get(key)\n\n" +
			"    def register(self, cls):\n        self.kept[cls.__name__] = cls\n        return cls\n\n\ndef build(kind, registry):\n    return registry.get(kind)()\n",
		"nets/tables.py":   "from tools.registry import Registry, build\n\nNETS = Registry()\nHEADS = Registry()\n\n\ndef build_net(kind):\n    return build(kind, NETS)\n",
		"nets/plain.py":    "import torch\nfrom nets.tables import NETS\n\n\n" + model("@NETS.register"),
		"nets/graph.py":    "import torch\nfrom graphlib import register_net\n\n\n" + model("@register_net('net')"),
		"nets/apart.py":    "import torch\nfrom otherlib import register_net\n\n\n" + model("@register_net('net')"),
		"nets/property.py": "import torch\n\n\n" + model("@torch.no_grad"),
		"train.py":         "import graphlib\nfrom nets.tables import build_net\n\nmodel = build_net(kind)\nfor x in loader:\n    model(x).mean().backward()\n",
	})
	for path, want := range map[string]bool{"nets/plain.py": true, "nets/graph.py": true, "nets/apart.py": false, "nets/property.py": false} {
		if got := trainedAt(p, path); got != want {
			t.Errorf("%s: trained %v, want %v", path, got, want)
		}
	}
}

// A method of something unknown starts a training where the program uses a class whose method of that name does; putting a model
// into a mode does not.
func TestStartsByName(t *testing.T) {
	for call, want := range map[string]bool{
		"trainer = found(kind)\ntrainer.run()\n":              true,
		"trainer = found(kind)\ntrainer.walk()\n":             false,
		"model = found(kind)\nmodel.eval()\nmodel.train()\n":  false,
		"trainer = found(kind)\ntrainer.train()\n":            true,
		"trainer = found(kind)\ntrainer.model.train(False)\n": false,
	} {
		p := loadText(t, map[string]string{
			"trainers.py": stepOfTrainer + "\n    def train(self):\n        self.run(self.loader)\n\n\ndef settle():\n    return 1\n",
			"program.py":  "from trainers import settle\nfrom registry import found\n\nsettle()\n" + call,
		})
		for _, m := range p.Modules {
			if m.Path == "program.py" && p.Starts(m) != want {
				t.Errorf("%q starts a training: %v, want %v", call, p.Starts(m), want)
			}
		}
	}
}

// A class that the program gives its options makes what is trained.
func TestClassAmongOptions(t *testing.T) {
	p := loadText(t, map[string]string{
		"nets.py": "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return self.of(x)\n\n    def of(self, x):\n        return x  # of the net\n",
		"train.py": "import argparse\nfrom nets import Net\n\n\nclass Run:\n    def __init__(self, opt):\n        self.model = opt.net_class(3)\n\n    def train(self, loader):\n" +
			"        for x in loader:\n            loss = self.model(x).mean()\n            loss.backward()\n\n\n" +
			"parser = argparse.ArgumentParser()\nparser.add_argument('--net', default='net')\nopt = parser.parse_args()\nopt.net_class = {'net': Net}[opt.net]\nRun(opt).train(loader)\n",
	})
	for _, m := range p.Modules {
		for _, f := range m.Functions {
			if f.Name == "Net.forward" && (p.hot[f] == nil || p.hot[f].kind != TrainingLoop) {
				t.Error("the step is not known to run the model that the options name")
			}
		}
	}
}

// A trainer of a library trains the models of the project, and a runner of one is given the object that holds the steps.
func TestTrainedByLibrary(t *testing.T) {
	p := loadText(t, map[string]string{
		"net.py":   "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x  # trained by a trainer\n",
		"train.py": "from net import Net\nfrom transformers import Trainer\n\ntrainer = Trainer(model=Net())\ntrainer.train()\n",
	})
	if !hotAt(t, p, "# trained by a trainer") {
		t.Error("the forward of a model that a library's trainer trains is not known to run in each step")
	}
	p = loadText(t, map[string]string{
		"algo.py": "from lab.algos import Algorithm\n\n\nclass Algo(Algorithm):\n    def optimize(self):\n        for x in self.batches():\n            loss = self.net(x).mean()\n            loss.backward()\n",
		"main.py": "from algo import Algo\nfrom lab.runners import Runner\n\nRunner(algo=Algo()).train()\n",
	})
	if !trainedAt(p, "main.py") {
		t.Error("a program that hands an algorithm to a library's runner does not train")
	}
}

// Each of several classes that a call may make gets the arguments by their places.
func TestOneOfSeveralIsGiven(t *testing.T) {
	p := loadText(t, map[string]string{
		"trainers.py": "import torch\n\n\nclass WithLoss(torch.nn.Module):\n    def __init__(self, model):\n        super().__init__()\n        self.model = model\n\n" +
			"    def forward(self, x):\n        return self.model(x).mean()\n\n\nclass Base:\n    def __init__(self, opt, model):\n        self.whole = WithLoss(model)\n\n" +
			"    def train(self, loader):\n        for x in loader:\n            loss = self.whole(x)\n            loss.backward()\n\n\n" +
			"class Plain(Base):\n    def __init__(self, opt, model):\n        super().__init__(opt, model)\n\n\nclass Fancy(Base):\n    def __init__(self, opt, model, more=1):\n        super().__init__(opt, model)\n\n\n" +
			"KINDS = {'plain': Plain, 'fancy': Fancy}\n",
		"net.py":   "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n",
		"train.py": "from net import Net\nfrom trainers import KINDS\n\n\ndef main(opt):\n    trainer = KINDS[opt.kind](opt, Net())\n    trainer.train(loader)\n\n\nmain(options())\n",
	})
	for _, m := range p.Modules {
		for _, f := range m.Functions {
			if f.Name == "Net.forward" && (p.hot[f] == nil || p.hot[f].kind != TrainingLoop) {
				t.Error("the step is not known to run the model that one of several trainers is given")
			}
		}
	}
}

// What a training imports by a name of which only the package is known may be any module that fits, however many there are.
func TestTrainedByComputedName(t *testing.T) {
	files := map[string]string{
		"nets/__init__.py":      "import importlib\n\n\ndef make(args):\n    return importlib.import_module(f'nets.{args.kind}.{args.name}').Net(args)\n",
		"train.py":              "import torch\nfrom nets import make\n\nmodel = make(options())\nfor x in loader:\n    model(x).mean().backward()\n",
		"nets/wide/__init__.py": "", "nets/wide/parts/__init__.py": "",
		"nets/wide/parts/deep.py": "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n",
	}
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n"} {
		files["nets/wide/"+name+".py"] = files["nets/wide/parts/deep.py"]
	}
	p := loadText(t, files)
	for path, want := range map[string]bool{"nets/wide/a.py": true, "nets/wide/n.py": true, "nets/wide/parts/deep.py": false} {
		if got := trainedAt(p, path); got != want {
			t.Errorf("%s: trained %v, want %v", path, got, want)
		}
	}
}
