package project

import "testing"

// A runner of OpenMMLab calls the train_step of a model, and what a part of one derives from a library's calls its loss.
func TestStepsOfRunners(t *testing.T) {
	const model = `from mmdet.models import AnchorHead
from mmcv.runner import BaseModule


class Detector(BaseModule):
    def train_step(self, batch, optimizer):
        return dict(loss=self.head(batch))  # of the model


class Head(AnchorHead):
    def loss(self, scores, boxes):
        return scores.mean()  # of a part
`
	for name, c := range map[string]struct {
		train string
		hot   bool
	}{
		"a runner":          {"from mmcv.runner import EpochBasedRunner\n\nrunner = EpochBasedRunner(model)\nrunner.run(loaders, [])\n", true},
		"one that is built": {"from mmengine.runner import Runner\n\nrunner = Runner.from_cfg(config)\nrunner.train()\n", true},
		"a program's part":  {"from mmdet.apis import train_detector\n\ntrain_detector(model, data, config)\n", true},
		"none":              {"from mmdet.apis import inference_detector\n\ninference_detector(model, image)\n", false},
	} {
		t.Run(name, func(t *testing.T) {
			marked(t, map[string]string{"model.py": model, "train.py": "from model import Detector, Head\n\nmodel = Detector(head=Head())\n" + c.train}, map[string]bool{"# of the model": c.hot, "# of a part": c.hot})
		})
	}
}
