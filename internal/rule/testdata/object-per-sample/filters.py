import mediapipe as mp
import scipy.signal
import soundfile as sf
from torch.utils.data import Dataset


def band(wav, low, high):
    b, a = scipy.signal.butter(5, [low, high], btype="band", fs=16000)  # want SAT107 "butter is built for every sample"
    return scipy.signal.lfilter(b, a, wav)


class Clips(Dataset):
    def __init__(self, files):
        self.files = files
        self.high = scipy.signal.butter(5, 300, btype="high", fs=16000)

    def __getitem__(self, i):
        wav, rate = sf.read(self.files[i])
        with mp.solutions.pose.Pose(static_image_mode=True) as pose:  # want SAT107 "Pose is built"
            points = pose.process(wav)
        notch = scipy.signal.iirnotch(50, 30, fs=rate)
        return band(wav, 300, 3400), points, notch

    def __len__(self):
        return len(self.files)
