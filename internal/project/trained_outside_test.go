package project

import "testing"

// What OpenMMLab and fairseq call in each step is found by what it is registered as.
func TestStepOfRegistered(t *testing.T) {
	p := loadText(t, map[string]string{
		"heads.py": "import torch.nn as nn\nfrom mmdet.models.builder import HEADS\n\n\nclass Base(nn.Module):\n    def forward_train(self, x):\n        return self.loss(x)  # of heirs\n\n\n" +
			"@HEADS.register_module()\nclass Head(Base):\n    def loss(self, x):\n        return x  # called by the base\n\n    def get_boxes(self, x):\n        return x  # for results\n",
		"plain.py": "import torch.nn as nn\n\n\nclass Plain(nn.Module):\n    def forward_train(self, x):\n        return x  # of no registry\n",
		"task.py":  "from fairseq.tasks.translation import TranslationTask\n\n\nclass Task(TranslationTask):\n    def train_step(self, sample, model, criterion, optimizer, update_num):\n        return sample  # of the task\n",
		"train.py": "import heads, plain, task\nfrom mmdet.apis import train_detector\n\nmodel = build().cuda()\ntrain_detector(model, [])\n",
	})
	for mark, want := range map[string]bool{"# of heirs": true, "# called by the base": true, "# for results": false, "# of no registry": false, "# of the task": true} {
		if got := hotAt(t, p, mark); got != want {
			t.Errorf("%s: in each step %v, want %v", mark, got, want)
		}
	}
	if !trainedAt(p, "train.py") {
		t.Error("train_detector of a library does not start a training")
	}
	p = loadText(t, map[string]string{
		"net.py":    "from fairseq.models import FairseqEncoderDecoderModel, register_model\nfrom layers import Layer\n\n\n@register_model('net')\nclass Net(FairseqEncoderDecoderModel):\n    def __init__(self):\n        self.layer = Layer()\n",
		"layers.py": "import torch.nn as nn\n\n\nclass Layer(nn.Module):\n    def forward(self, x):\n        return x\n",
	})
	if !trainedAt(p, "layers.py") {
		t.Error("the layers of a model that fairseq is given are not trained")
	}
}

// A program that starts a runner of OpenMMLab trains.
func TestStartsRunner(t *testing.T) {
	for name, c := range map[string]struct {
		train  string
		trains bool
	}{
		"a runner":          {"from mmcv.runner import EpochBasedRunner\n\nrunner = EpochBasedRunner(model)\nrunner.run(loaders, [])\n", true},
		"one that is built": {"from mmengine.runner import Runner\n\nrunner = Runner.from_cfg(config)\nrunner.train()\n", true},
		"a program's part":  {"from mmdet.apis import train_detector\n\ntrain_detector(model, data, config)\n", true},
		"none":              {"from mmdet.apis import inference_detector\n\ninference_detector(model, image)\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := trainedAt(loadText(t, map[string]string{"train.py": c.train}), "train.py"); got != c.trains {
				t.Errorf("trains: %v, want %v", got, c.trains)
			}
		})
	}
}
