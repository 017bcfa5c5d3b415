package shard

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path"
	"strings"
	"sync"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"saturate/internal/files"
)

// s3 is a store in a bucket of S3, or of anything that speaks its protocol and knows If-None-Match on PUT.
type s3 struct {
	client         *minio.Client
	bucket, prefix string
	scratch        string

	mu    sync.Mutex
	dirs  map[string][]string // local folders, by what they are for
	tries int
}

// mostObject is what one PUT can carry. Larger objects go in parts, and not every store publishes those only if absent.
const mostObject = 5 << 30

// sumHeader is where an object's SHA-256 is kept, so that nobody has to read it again.
const sumHeader = "Saturate-Sha256"

func openS3(place, scratch string, env func(string) string) (Store, error) {
	bucket, prefix, _ := strings.Cut(strings.TrimPrefix(place, "s3://"), "/")
	if bucket == "" {
		return nil, fmt.Errorf("%s names no bucket; use s3://BUCKET/PREFIX", place)
	}
	client, err := newClient(env)
	if err != nil {
		return nil, err
	}
	return &s3{
		client: client, bucket: bucket, prefix: strings.Trim(prefix, "/"), scratch: scratch,
		dirs: map[string][]string{}, tries: 8,
	}, nil
}

// newClient takes the endpoint, the region and the credentials from where AWS's own tools take them. Credentials are
// never written anywhere.
func newClient(env func(string) string) (*minio.Client, error) {
	at := cmp.Or(env("AWS_ENDPOINT_URL_S3"), env("AWS_ENDPOINT_URL"), "https://s3.amazonaws.com")
	u, err := url.Parse(at)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("AWS_ENDPOINT_URL must be a URL such as https://minio.example.com:9000, not %q", at)
	}
	transport, err := minio.DefaultTransport(u.Scheme == "https")
	if err != nil {
		return nil, err
	}
	transport.MaxIdleConnsPerHost = 64
	client, err := minio.New(u.Host, &minio.Options{
		Creds: credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.FileAWSCredentials{}, &credentials.IAM{Client: &http.Client{
				Transport: transport,
				Timeout:   5 * time.Second,
			}},
		}),
		Secure: u.Scheme == "https", Region: cmp.Or(env("AWS_REGION"), env("AWS_DEFAULT_REGION"),
			"us-east-1"), Transport: transport, MaxRetries: 8,
	})
	if err != nil {
		return nil, fmt.Errorf("cannot use %s: %w", at, err)
	}
	return client, nil
}

func (s *s3) Place() string { return strings.TrimRight("s3://"+s.bucket+"/"+s.prefix, "/") }

func (s *s3) key(name string) string { return path.Join(s.prefix, name) }

// missing makes one error of all that say that an object is not there, and names the place in the others.
func (s *s3) missing(name string, err error) error {
	if err == nil {
		return nil
	}
	switch code := minio.ToErrorResponse(err).Code; code {
	case "NoSuchKey":
		return fmt.Errorf("s3://%s/%s: %w", s.bucket, s.key(name), fs.ErrNotExist)
	case "NoSuchBucket":
		return fmt.Errorf("the bucket %s does not exist", s.bucket)
	case "AccessDenied", "InvalidAccessKeyId", "SignatureDoesNotMatch":
		return fmt.Errorf("s3://%s/%s: %w; credentials come from AWS_ACCESS_KEY_ID, ~/.aws/credentials or the machine's role",
			s.bucket, s.key(name), err)
	}
	return fmt.Errorf("s3://%s/%s: %w", s.bucket, s.key(name), err)
}

func (s *s3) Stat(ctx context.Context, name string) (Info, error) {
	var o minio.ObjectInfo
	err := s.again(ctx, func() (err error) {
		o, err = s.client.StatObject(ctx, s.bucket, s.key(name), minio.StatObjectOptions{})
		return err
	})
	return s.info(name, o), s.missing(name, err)
}

