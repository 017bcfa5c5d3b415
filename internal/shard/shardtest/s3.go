// Package shardtest has an object store for tests, and a proxy that makes any store unreliable.
//
//	s3.go     a small S3 server in memory: PUT with If-None-Match, GET with ranges, HEAD, lists
//	proxy.go  stands before a server, answers some requests with errors, and loses some replies
package shardtest

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/xml"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// S3 is a server of one bucket or many: what is before the first slash of a path. It asks for no credentials.
type S3 struct {
	mu      sync.Mutex
	objects map[string]object
	Puts    map[string]int // how often each object was accepted
}

type object struct {
	data []byte
	tag  string
	meta http.Header
}

// New makes an empty one.
func New() *S3 { return &S3{objects: map[string]object{}, Puts: map[string]int{}} }

// Objects gives the content of all objects of a bucket whose keys begin with a prefix.
func (s *S3) Objects(prefix string) map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]string{}
	for key, o := range s.objects {
		if strings.HasPrefix(key, prefix) {
			all[key] = string(o.data)
		}
	}
	return all
}

func (s *S3) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	bucket, key, _ := strings.Cut(name, "/")
	switch {
	case key == "" && r.Method == http.MethodGet:
		s.list(w, bucket, r.URL.Query().Get("prefix"))
	case r.Method == http.MethodPut:
		s.put(w, r, name)
	case r.Method == http.MethodGet || r.Method == http.MethodHead:
		s.get(w, r, name)
	default:
		failed(w, http.StatusNotImplemented, "NotImplemented")
	}
}

func (s *S3) put(w http.ResponseWriter, r *http.Request, name string) {
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	if strings.HasPrefix(r.Header.Get("X-Amz-Content-Sha256"), "STREAMING-") {
		data = unchunk(data)
	}
	o := object{data: data, meta: http.Header{}}
	sum := md5.Sum(data)
	o.tag = hex.EncodeToString(sum[:])
	for k, v := range r.Header {
		if strings.HasPrefix(k, "X-Amz-Meta-") {
			o.meta[k] = v
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.objects[name]; there && r.Header.Get("If-None-Match") == "*" {
		failed(w, http.StatusPreconditionFailed, "PreconditionFailed")
		return
	}
	s.objects[name] = o
	s.Puts[name]++
	w.Header().Set("ETag", `"`+o.tag+`"`)
}

// unchunk takes the payload out of aws-chunked encoding: a length in hexadecimal, a line end, the bytes, a line end.
func unchunk(data []byte) (out []byte) {
	for {
		head, rest, ok := bytes.Cut(data, []byte("\r\n"))
		size, _, _ := bytes.Cut(head, []byte(";"))
		n, err := strconv.ParseInt(string(size), 16, 32)
		if !ok || err != nil || n == 0 || int(n) > len(rest) {
			return out
		}
		out = append(out, rest[:n]...)
		data = bytes.TrimPrefix(rest[n:], []byte("\r\n"))
	}
}

func (s *S3) get(w http.ResponseWriter, r *http.Request, name string) {
	s.mu.Lock()
	o, ok := s.objects[name]
	s.mu.Unlock()
	if !ok {
		failed(w, http.StatusNotFound, "NoSuchKey")
		return
	}
	for k, v := range o.meta {
		w.Header()[k] = v
	}
	w.Header().Set("ETag", `"`+o.tag+`"`)
	http.ServeContent(w, r, "", time.Unix(1, 0), bytes.NewReader(o.data))
}

func (s *S3) list(w http.ResponseWriter, bucket, prefix string) {
	type content struct {
		Key, LastModified, ETag string
		Size                    int
	}
	var result struct {
		XMLName     xml.Name `xml:"ListBucketResult"`
		IsTruncated bool
		Contents    []content
	}
	s.mu.Lock()
	for name, o := range s.objects {
		if key, ok := strings.CutPrefix(name, bucket+"/"); ok && strings.HasPrefix(key, prefix) {
			result.Contents = append(result.Contents, content{key, "2026-01-01T00:00:00Z", `"` + o.tag + `"`, len(o.data)})
		}
	}
	s.mu.Unlock()
	slices.SortFunc(result.Contents, func(a, b content) int { return strings.Compare(a.Key, b.Key) })
	w.Header().Set("Content-Type", "application/xml")
	_ = xml.NewEncoder(w).Encode(result)
}

func failed(w http.ResponseWriter, status int, code string) {
	w.Header().Set("Content-Type", "application/xml")
	w.WriteHeader(status)
	_ = xml.NewEncoder(w).Encode(struct {
		XMLName xml.Name `xml:"Error"`
		Code    string
	}{Code: code})
}
