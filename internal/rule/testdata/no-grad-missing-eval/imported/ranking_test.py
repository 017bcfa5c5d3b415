def test(model, batches):
    scores = []
    for users in batches:
        scores.append(model(users).cpu())  # want SAT512 "builds a graph"
    return scores
