import torch
from transformers import AutoModelForCausalLM, AutoTokenizer


class Sampler:
    def __init__(self, policy):
        self.policy = policy

    def draw(self, ids):
        with torch.no_grad():
            return self.policy.generate(ids, max_new_tokens=256, do_sample=True)


def rate(texts):
    scores = [float(len(set(t))) for t in texts]
    return torch.tensor([s - 1 for s in scores]).cuda()  # want SAT311 "is copied from pageable memory in every step, and the host waits; each step generates"


def improve(prompts):
    policy = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    words = AutoTokenizer.from_pretrained("gpt2")
    sampler = Sampler(policy)
    update = torch.optim.AdamW(policy.parameters(), fused=True)
    for ids in prompts:
        drawn = sampler.draw(ids.to("cuda", non_blocking=True))
        reward = rate(words.batch_decode(drawn))
        loss = -(policy(drawn).logits.logsumexp(-1).mean(-1) * reward).mean()
        loss.backward()
        update.step()
        update.zero_grad()
