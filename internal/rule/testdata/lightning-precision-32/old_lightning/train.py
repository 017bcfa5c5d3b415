import pytorch_lightning as pl

from model import Speech

trainer = pl.Trainer(gpus=1, precision=32)  # want SAT702 "float32"
trainer.fit(Speech())
