import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from serving import connect


def improve(prompts):
    policy = AutoModelForCausalLM.from_pretrained("gpt2").cuda()
    words = AutoTokenizer.from_pretrained("gpt2")
    engine = connect("localhost:8000")  # whatever answers there
    update = torch.optim.AdamW(policy.parameters(), fused=True)
    for texts in prompts:
        ids = words(texts, return_tensors="pt", padding=True)["input_ids"].to("cuda")
        drawn = engine.complete(ids, max_new_tokens=256)
        scores = [float(len(t)) for t in drawn.texts]
        reward = torch.tensor([s - 1 for s in scores]).cuda()  # want SAT311 "each step generates"
        loss = -(policy(drawn.ids).logits.logsumexp(-1).mean(-1) * reward).mean()
        loss.backward()
        update.step()
        update.zero_grad()
