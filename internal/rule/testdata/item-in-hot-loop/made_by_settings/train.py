import hydra


@hydra.main(version_base=None, config_path="conf", config_name="config")
def main(cfg):
    trainer = hydra.utils.instantiate(cfg.trainer)
    trainer.fit(hydra.utils.instantiate(cfg.model), hydra.utils.instantiate(cfg.data))
