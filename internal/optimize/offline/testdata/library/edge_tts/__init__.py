import asyncio

from fake_speech import as_wav, speak


class Communicate:
    def __init__(self, text, voice):
        self.text, self.voice = text, voice

    async def stream(self):
        data = as_wav(speak(self.text, self.voice))
        for at in range(0, len(data), 1000):
            await asyncio.sleep(0)
            yield {"type": "audio", "data": data[at : at + 1000]}
