import hydra


@hydra.main(config_path="configs", config_name="train")
def main(cfg):
    trainer = hydra.utils.instantiate(cfg.trainer)
    trainer.fit(model=cfg.model, datamodule=hydra.utils.instantiate(cfg.data))


if __name__ == "__main__":
    main()
