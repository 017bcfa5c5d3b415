package rule

import "saturate/internal/project"

// whisperGroupByLength finds sorting by length that reads every sample to find all of them equal.
var whisperGroupByLength = Rule{
	Code: "SAT705", Name: "whisper-group-by-length", Severity: Warning, Subject: AboutLoading,
	Areas: []Area{DataArea},
	Title: "group_by_length reads every sample, but all Whisper inputs have the same length",
	What: "group_by_length=True or train_sampling_strategy=\"group_by_length\" in transformers with a Whisper model " +
		"and without a length column.",
	Why: "Without that column the trainer loads every sample in the main process before the first step and takes " +
		"len(input_features): the number of mel bands, the same for all, because Whisper pads audio to 30 s.",
	Fine: "A dataset with a length column (length, or the name in length_column_name). Sorting then only uses " +
		"that column.",
	Advice: "Remove it: all inputs of Whisper have the same length.",
	Bad:    "Seq2SeqTrainingArguments(output_dir, group_by_length=True)",
	Good:   "Seq2SeqTrainingArguments(output_dir)",
	Safety: Unsafe,
	Source: func(p *SourcePass) {
		if len(p.HFArguments()) == 0 || !p.trainsWhisper() || p.NearSays(`["length"]`, `"length":`, `['length']`) {
			return
		}
		for _, args := range p.HFArguments() {
			group, strategy := args.Arg("group_by_length"), args.Arg("train_sampling_strategy")
			if args.Arg("length_column_name").Given() {
				continue
			}
			if group.IsTrue() && p.AtLeast("transformers", "5.0") != project.Yes {
				p.Report(args.Callee(), nearlyCertain*group.Confidence()).Because(group).
					Fix(Unsafe, otherRandomOrder, group.SetTo("False"))
			} else if strategy.Equals("group_by_length") {
				p.Report(args.Callee(), nearlyCertain*strategy.Confidence()).Because(strategy).
					Fix(Unsafe, otherRandomOrder, strategy.SetTo(`"random"`))
			}
		}
	},
}

// otherRandomOrder: both draw an order from the seed that the trainer sets, in two ways.
const otherRandomOrder = "do not sort; with the same seed, the random order of samples changes"
