package rule

import (
	"slices"
	"strings"

	"saturate/internal/project"
)

// libraryFeatures reports what a dataset computes of each sample with a library for images, signals, texts, graphs or
// molecules, and would compute just so in the next epoch. One finding for each function.
func (p *SourcePass) libraryFeatures() {
	said := map[*project.Function]*Report{}
	for _, call := range p.CallsTo(libraryFunctions...) {
		path, ok := p.EverySample(call)
		if !ok || path.Kind == project.Collate && p.InLoop(call) || p.RandomInto(path, call) ||
			p.ConstantArguments(path, call) || strings.HasPrefix(call.Name(), "pycocotools.") && p.testedOnTheWay(path) {
			continue
		}
		if r := said[call.Func]; r != nil {
			r.Too(p.At(call, "and here"))
			continue
		}
		said[call.Func] = p.Report(call, likely*path.Sure).Because(path).
			Saying("%s computes the same for each sample in every epoch", p.Short(call.Callee()))
	}
}

// testedOnTheWay reports a way with a call behind a test: masks are made where an option asks for them, return_masks.
func (p *SourcePass) testedOnTheWay(path project.Path) bool {
	return slices.ContainsFunc(path.Calls, func(s *project.Site) bool { return p.In(s.Module()).underTest(s) })
}

// libraryFunctions take milliseconds for a sample and draw nothing.
var libraryFunctions = []string{
	"skimage.feature.hog", "skimage.feature.local_binary_pattern", "skimage.feature.canny", "skimage.feature.graycomatrix",
	"skimage.feature.daisy", "skimage.feature.corner_harris", "skimage.feature.blob_log", "skimage.exposure.equalize_adapthist",
	"skimage.exposure.equalize_hist", "skimage.exposure.match_histograms", "skimage.segmentation.*", "skimage.restoration.*",
	"skimage.morphology.skeletonize", "skimage.transform.radon", "skimage.transform.iradon", "skimage.measure.marching_cubes",
	"cv2.calcOpticalFlowFarneback", "cv2.calcOpticalFlowPyrLK", "cv2.fastNlMeansDenoising", "cv2.fastNlMeansDenoisingColored",
	"cv2.bilateralFilter", "cv2.grabCut", "cv2.HoughLines", "cv2.HoughCircles", "cv2.distanceTransform", "cv2.inpaint",
	"scipy.ndimage.distance_transform_edt", "scipy.ndimage.zoom", "scipy.ndimage.gaussian_filter", "scipy.ndimage.median_filter",
	"scipy.ndimage.label", "scipy.signal.filtfilt", "scipy.signal.sosfiltfilt", "scipy.signal.cwt", "scipy.signal.wiener",
	"scipy.signal.medfilt", "scipy.signal.savgol_filter", "scipy.signal.hilbert", "scipy.signal.welch",
	"pycocotools.mask.decode", "pycocotools.coco.COCO.annToMask", "skimage.draw.polygon2mask",
	"pywt.wavedec", "pywt.wavedec2", "pywt.cwt", "pywt.dwt2",
	"librosa.effects.trim", "librosa.effects.hpss", "librosa.effects.split", "librosa.onset.*", "librosa.beat.*",
	"noisereduce.reduce_noise", "numpy.linalg.eigh", "numpy.linalg.eig",
	"scipy.linalg.eigh", "scipy.sparse.linalg.eigsh", "scipy.spatial.Delaunay", "scipy.spatial.ConvexHull",
	"networkx.all_pairs_shortest_path_length", "networkx.floyd_warshall", "networkx.floyd_warshall_numpy", "networkx.pagerank",
	"networkx.betweenness_centrality", "networkx.clustering", "networkx.laplacian_matrix", "networkx.shortest_path_length",
	"pandas.to_datetime", "pandas.get_dummies", "pandas.merge", "pandas.pivot_table", "pandas.cut", "pandas.qcut",
	"rdkit.Chem.AllChem.*", "rdkit.Chem.Descriptors.*", "rdkit.Chem.rdMolDescriptors.*", "rdkit.Chem.MolFromSmiles",
	"rdkit.Chem.MolFromMolBlock", "rdkit.Chem.MolFromMolFile", "rdkit.Chem.rdmolfiles.*", "torch_geometric.utils.from_smiles",
	"torch_geometric.utils.smiles.from_smiles", "ogb.utils.smiles2graph", "ogb.utils.mol.smiles2graph", "dgllife.utils.*",
	"pymatgen.core.Structure.from_file", "pymatgen.core.structure.Structure.from_file", "ase.io.read", "Bio.PDB.PDBParser.get_structure",
	"scipy.spatial.cKDTree", "scipy.spatial.KDTree", "sklearn.neighbors.NearestNeighbors.fit", "sklearn.neighbors.KDTree",
	"sklearn.neighbors.kneighbors_graph", "sklearn.neighbors.radius_neighbors_graph",
	"torch_cluster.knn_graph", "torch_cluster.radius_graph", "torch_cluster.knn", "torch_cluster.radius", "torch_cluster.fps", "torch_geometric.nn.knn_graph",
	"torch_geometric.nn.radius_graph", "torch_geometric.nn.pool.knn_graph", "torch_geometric.nn.pool.radius_graph", "face_recognition.face_encodings",
	"face_recognition.face_locations", "pytesseract.image_to_string", "pytesseract.image_to_data",
}
