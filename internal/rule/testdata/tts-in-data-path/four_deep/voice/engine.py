import io


class Engine:
    def render(self, text):
        raise NotImplementedError


class Google(Engine):
    def render(self, text):
        from gtts import gTTS as Voice

        out = io.BytesIO()
        Voice(text).write_to_fp(out)  # want SAT101 "synthesized while"
        return out


class Silent(Engine):
    def render(self, text):
        return None


def make(name):
    if name == "google":
        return Google()
    return Silent()
