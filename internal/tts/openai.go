package tts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"saturate/internal/files"
)

// openAI is an HTTP server that speaks as OpenAI's does: POST …/audio/speech. Only the given host is ever asked.
type openAI struct {
	endpoint string
	model    string
	key      string
	client   *http.Client
	pace     *pace
}

func newOpenAI(c Config) (Engine, error) {
	if c.Server == "" {
		return nil, errors.New("--engine openai needs --server, such as --server http://localhost:8000/v1")
	}
	u, err := url.Parse(c.Server)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return nil, fmt.Errorf("--server %q is not a URL; use one like http://localhost:8000/v1", c.Server)
	}
	if u.User != nil {
		return nil, errors.New("--server must not contain a password; set the key in OPENAI_API_KEY")
	}
	if u.Scheme == "http" && !isThisMachine(u.Hostname()) && !c.PlainHTTP {
		return nil, fmt.Errorf("--server %s is plain http to another machine: anybody on the way reads the texts and the "+
			"key; use https, or add --plain-http", c.Server)
	}
	// A redirect is not followed: it would take the key and the texts to wherever it leads.
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	e := &openAI{
		endpoint: strings.TrimSuffix(u.String(), "/") + "/audio/speech", model: c.Model, key: c.Key,
		client: client, pace: &pace{},
	}
	if c.PerMinute > 0 {
		e.pace.every = time.Minute / time.Duration(c.PerMinute)
	}
	return e, nil
}

// isThisMachine reports whether a host's name leads nowhere else.
func isThisMachine(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func (*openAI) Name() string { return "openai" }

// Prepare cannot ask a server for its version: the model's name is what there is.
func (o *openAI) Prepare(context.Context, []string) (Identity, error) {
	return Identity{Version: o.model, Settings: o.endpoint}, nil
}

// Turn waits until the server may be asked again.
func (o *openAI) Turn(ctx context.Context) error { return o.pace.wait(ctx) }

func (o *openAI) Speak(ctx context.Context, r Request) ([]byte, error) {
	body, err := json.Marshal(map[string]any{
		"model": o.model, "input": r.Text, "voice": r.Voice, "speed": r.Speed, "response_format": "wav",
	})
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, o.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, hopeless("%w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	if o.key != "" {
		request.Header.Set("Authorization", "Bearer "+o.key)
	}
	response, err := o.client.Do(request)
	if err != nil {
		return nil, o.unreachable(ctx, err)
	}
	defer response.Body.Close()
	data, err := files.ReadAll(response.Body, mostOutput)
	if err != nil {
		return nil, o.unreachable(ctx, err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, o.refused(response, data)
	}
	return data, nil
}

func (o *openAI) unreachable(ctx context.Context, err error) error {
	switch {
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		return later(0, "the server timed out (--timeout)")
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return later(0, "cannot reach the server: %w", err)
}

// refused says what an answer other than 200 means for this text and for the others.
func (o *openAI) refused(response *http.Response, body []byte) error {
	what := fmt.Sprintf("the server answered %s: %s", response.Status, excerpt(body))
	switch code := response.StatusCode; {
	case code >= 300 && code < 400:
		return hopeless("the server sends us to %s, and redirects are not followed; name that "+
			"address with --server if you trust it", response.Header.Get("Location"))
	case code == http.StatusTooManyRequests || code == http.StatusServiceUnavailable:
		after := retryAfter(response.Header.Get("Retry-After"), time.Now())
		o.pace.hold(after)
		return later(after, "%s", what)
	case code == http.StatusRequestTimeout || code >= 500:
		return later(0, "%s", what)
	case code == http.StatusUnauthorized || code == http.StatusForbidden:
		return hopeless("%s; set the key in OPENAI_API_KEY", what)
	case code == http.StatusNotFound || code == http.StatusMethodNotAllowed:
		return hopeless("%s; check --server (request to %s)", what, o.endpoint)
	}
	return permanent("%s", what)
}

// retryAfter reads the header: seconds, or a date. A server never holds us for more than ten minutes.
func retryAfter(header string, now time.Time) time.Duration {
	if header == "" {
		return 0
	}
	wait := time.Duration(0)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil {
		wait = time.Duration(min(seconds, 3600) * float64(time.Second))
	} else if date, err := http.ParseTime(header); err == nil {
		wait = date.Sub(now)
	}
	return min(max(wait, 0), 10*time.Minute)
}

// excerpt is the beginning of an answer, fit for one line.
func excerpt(body []byte) string {
	text := strings.Join(strings.Fields(strings.ToValidUTF8(string(body[:min(len(body), 400)]), "?")), " ")
	if len(text) > 160 {
		text = strings.ToValidUTF8(text[:160], "") + "…"
	}
	if text == "" {
		return "(no message)"
	}
	return text
}

// pace keeps all workers together below the rate that a server allows.
type pace struct {
	mu    sync.Mutex
	every time.Duration
	next  time.Time
}

func (p *pace) wait(ctx context.Context) error {
	p.mu.Lock()
	at := p.next
	if now := time.Now(); at.Before(now) {
		at = now
	}
	p.next = at.Add(p.every)
	p.mu.Unlock()
	return sleep(ctx, time.Until(at))
}

// hold stops everybody for a while.
func (p *pace) hold(d time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(d); until.After(p.next) {
		p.next = until
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
