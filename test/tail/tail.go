// Package tail keeps the end of what a program has written, for the message of a
// failure.
package tail

import (
	"bytes"
	"sync"
)

const most = 16 << 10 // bytes

// Buffer keeps the last 16 KiB that were written to it. The zero value is empty. It
// is safe for concurrent use.
type Buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.text.Write(p)
	b.text.Next(max(0, b.text.Len()-most))
	return len(p), nil
}

// Of returns the end of a text, as a Buffer keeps it.
func Of(text []byte) string {
	return string(bytes.TrimSpace(text[max(0, len(text)-most):]))
}

// String returns what is kept, without the space around it.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return Of(b.text.Bytes())
}
