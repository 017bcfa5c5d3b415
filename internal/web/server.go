package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"saturate/internal/files"
	"saturate/internal/human"
)

const loginPath = "/api/login"

// Server shows a Library in a browser.
type Server struct {
	library *Library
	guard   *guard
	mux     *http.ServeMux
	base    string
	streams atomic.Int64 // open pages that follow what happens
	asked   atomic.Int64 // when the last request came, in Unix nanoseconds
}

// New makes the server of a library. The listener tells its address; it must be loopback or a unix socket.
func New(library *Library, listener net.Listener) (*Server, error) {
	s := &Server{library: library, guard: newGuard(), mux: http.NewServeMux()}
	switch addr := listener.Addr().(type) {
	case *net.TCPAddr:
		if !addr.IP.IsLoopback() {
			return nil, fmt.Errorf("%s is not a loopback address; serve 127.0.0.1 and use an SSH tunnel", addr)
		}
		s.base = "http://" + addr.String()
	case *net.UnixAddr:
		s.base = "http://localhost:8080" // the tunnel's other end: ssh -L 8080:PATH
	default:
		return nil, fmt.Errorf("cannot serve on %s", listener.Addr())
	}
	s.mux.HandleFunc("POST "+loginPath, s.login)
	s.routes()
	s.mux.HandleFunc("/", s.page)
	return s, nil
}

// Link is an address that opens the page, once. What follows # stays in the browser.
func (s *Server) Link(path string) string { return s.base + path + "#" + s.guard.current() }

// OnUse calls f each time that a link was used and a new one is valid.
func (s *Server) OnUse(f func()) { s.guard.used = f }

// Serve answers until the context ends.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx }, // ends the streams of events
	}
	stop := context.AfterFunc(ctx, func() {
		short, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if server.Shutdown(short) != nil {
			server.Close()
		}
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("cannot serve: %w", err)
	}
	return nil
}

// Wait returns when no page is open any more: none follows what happens, and none has asked for so long.
func (s *Server) Wait(ctx context.Context, quiet time.Duration) {
	tick := time.NewTicker(quiet / 10)
	defer tick.Stop()
	for s.streams.Load() > 0 || time.Since(time.Unix(0, s.asked.Load())) < quiet {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// ServeHTTP answers one request, or refuses it.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.asked.Store(time.Now().UnixNano())
	defer func() { s.asked.Store(time.Now().UnixNano()) }()
	setHeaders(w.Header())
	if why := refuse(r); why != "" {
		fail(w, http.StatusForbidden, errors.New(why))
		return
	}
	if strings.HasPrefix(r.URL.Path, "/api/") && r.URL.Path != loginPath && !s.guard.known(r) {
		fail(w, http.StatusUnauthorized, errors.New("open the link that saturate serve printed"))
		return
	}
	s.mux.ServeHTTP(w, r)
}

// login exchanges a link's token for a session.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Token string `json:"token"`
	}
	data, err := files.ReadAll(http.MaxBytesReader(w, r.Body, 1<<10), 1<<10)
	if err != nil || r.Header.Get("Content-Type") != "application/json" || json.Unmarshal(data, &body) != nil {
		fail(w, http.StatusBadRequest, errors.New("expected a token as JSON"))
		return
	}
	session, key, ok := s.guard.exchange(body.Token)
	if !ok {
		fail(w, http.StatusUnauthorized, errors.New("this link was used before, or belongs to another server; saturate serve prints a new one"))
		return
	}
	http.SetCookie(w, &http.Cookie{Name: s.guard.cookie, Value: session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	answer(w, map[string]string{"key": key})
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(data)
}

// fail writes one sentence as JSON.
func fail(w http.ResponseWriter, code int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	data, _ := json.Marshal(map[string]string{"error": human.Line(err.Error())})
	_, _ = w.Write(data)
}

// page sends the page itself, which is the same under every address, or one of its parts.
func (s *Server) page(w http.ResponseWriter, r *http.Request) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	kind, ok := kinds[name]
	if !ok {
		if strings.Contains(name, ".") {
			fail(w, http.StatusNotFound, errors.New("no such file"))
			return
		}
		name, kind = "index.html", kinds["index.html"]
	}
	file, err := assets.Open("ui/dist/" + name)
	if err != nil {
		fail(w, http.StatusNotFound, errors.New("no such file"))
		return
	}
	defer file.Close()
	w.Header().Set("Content-Type", kind)
	_, _ = io.Copy(w, file)
}
