import os
import subprocess
import tempfile
import wave

import numpy as np
import torch
from torch.utils.data import Dataset


class ProgramDataset(Dataset):
	# This file is indented with tabs.
	def __init__(self, texts, voice='en-us'):
		self.texts = texts
		self.voice = voice

	def __len__(self):
		return len(self.texts)

	def __getitem__(self, index):
		text = self.texts[index]
		path = os.path.join(tempfile.gettempdir(), next(tempfile._get_candidate_names()) + '.wav')
		subprocess.run(['espeak-ng', '-v', self.voice, '-w', path, text], check=True)

		with wave.open(path) as spoken:
			frames = spoken.readframes(spoken.getnframes())
		os.remove(path)
		samples = np.frombuffer(frames, dtype=np.int16)
		return torch.from_numpy(samples.astype(np.float32) / 32768), len(text)


def make_dataset(texts):
	return ProgramDataset(texts)
