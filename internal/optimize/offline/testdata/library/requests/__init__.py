import json as _json
import urllib.request


class Response:
    def __init__(self, answer):
        self.status_code, self.content = answer.status, answer.read()

    def raise_for_status(self):
        if self.status_code != 200:
            raise OSError(f"status {self.status_code}")


def post(url, json, timeout=None):
    request = urllib.request.Request(url, data=_json.dumps(json).encode(), headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=timeout) as answer:
        return Response(answer)
