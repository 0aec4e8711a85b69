package ollama

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/compound-docs/compound-docs/rag/modelhttp"
)

// part is a part of a stream.
type part struct {
	// Message and Done belong to a chat. Its last part has the reason why it ended.
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

// stream makes a request and hands each part of its answer to the function use, until use reports the last one.
func (s *server) stream(ctx context.Context, path string, payload any, limit int64, use func(part) (last bool)) error {
	body, err := s.Send(ctx, path, payload, limit)
	if err != nil {
		return err
	}
	defer func() { _ = body.Close() }()
	for decoder := json.NewDecoder(body); ; {
		var next part
		switch err := decoder.Decode(&next); {
		case errors.Is(err, io.EOF):
			return modelhttp.Broken(io.ErrUnexpectedEOF)
		case err != nil:
			return s.Unreadable(err)
		case next.Error != "":
			return s.Refused(0, next.Error)
		case use(next):
			return nil
		}
	}
}

// Pull pulls a model.
func (s *server) Pull(ctx context.Context, name string, progress func(completed, total int64)) error {
	const maxProgress = 32 << 20 // bytes
	return s.stream(ctx, "/api/pull", map[string]any{"model": name}, maxProgress, func(p part) (last bool) {
		progress(p.Completed, p.Total)
		return p.Status == "success"
	})
}
