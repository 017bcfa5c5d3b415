from dataclasses import dataclass, field

from TTS.api import TTS


@dataclass
class Spoken:
    """Texts with the voice that speaks them."""

    texts: list
    speaker: str = "p225"
    loaded: list = field(default_factory=list)

    @property
    def engine(self):
        if not self.loaded:
            self.loaded = [TTS("tts_models/en/vctk/vits")]
        return self.loaded[0]

    def speak(self, text):
        return self.engine.tts(text=text, speaker=self.speaker if self.speaker else None)