func (s *s3) info(name string, o minio.ObjectInfo) Info {
	return Info{Name: name, Bytes: o.Size, Tag: o.ETag, SHA256: o.Metadata.Get("X-Amz-Meta-" + sumHeader)}
}

func (s *s3) Read(ctx context.Context, name string, at, length int64) (io.ReadCloser, error) {
	info, err := s.Stat(ctx, name)
	if err != nil {
		return nil, err
	}
	return s.Part(ctx, info, at, length)
}

func (s *s3) Part(ctx context.Context, known Info, at, length int64) (io.ReadCloser, error) {
	end := known.Bytes
	if length >= 0 {
		end = min(end, at+length)
	}
	return &resumed{ctx: ctx, store: s, name: known.Name, tag: known.Tag, at: at, end: end}, nil
}

func (s *s3) List(ctx context.Context, folder string, each func(Info) error) error {
	under := s.key(folder)
	if under != "" {
		under += "/"
	}
	var found []Info // a listing that fails half-way starts over
	err := s.again(ctx, func() error {
		found = found[:0]
		for o := range s.client.ListObjectsIter(ctx, s.bucket, minio.ListObjectsOptions{Prefix: under, Recursive: true}) {
			if o.Err != nil {
				return o.Err
			}
			found = append(found, s.info(strings.TrimPrefix(strings.TrimPrefix(o.Key, s.prefix), "/"), o))
		}
		return nil
	})
	if err != nil {
		return s.missing(folder, err)
	}
	for _, i := range found {
		if err := each(i); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (s *s3) Publish(ctx context.Context, name, file string) (bool, error) {
	options := minio.PutObjectOptions{}
	options.SetMatchETagExcept("*")
	err := s.put(ctx, name, file, options)
	switch minio.ToErrorResponse(err).Code {
	case "PreconditionFailed":
		// Another worker was first, or the reply to this one's earlier try was lost. Both are published.
		return false, nil
	case "NotImplemented":
		return false, fmt.Errorf("%s does not support conditional writes (If-None-Match), which publishing needs: %w",
			s.client.EndpointURL(), err)
	}
	return err == nil, s.missing(name, err)
}

func (s *s3) Replace(ctx context.Context, name, file string) error {
	return s.missing(name, s.put(ctx, name, file, minio.PutObjectOptions{}))
}

func (s *s3) put(ctx context.Context, name, file string, options minio.PutObjectOptions) error {
	f, err := files.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	size, err := io.Copy(h, f)
	if err != nil {
		return err
	}
	if size > mostObject {
		return fmt.Errorf("%s has more bytes than one PUT can carry (5 GiB); plan smaller shards with --per-shard", name)
	}
	options.DisableMultipart = true
	options.SendContentMd5 = true // the store refuses what was damaged on the way
	options.UserMetadata = map[string]string{sumHeader: hex.EncodeToString(h.Sum(nil))}
	return s.again(ctx, func() error {
		if _, err := f.Seek(0, io.SeekStart); err != nil {
			return err
		}
		_, err := s.client.PutObject(ctx, s.bucket, s.key(name), f, size, options)
		return err
	})
}

func (s *s3) Scratch(work string) (string, error) {
	dir, err := os.MkdirTemp(s.scratch, "saturate-"+work+".*")
	if err != nil {
		return "", fmt.Errorf("cannot create the working folder: %w; choose another with --scratch", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.dirs[work] = append(s.dirs[work], dir)
	return dir, nil
}

func (s *s3) Sweep(work string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, dir := range s.dirs[work] {
		os.RemoveAll(dir)
	}
	delete(s.dirs, work)
}

// isFinal tells of errors that another try would meet again.
func isFinal(err error) bool {
	r := minio.ToErrorResponse(err)
	return r.StatusCode >= 400 && r.StatusCode < 500 && r.StatusCode != http.StatusRequestTimeout &&
		r.StatusCode != http.StatusTooManyRequests ||
		errors.Is(err, context.Canceled)
}
