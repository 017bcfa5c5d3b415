package project

import (
	"strings"
	"testing"

	"saturate/internal/pysrc"
)

// Training does not run the steps of a Lightning module if nothing starts a trainer of Lightning and a program trains by a
// loop of its own.
func TestLightningThatNothingStarts(t *testing.T) {
	const model = `import pytorch_lightning as pl


class Encoder(pl.LightningModule):
    def forward(self, batch):
        loss = self.layer(batch).mean()
        return loss  # step

    def training_step(self, batch, at):
        return self(batch)

    def encode(self, x):
        return self.layer(x)
`
	const train = `import torch
from parts.model import Encoder


def main():
    encoder, loader = Encoder().cuda(), [torch.ones(4)]
    head = torch.nn.Linear(4, 4).cuda()
    for x in loader:
        head(encoder.encode(x.cuda())).mean().backward()


if __name__ == "__main__":
    main()
`
	const fits = `from parts.model import Encoder
from elsewhere import trainer

trainer.fit(Encoder())
`
	for name, c := range map[string]struct {
		files map[string]string
		hot   bool
	}{
		"a loop of its own":     {map[string]string{"train.py": train}, false},
		"nothing else":          {nil, true},
		"a trainer":             {map[string]string{"train.py": train, "fit.py": "import lightning as L\n\nL.Trainer().fit(1)\n"}, true},
		"a command line":        {map[string]string{"train.py": train, "fit.py": "from lightning.pytorch.cli import LightningCLI\n\nLightningCLI()\n"}, true},
		"something that fits":   {map[string]string{"train.py": train, "fit.py": fits}, true},
		"settings that name it": {map[string]string{"train.py": train, "conf.yaml": "trainer:\n  _target_: pytorch_lightning.Trainer\n"}, true},
		"a library":             {map[string]string{"train.py": train, "setup.py": "from setuptools import setup\n\nsetup()\n"}, true},
		"another library":       {map[string]string{"train.py": train, "kernels/setup.py": "from setuptools import setup\n\nsetup()\n"}, false},
	} {
		files := map[string]string{"parts/__init__.py": "", "parts/model.py": model}
		for path, text := range c.files {
			files[path] = text
		}
		p := loadText(t, files)
		for _, m := range p.Modules {
			if m.Path != "parts/model.py" {
				continue
			}
			at := pysrc.Span{Start: int32(strings.Index(model, "return loss"))}
			if _, hot := p.Hot(m, &pysrc.Pass{Span: at}); hot != c.hot {
				t.Errorf("%s: the step is hot: %v", name, hot)
			}
		}
	}
}
