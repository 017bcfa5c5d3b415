loss = dict(type="WeightedLoss", scale=0.5)
other = {"type": "WeightedLoss", "class_weight": [1.0, 2.0]}
