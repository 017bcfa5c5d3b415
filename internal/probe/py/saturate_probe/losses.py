"""The loss of each step, read late."""

import weakref


class Loss:
    """The value that backward passes start from, without making the host wait for it."""

    def __init__(self, torch, steps):
        self.torch, self.steps = torch, steps
        self.plain = None  # what a GradScaler scaled last, and what it became
        self.recorded = None  # of the graph that was recorded last
        self.ring = None
        self.next = 0

    def scaled(self, plain, scaled):
        self.plain = (plain, weakref.ref(scaled)) if hasattr(scaled, "backward") else None

    def backward(self, tensors):
        steps = self.steps
        steps.owner()
        steps.passes.batch_used()
        if not steps.keeps_loss:
            steps.lost(None)
            return
        loss = tensors[0] if isinstance(tensors, (list, tuple)) and len(tensors) == 1 else tensors
        if self.plain is not None and self.plain[1]() is loss:
            loss = self.plain[0]
        self.plain = None
        if getattr(loss, "numel", lambda: 0)() != 1:
            steps.lost(None)
            return
        if steps.capturing is not None:
            self.recorded = loss.detach()
            return
        steps.lost(self._late(loss.detach()))

    def of_result(self, result):
        """Without a loss, the mean magnitude of the first tensor of a result stands for it."""
        tensor = _first(result, self.torch.Tensor, 3) if self.steps.capturing is None else None
        if tensor is not None and tensor.numel():
            value = self._late(tensor.detach().float().abs().mean())
            if value is not None:
                self.steps.losses.append(value)

    def _late(self, loss):
        if loss.is_cpu:
            return loss.item()
        if loss.is_cuda:
            return self._copy(loss)
        return None  # reading it would make the host wait

    def _copy(self, loss):
        """A copy that the device makes when its queue reaches it, into pinned memory."""
        if self.ring is None:
            with self.torch.inference_mode(False):  # or nobody could write to it outside of that mode
                self.ring = self.torch.empty(4096, dtype=self.torch.float32, pin_memory=True)
        at, self.next = self.next, (self.next + 1) % len(self.ring)
        self.ring[at : at + 1].copy_(loss.reshape(1), non_blocking=True)
        return self.ring[at].item

    def replayed(self, recorded):
        """A recorded step leaves its loss in the same place each time."""
        if self.steps.keeps_loss and recorded is not None:
            self.steps.lost(self._late(recorded))


def _first(value, kind, depth):
    """The first tensor in tuples, lists and dictionaries of results."""
    if isinstance(value, kind):
        return value
    if depth and hasattr(value, "values"):
        value = list(value.values())
    if depth and isinstance(value, (list, tuple)):
        for item in value[:16]:
            found = _first(item, kind, depth - 1)
            if found is not None:
                return found
    return None
