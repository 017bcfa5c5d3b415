loss = dict(type="WeightedLoss", class_weight=[1.0, 2.0])
