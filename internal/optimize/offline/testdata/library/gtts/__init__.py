from fake_speech import as_wav, speak


class gTTS:
    def __init__(self, text, lang="en", slow=False):
        self.text, self.lang = text, lang

    def write_to_fp(self, fp):
        fp.write(as_wav(speak(self.text, self.lang)))

    def save(self, path):
        with open(path, "wb") as file:
            self.write_to_fp(file)
