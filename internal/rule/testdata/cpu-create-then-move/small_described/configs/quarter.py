loss = dict(type="WeightedLoss", scale=0.25)
