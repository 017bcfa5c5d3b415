package shardtest

import (
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"sync/atomic"
)

// Proxy stands before a server. A share of the requests is answered with an error before the server sees them. Of the
// same share the server does what was asked, and the reply is lost.
type Proxy struct {
	Share    float64
	Requests atomic.Int64
	Errors   atomic.Int64
	Lost     atomic.Int64 // replies, whole or from some byte on

	mu     sync.Mutex
	random *rand.Rand
	next   http.Handler
}

// Before makes a proxy of a handler.
func Before(next http.Handler, share float64, seed uint64) *Proxy {
	return &Proxy{Share: share, random: rand.New(rand.NewPCG(seed, 36)), next: next}
}

// Server is a handler that forwards to a running server.
func Server(at string) (http.Handler, error) {
	u, err := url.Parse(at)
	if err != nil {
		return nil, err
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(u)
		r.Out.Host = r.In.Host // it is signed
	}}
	return forward, nil
}

func (p *Proxy) draw() float64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.random.Float64()
}

func (p *Proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.Requests.Add(1)
	switch x := p.draw(); {
	case x < p.Share/2:
		p.Errors.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		failed(w, http.StatusServiceUnavailable, "SlowDown")
	case x < p.Share:
		p.Errors.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		failed(w, http.StatusInternalServerError, "InternalError")
	case x < 2*p.Share:
		p.Lost.Add(1)
		reply := httptest.NewRecorder()
		p.next.ServeHTTP(reply, r)
		if body := reply.Body.Bytes(); r.Method == http.MethodGet && len(body) > 1 && p.draw() < 0.5 {
			for k, v := range reply.Header() {
				w.Header()[k] = v
			}
			w.WriteHeader(reply.Code)
			_, _ = w.Write(body[:len(body)/2]) // and the connection breaks
		}
		panic(http.ErrAbortHandler)
	default:
		p.next.ServeHTTP(w, r)
	}
}
