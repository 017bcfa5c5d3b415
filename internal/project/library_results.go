package project

// returns tells what a library's function gives, where its name does not.
var returns = map[string]string{
	"datasets.load_dataset":                      "datasets.Dataset",
	"datasets.load_from_disk":                    "datasets.Dataset",
	"datasets.concatenate_datasets":              "datasets.Dataset",
	"datasets.interleave_datasets":               "datasets.Dataset",
	"datasets.Dataset.from_dict":                 "datasets.Dataset",
	"datasets.Dataset.from_list":                 "datasets.Dataset",
	"datasets.Dataset.from_pandas":               "datasets.Dataset",
	"datasets.Dataset.from_generator":            "datasets.Dataset",
	"datasets.Dataset.from_csv":                  "datasets.Dataset",
	"datasets.Dataset.train_test_split":          "datasets.Dataset",
	"transformers.AutoTokenizer.from_pretrained": "transformers.AutoTokenizer",
	"whisper.load_model":                         "whisper.model.Whisper",
	"torch.load":                                 "torch.load()",
	"torch.hub.load":                             "torch.nn.Module",
	"timm.create_model":                          "torch.nn.Module",
	"torch.jit.load":                             "torch.nn.Module",
	"peft.get_peft_model":                        "peft.PeftModel",
	"openai.OpenAI":                              "openai.OpenAI",
	"pyttsx3.init":                               "pyttsx3.Engine",
	"torch.utils.data.random_split":              "torch.utils.data.Subset",
	"argparse.ArgumentParser.parse_args":         "argparse.ArgumentParser.parse_args()",
	"matplotlib.pyplot.subplots":                 "matplotlib.pyplot.subplots()",
	"multiprocessing.Pool":                       "multiprocessing.Pool",
	"deepspeed.initialize":                       "deepspeed.initialize()",
	"sentence_transformers.SentenceTransformer":  "sentence_transformers.SentenceTransformer",
}

// givesBackFirst are functions that give back their first argument, wrapped or copied.
var givesBackFirst = setOf(
	"torch.compile", "torch.jit.script", "torch.jit.trace", "torch.nn.parallel.DistributedDataParallel",
	"torch.nn.DataParallel", "torch.distributed.fsdp.FullyShardedDataParallel", "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
	"copy.copy", "copy.deepcopy", "tqdm.tqdm", "iter", "jax.jit", "jax.pmap", "flax.nnx.jit", "equinox.filter_jit",
	"omegaconf.OmegaConf.to_container", "omegaconf.OmegaConf.create", "omegaconf.OmegaConf.to_object",
	"functools.lru_cache", "functools.cache", "functools.wraps", "staticmethod",
	"argbind.bind", "argbind.bind_module", "gin.external_configurable", "peft.get_peft_model", "peft.prepare_model_for_kbit_training", "vars", "dataclasses.asdict",
	"dataclasses.replace", "pathlib.Path", "str", "open", "os.path.abspath", "os.path.expanduser",
	"torch.utils.data.Subset", "list", "tuple", "equinox.apply_updates", "flax.jax_utils.replicate", "flax.jax_utils.unreplicate",
	"jax.device_put", "jax.device_put_replicated", "ml_collections.FieldReference", "ml_collections.config_dict.FieldReference",
)

// givesBackSelf are methods that give back what they were called on, or one of its kind.
var givesBackSelf = setOf(
	"to", "cuda", "cpu", "half", "float", "bfloat16", "eval", "train", "requires_grad_", "share_memory", "apply",
	"map", "filter", "shuffle", "select", "sort", "cast_column", "rename_column", "rename_columns", "remove_columns",
	"select_columns", "with_format", "with_transform", "shard", "flatten", "unique", "to_bettertransformer",
	"with_options", "repeat", "batch", "prefetch", "copy", "clone", "detach", "set_format", "take", "skip",
	"train_test_split", "filter_columns", "__enter__", "open",
)

// constructors are class methods that make an instance.
var constructors = setOf(
	"from_pretrained", "from_config", "from_hparams", "from_checkpoint", "from_preset", "load_from_checkpoint", "load",
	"create", "restore_from", "from_params", "from_pretrained_config", "from_dict", "from_json_file", "from_yaml",
	"from_argparse_args",
)
