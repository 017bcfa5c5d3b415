import torch


def log_mel(audio):
    spectrum = torch.stft(torch.as_tensor(audio), 400, 160, return_complex=True)  # want SAT104 "same features"
    return spectrum.abs().log()
