package project

// frameworks recognize whose settings a mapping holds by keys that occur together.
var frameworks = []struct {
	name string
	keys []string
	need int // how many of the keys
}{
	{"deepspeed", []string{
		"zero_optimization", "train_micro_batch_size_per_gpu", "train_batch_size",
		"gradient_clipping", "zero_allow_untested_optimizer",
	}, 1},
	{"accelerate", []string{
		"compute_environment", "distributed_type", "num_processes", "num_machines", "machine_rank",
		"downcast_bf16",
	}, 3},
	{"axolotl", []string{
		"base_model", "sample_packing", "micro_batch_size", "adapter", "datasets", "sequence_len",
		"load_in_8bit",
	}, 3},
	{"torchtune", []string{
		"_component_", "tokenizer", "checkpointer", "metric_logger",
		"enable_activation_checkpointing",
	}, 3},
	{"nemo", []string{"exp_manager", "trainer", "model"}, 3},
	{"coqui", []string{
		"num_loader_workers", "num_eval_loader_workers", "mixed_precision", "run_eval",
		"compute_input_seq_cache", "audio",
	}, 2},
	{"espnet", []string{
		"use_amp", "batch_bins", "batch_type", "accum_grad", "encoder_conf", "specaug_conf",
		"num_att_plot",
	}, 2},
	{"speechbrain", []string{
		"train_dataloader_opts", "valid_dataloader_opts", "number_of_epochs", "modules",
		"epoch_counter", "dataloader_options",
	}, 2},
	{"trl", []string{
		"packing", "dataset_text_field", "max_seq_length", "max_length", "per_device_train_batch_size",
		"beta", "max_prompt_length",
	}, 3},
	{"transformers", []string{
		"per_device_train_batch_size", "num_train_epochs", "gradient_accumulation_steps",
		"logging_steps", "save_steps", "eval_steps", "warmup_steps", "output_dir", "dataloader_num_workers",
		"lr_scheduler_type", "per_device_eval_batch_size", "save_total_limit", "eval_strategy", "evaluation_strategy",
		"optim",
	}, 3},
	{"lightning", []string{
		"max_epochs", "accelerator", "devices", "precision", "strategy", "log_every_n_steps",
		"accumulate_grad_batches", "gradient_clip_val", "check_val_every_n_epoch",
	}, 2},
}

// Framework tells whose settings the file holds, or nothing. The keys may stand
// at the top or in a mapping below it.
func (f *Settings) Framework() string {
	for _, w := range frameworks {
		if f.Top.has(w.keys) >= w.need {
			return w.name
		}
	}
	for _, c := range f.Top.Children {
		if c.Kind != MappingSetting {
			continue
		}
		for _, w := range frameworks {
			if c.has(w.keys) >= w.need && w.need > 1 {
				return w.name
			}
		}
	}
	return ""
}

// has counts the keys that a mapping has.
func (s *Setting) has(keys []string) int {
	n := 0
	for _, k := range keys {
		if s.Child(k) != nil {
			n++
		}
	}
	return n
}
