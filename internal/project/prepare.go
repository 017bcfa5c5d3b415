package project

import (
	"slices"
	"strings"

	"saturate/internal/pysrc"
)

// Prepares reports whether a module's datasets serve a program that writes files and does not train: the project trains
// elsewhere, training neither calls nor imports the module, and the module or one that uses it writes files. Its name
// says nothing.
func (p *Project) Prepares(m *Module) bool {
	if m.Role == Training || len(p.trained) == 0 || p.trained[m] || slices.ContainsFunc(m.ImportedBy, p.Trained) {
		return false
	}
	return p.writesFiles(m) || slices.ContainsFunc(m.UsedBy, p.writesFiles)
}

// writesFiles reports a module that writes data to files, apart from what a dataset and the loading of a sample write.
func (p *Project) writesFiles(m *Module) bool {
	return slices.ContainsFunc(m.Sites, func(s *Site) bool {
		ofDataSet := s.Func != nil && s.Func.Class != nil && s.Func.Class.dataSet() > 0
		return s.writesFile() && !ofDataSet && p.samples[s.Func] == nil
	})
}

// writesFile reports a call that writes arrays, audio or tables to a file. Text may be a log of training.
func (s *Site) writesFile() bool {
	switch s.Calls.Name {
	case "h5py.File", "zarr.open":
		mode, _ := pysrc.StringValue(s.ArgumentNode("mode", 1))
		return strings.ContainsAny(mode, "wax+")
	case "numpy.save", "numpy.savez", "numpy.savez_compressed", "torch.save", "torchaudio.save",
		"soundfile.write", "scipy.io.wavfile.write", "pickle.dump", "joblib.dump", "webdataset.TarWriter",
		"webdataset.ShardWriter", "safetensors.torch.save_file", "safetensors.numpy.save_file", "pyarrow.parquet.write_table":
		return true
	}
	switch s.Method() {
	case "save_to_disk", "to_parquet", "to_pickle", "to_hdf", "write_bytes":
		return true
	}
	return false
}
