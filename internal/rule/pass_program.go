package rule

import (
	"strings"

	"saturate/internal/project"
	"saturate/internal/pysrc"
)

// program is the name of the program that a call starts, as far as it is known:
// the first word of the command, or of the list.
func (p *SourcePass) program(c Call) string {
	command := c.ArgAt(0)
	if command.Missing() {
		command = c.Arg("args")
	}
	if command.Kind == project.Display {
		if list, ok := command.Expr.(*pysrc.List); ok && len(list.Elts) > 0 {
			command = p.EvalIn(command, list.Elts[0])
		} else if s, ok := command.Expr.(*pysrc.JoinedStr); ok && len(s.Values) > 0 {
			command = p.EvalIn(command, s.Values[0])
		}
	}
	words, _ := command.Str()
	if fields := strings.Fields(words); len(fields) > 0 {
		return fields[0]
	}
	return ""
}

// remoteCalls wait for another machine.
var remoteCalls = []string{
	"requests.get", "requests.post", "requests.request", "requests.Session.get", "requests.Session.post",
	"requests.session().get",
	"httpx.get", "httpx.post", "httpx.stream", "httpx.Client.get", "httpx.Client.post",
	"urllib.request.urlopen", "urllib.request.urlretrieve", "urllib.urlopen", "urllib3.PoolManager.request", "aiohttp.ClientSession.get",
	"boto3.client().get_object", "boto3.client().download_file", "boto3.client().download_fileobj", "boto3.resource().Object().get",
	"google.cloud.storage.Blob.download_as_bytes", "google.cloud.storage.Blob.download_as_string", "google.cloud.storage.Blob.download_to_filename",
	"huggingface_hub.hf_hub_download", "huggingface_hub.snapshot_download", "huggingface_hub.cached_download", "gdown.download", "wget.download",
	"youtube_dl.YoutubeDL.download", "yt_dlp.YoutubeDL.download",
	"psycopg2.connect", "pymysql.connect", "mysql.connector.connect", "pymongo.MongoClient",
	"torchvision.datasets.utils.download_url", "torch.hub.download_url_to_file", "torch.hub.load_state_dict_from_url",
}

// startsProgram are the calls that start a program, some of them without saying so.
var startsProgram = []string{
	"subprocess.run", "subprocess.Popen", "subprocess.call", "subprocess.check_call", "subprocess.check_output",
	"subprocess.getoutput",
	"os.system", "os.popen", "asyncio.create_subprocess_exec", "asyncio.create_subprocess_shell",
	"pydub.AudioSegment.from_file", "pydub.AudioSegment.from_mp3", "pydub.AudioSegment.from_ogg",
	"ffmpeg.run", "ffmpeg.input().output().run", "ffmpeg.output().run", "ffmpeg.probe",
	"whisper.load_audio", "whisper.audio.load_audio", "whisperx.load_audio", "whisperx.audio.load_audio",
	"transformers.pipelines.audio_utils.ffmpeg_read", "sox.Transformer.build", "moviepy.editor.VideoFileClip", "moviepy.VideoFileClip",
}

// readsPipe reports a call that reads something in which one cannot seek, or
// that is in memory already.
func readsPipe(c Call) bool {
	if len(c.Node.Args) == 0 {
		return false
	}
	switch x := c.Node.Args[0].(type) {
	case *pysrc.Call:
		return lastName(x.Func) == "BytesIO"
	case *pysrc.Attribute:
		return x.Attr == "stdin" || x.Attr == "stdout"
	}
	return false
}
