import lightning as L
import pytorch_lightning as pl
from accelerate import Accelerator
from lightning.fabric import Fabric

trainer = pl.Trainer(max_epochs=10, accelerator="gpu")  # want SAT702 "computes in float32"
explicit = L.Trainer(max_epochs=10, precision=32)  # want SAT702 "computes in float32"
spelled = L.Trainer(max_epochs=10, accelerator="cuda", precision="32-true")  # want SAT702 "computes in float32"
fabric = Fabric(accelerator="gpu", devices=2)  # want SAT702 "computes in float32"
accelerator = Accelerator(mixed_precision="no")  # want SAT702 "computes in float32"
