package offline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"saturate/internal/patch"
	"saturate/internal/run"
)

// around is a program that trains on what a dataset gives.
const around = `
import random
import torch
import torchaudio
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


def load_file(path):
    return torchaudio.load(path)


def resampled(audio, rate):
    wave, sr = audio
    return torchaudio.transforms.Resample(sr, rate)(wave)


def padded(wave, length):
    front = random.randint(0, length - wave.shape[1])
    return torch.nn.functional.pad(wave, (front, length - wave.shape[1] - front))


def clean(text):
    with open("stopwords.txt") as f:
        stopwords = f.read().splitlines()
    return " ".join(word for word in text.split() if word not in stopwords)


class Data(Dataset):
    def __init__(self, paths, texts, labels, transform=None):
        self.paths, self.texts, self.labels, self.transform = paths, texts, labels, transform
        self.rate = 16000
        self.small = transforms.Compose([transforms.Resize((16, 16)), transforms.ToTensor()])
        self.large = transforms.Compose([transforms.Resize((64, 64)), transforms.ToTensor()])
        self.flipped = transforms.Compose([transforms.Resize((64, 64)), transforms.RandomHorizontalFlip(), transforms.ToTensor()])

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
%s


def cropped(path, length=400):
    wave, sr = torchaudio.load(path)
    spectrum = torchaudio.transforms.MelSpectrogram(sr)(wave)
    loudness = torch.log(spectrum + 1)
    start = random.randint(0, loudness.shape[1] - length)
    return loudness[:, start:start + length]


loader = DataLoader(Data([], [], []), batch_size=4)
for x, y in loader:
    loss = model(x, y)
    loss.backward()
    optimizer.step()
`

// The longest part of a sample that draws nothing is kept, and nothing behind the first draw.
func TestPrefix(t *testing.T) {
	for _, c := range []struct {
		name, body string
		costs      []run.Function
		keeps      []string // lines of the changed __getitem__
		refuses    string
	}{
		{
			name: "decoding belongs to the resampled audio, padding at random does not",
			body: `
        path = self.paths[index]
        label = self.labels[index]
        audio = load_file(path)
        wave = resampled(audio, self.rate)
        mono = wave.mean(0, keepdim=True)
        wave = padded(mono, 64000)
        return wave, label`,
			keeps: []string{
				"        def make_audio():\n            audio = load_file(path)\n            wave = resampled(audio, self.rate)\n            return wave.mean(0, keepdim=True)\n",
				`        mono = saturate_offline.kept("audio", make_audio, path, self.rate`,
				"        wave = padded(mono, 64000)\n",
			},
		},
		{
			name: "an image that two transforms make smaller",
			body: `
        image = Image.open(self.paths[index])
        small = self.small(image)
        large = self.large(image)
        return {"small": small, "large": large}`,
			keeps: []string{
				"        def make_images():\n            image = Image.open(self.paths[index])\n",
				"            return large, small\n",
				`        large, small = saturate_offline.kept("images", make_images, self.paths[index], self.small, self.large)`,
				`        return {"small": small, "large": large}`,
			},
		},
		{
			name: "features are kept as they are before a crop at random",
			body: `
        return cropped(self.paths[index]), self.labels[index]`,
			keeps: []string{
				"        return torch.log(spectrum + 1)\n",
				"    loudness = saturate_offline.kept(",
				"    start = random.randint(0, loudness.shape[1] - length)\n    return loudness[:, start:start + length]\n",
				"        return cropped(self.paths[index]), self.labels[index]",
			},
		},
		{
			name: "a transform that flips is left in training",
			body: `
        image = Image.open(self.paths[index])
        small = self.small(image)
        flipped = self.flipped(image)
        return {"small": small, "flipped": flipped}`,
			keeps: []string{
				"            return image, small\n",
				"        flipped = self.flipped(image)\n",
			},
		},
		{
			name: "a transform that nobody knows is left in training",
			body: `
        image = Image.open(self.paths[index]).resize((64, 64))
        label = self.labels[index]
        other = self.transform(image)
        return {"image": image, "other": other}, label`,
			keeps: []string{`        other = self.transform(image)`},
		},
		{
			name: "what a run was seen to spend its time on",
			body: `
        item = self.texts[index]
        text = clean(item)
        return text, self.labels[index]`,
			costs: []run.Function{{Function: "clean", Path: "train.py", Line: 27, Share: 0.9, Own: 0.9, Inside: "data"}},
			keeps: []string{`        text = saturate_offline.kept("samples", lambda: clean(item), item)`},
		},
		{
			name: "a loop that refines a value is one step",
			body: `
        item = self.texts[index]
        text = item.lower()
        for mark in ".,;":
            text = text.replace(mark, "").strip()
        return text, self.labels[index]`,
			costs: []run.Function{{Function: "Data.__getitem__", Path: "train.py", Line: 45, Share: 0.9, Own: 0.9, Inside: "data"}},
			keeps: []string{
				"        def make_samples():\n            text = item.lower()\n            for mark",
				"            return text\n\n        text = saturate_offline.kept(\"samples\", make_samples, item)\n",
			},
		},
		{
			name: "nothing is kept of what costs little",
			body: `
        item = self.texts[index]
        text = clean(item)
        return text, self.labels[index]`,
			costs: []run.Function{{Function: "clean", Path: "train.py", Line: 27, Share: 0.05, Own: 0.05, Inside: "data"}},
		},
		{
			name: "what costs draws",
			body: `
        return padded(self.texts[index], 100), self.labels[index]`,
			costs:   []run.Function{{Function: "padded", Path: "train.py", Line: 20, Share: 0.9, Own: 0.9, Inside: "data"}},
			refuses: "is drawn inside",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			source := strings.Replace(around, "%s", strings.TrimPrefix(c.body, "\n"), 1)
			if err := os.WriteFile("train.py", []byte(source), 0o644); err != nil {
				t.Fatal(err)
			}
			r, refused := repairedBy(t, ".", Options{Command: []string{"python", "train.py"}, Costs: c.costs})
			changes, err := patch.Changes(".", []patch.Patch{r.Patch}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if len(c.keeps) == 0 {
				if len(changes) > 0 {
					t.Errorf("it changes\n%s", patch.Diff(changes))
				}
			} else if len(changes) != 1 || filepath.Base(changes[0].Path) != "train.py" {
				t.Fatalf("%d files are changed; refused: %v", len(changes), refused)
			}
			for _, line := range c.keeps {
				if !strings.Contains(string(changes[0].New), line) {
					t.Errorf("no %q in\n%s", line, patch.Diff(changes))
				}
			}
			if c.refuses != "" && (len(refused) != 1 || !strings.Contains(refused[0].Reason, c.refuses)) {
				t.Errorf("refused: %v", refused)
			}
		})
	}
}
