"""How much room a cache takes, from what is stored of it so far."""

import shutil
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

from saturate_gpu import offline, prepare
from saturate_gpu.offline import Shelf, cache


class TooLarge(unittest.TestCase):
    def test_samples_that_workers_stored(self):
        """Of the samples of an earlier loader, this process has made the first two, and workers the rest."""
        with tempfile.TemporaryDirectory() as folder:
            offline.setup(str(Path(folder) / "saturate_offline.py"), "", {"features": {"what": "mel", "code": {}}})
            own, worker = Shelf("features"), Shelf("features")
            for index in range(40):
                (own if index < 2 else worker).put(str(index), bytes(range(256)) * 40 + str(index).encode(), (), None)
            cache.shelves["features"] = own
            stored = sum(file.stat().st_size for file in cache.folder.rglob("*") if file.is_file())
            with mock.patch.object(shutil, "disk_usage", lambda _: types.SimpleNamespace(free=2 * stored)):
                self.assertEqual(prepare.too_large(40), "")
                self.assertIn("for 400 samples", prepare.too_large(400))


if __name__ == "__main__":
    unittest.main()
