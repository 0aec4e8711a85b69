package ollama

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/compound-docs/compound-docs/rag/model"
)

// Allowances for the body of an answer in bytes, after decompression.
const (
	maxAnswer = 1 << 20 // a small answer, such as an error or the list of models
	maxChat   = 2 << 20
	maxPull   = 32 << 20
)

// ask makes a request and decodes its answer into result. payload is nil for a GET.
func (s *server) ask(ctx context.Context, path string, payload, result any, limit int64) error {
	resp, err := s.send(ctx, path, payload, limit)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	if err := json.NewDecoder(resp.Body).Decode(result); err != nil {
		return unreadable(err)
	}
	return nil
}

// part is a part of a stream.
type part struct {
	// Message and Done are of a chat, with the reason at its end.
	Message struct {
		Content string `json:"content"`
	} `json:"message"`
	Done       bool   `json:"done"`
	DoneReason string `json:"done_reason"`
	// Status, Completed and Total are of a pull.
	Status    string `json:"status"`
	Completed int64  `json:"completed"`
	Total     int64  `json:"total"`
	// Error ends the stream.
	Error string `json:"error"`
}

// stream makes a request and calls use with the parts of its answer, until use reports the
// last one.
func (s *server) stream(ctx context.Context, path string, payload any, limit int64, use func(part) (last bool)) error {
	resp, err := s.send(ctx, path, payload, limit)
	if err != nil {
		return err
	}
	defer func() { _ = resp.Body.Close() }()
	for decoder := json.NewDecoder(resp.Body); ; {
		var next part
		switch err := decoder.Decode(&next); {
		case errors.Is(err, io.EOF):
			return broken(io.ErrUnexpectedEOF)
		case err != nil:
			return unreadable(err)
		case next.Error != "":
			return classifyStatus(0, next.Error)
		case use(next):
			return nil
		}
	}
}

// send makes a request and returns the answer, unless that is an error. The caller closes
// its body, which is bounded.
func (s *server) send(ctx context.Context, path string, payload any, limit int64) (*http.Response, error) {
	method, body := http.MethodGet, io.Reader(http.NoBody)
	if payload != nil {
		encoded, err := json.Marshal(payload)
		if err != nil {
			return nil, fmt.Errorf("encode a request: %w", err)
		}
		method, body = http.MethodPost, bytes.NewReader(encoded)
	}
	req, err := http.NewRequestWithContext(ctx, method, s.base.JoinPath(path).String(), body)
	if err != nil {
		return nil, fmt.Errorf("make a request: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.http.Do(req)
	if err != nil {
		return nil, classifyNetwork(err)
	}
	resp.Body = http.MaxBytesReader(nil, resp.Body, limit)
	if resp.StatusCode == http.StatusOK {
		return resp, nil
	}
	defer func() { _ = resp.Body.Close() }()
	if location, err := resp.Location(); err == nil {
		return nil, &model.ServerError{Status: resp.StatusCode, Err: fmt.Errorf("it redirects to %s, which is not followed: "+
			"text of documents goes from %s to no other address; if Ollama is there, make that address the Ollama host",
			shorten(location.Scheme+"://"+location.Host), s.host)}
	}
	var refusal struct {
		Error string `json:"error"`
	}
	text, _ := io.ReadAll(resp.Body) // the status says enough
	if json.Unmarshal(text, &refusal) != nil {
		refusal.Error = string(text)
	}
	if strings.HasPrefix(refusal.Error, "<") {
		refusal.Error = "a web page"
	}
	return nil, classifyStatus(resp.StatusCode, refusal.Error)
}
