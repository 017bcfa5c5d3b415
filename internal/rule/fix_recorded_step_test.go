package rule

import (
	"strings"
	"testing"

	"saturate/internal/patch"
)

const recordedHead = `import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(512, 512) for _ in range(3)])

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


def train(loader, steps):
    model = Net().to("cuda")
    optimizer = torch.optim.AdamW(model.parameters())
    log, total = [], torch.zeros((), device="cuda")
`

// A step becomes a function of what each batch brings; names that the loop reads are returned.
func TestRecordedStep(t *testing.T) {
	for name, test := range map[string]struct{ loop, want string }{
		"plain": {`
    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = (model(x) - y).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.append(loss)
`, `
    @saturate_gpu.replay.replayed(optimizer)
    def train_step(x, y):
        loss = (model(x) - y).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    for x, y in loader:
        x, y = x.cuda(), y.cuda()
        loss = train_step(x, y)
        log.append(loss)
`},
		"right after another line": {`    log.clear()
    for x in loader:
        x = x.cuda()
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
`, `    log.clear()

    @saturate_gpu.replay.replayed(optimizer)
    def train_step(x):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()

    for x in loader:
        x = x.cuda()
        train_step(x)
`},
		"epochs, two results, zero_grad around it": {`
    for epoch in range(3):
        for batch in loader:
            x, y = (part.to("cuda") for part in batch)
            scale = 1.0 / (1 + epoch)
            optimizer.zero_grad(set_to_none=True)
            with torch.autocast("cuda", torch.bfloat16):
                out = model(x)
                loss = (out - y).mean() * scale
            loss.backward()
            norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            log += [loss, norm]
`, `
    @saturate_gpu.replay.replayed(optimizer)
    def train_step(x, y, scale):
        optimizer.zero_grad(set_to_none=True)
        with torch.autocast("cuda", torch.bfloat16):
            out = model(x)
            loss = (out - y).mean() * scale
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss, norm

    for epoch in range(3):
        for batch in loader:
            x, y = (part.to("cuda") for part in batch)
            scale = 1.0 / (1 + epoch)
            loss, norm = train_step(x, y, scale)
            log += [loss, norm]
`},
		"nothing is read, zero_grad at the end": {`
    for x in loader:
        x = x.cuda()
        model(x).mean().backward()
        optimizer.step()
        optimizer.zero_grad()
`, ``},
		"a value that is carried on": {`
    for x in loader:
        x = x.cuda()
        loss = model(x).mean()
        total = total + loss.detach()
        loss.backward()
        optimizer.step()
`, ``},
		"a value that is read": {`
    for x in loader:
        x = x.cuda()
        loss = model(x).mean()
        log.append(loss.item())
        loss.backward()
        optimizer.step()
`, ``},
		"a decision": {`
    for x in loader:
        x = x.cuda()
        loss = model(x).mean()
        if loss > 9:
            loss = loss * 0.5
        loss.backward()
        optimizer.step()
`, ``},
		"accumulated": {`
    for i, x in enumerate(loader):
        loss = model(x.cuda()).mean()
        loss.backward()
        if i % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()
`, ``},
		"copied within": {`
    for x in loader:
        loss = model(x.to("cuda")).mean()
        loss.backward()
        optimizer.step()
`, ``},
		"kept in an attribute": {`
    for x in loader:
        x = x.cuda()
        loss = model(x).mean()
        model.last = loss
        loss.backward()
        optimizer.step()
`, ``},
		"a model that is set in each step": {`
    for i, x in enumerate(loader):
        x = x.cuda()
        model.set_temperature(1 / (1 + i))
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
`, ``},
		"an attribute that changes": {`
    for i, x in enumerate(loader):
        x = x.cuda()
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        model.temperature = 0.9 * model.temperature
`, ``},
		"a rate that is set by hand, models that are saved": {`
    for i, x in enumerate(loader):
        x = x.cuda()
        optimizer.param_groups[0]["lr"] = 1 / (1 + i)
        loss = model(x).mean()
        loss.backward()
        optimizer.step()
        if i % 100 == 0:
            model.save_pretrained(f"step-{i}")
            model.train()
`, `
    @saturate_gpu.replay.replayed(optimizer)
    def train_step(x):
        loss = model(x).mean()
        loss.backward()
        optimizer.step()

    for i, x in enumerate(loader):
        x = x.cuda()
        optimizer.param_groups[0]["lr"] = 1 / (1 + i)
        train_step(x)
        if i % 100 == 0:
            model.save_pretrained(f"step-{i}")
            model.train()
`},
		"scaled": {`
    scaler = torch.amp.GradScaler()
    for x in loader:
        x = x.cuda()
        loss = model(x).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			text := recordedHead + test.loop
			found := scan(t, Selection{Select: []string{"SAT411"}, All: true}, map[string]string{"train.py": text}).Findings
			if len(found) != 1 || len(found[0].Fixes) < 3 {
				t.Fatalf("the model is not found: %+v", found)
			}
			if len(found[0].Fixes) == 3 {
				if test.want != "" {
					t.Error("no step is recorded")
				}
				return
			}
			out, err := patch.Edits([]byte(text), found[0].Fixes[3].Edits)
			if err != nil {
				t.Fatal(err)
			}
			head, got, _ := strings.Cut(string(out), `device="cuda")`+"\n")
			if !strings.Contains(head, "AdamW(model.parameters(), fused=True)") || !strings.Contains(found[0].Fixes[3].Title, "fuse the optimizer") {
				t.Errorf("the optimizer is not fused: %s", head)
			}
			if got != test.want {
				t.Errorf("it becomes\n%s", out)
			}
		})
	}
}

// A module that counts its calls on the host would count none while a recording is replayed. Buffers are on the device.
func TestRecordedCounter(t *testing.T) {
	loop := "\n    for x in loader:\n        x = x.cuda()\n        loss = model(x).mean()\n        loss.backward()\n        optimizer.step()\n"
	for buffer, want := range map[string]int{"self.seen = 0": 3, `self.register_buffer("seen", torch.zeros(()))`: 4} {
		text := strings.Replace(recordedHead, "        self.layers", "        "+buffer+"\n        self.layers", 1)
		text = strings.Replace(text, "        for layer in self.layers:\n", "        self.seen += 1\n        for layer in self.layers:\n", 1) + loop
		found := scan(t, Selection{Select: []string{"SAT411"}, All: true}, map[string]string{"train.py": text}).Findings
		if len(found) != 1 || len(found[0].Fixes) != want {
			t.Errorf("with %s: %+v", buffer, found)
		}
	}
}
