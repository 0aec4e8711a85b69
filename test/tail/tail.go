// Package tail keeps what a program has written: its end, for the message of a failure, or all of it.
package tail

import (
	"bytes"
	"sync"
)

const most = 16 << 10 // bytes

// Buffer keeps the last 16 KiB that were written to it. The zero value is empty. It
// is safe for concurrent use.
type Buffer struct{ whole Whole }

// Write never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	b.whole.mu.Lock()
	defer b.whole.mu.Unlock()
	b.whole.text.Write(p)
	b.whole.text.Next(max(0, b.whole.text.Len()-most))
	return len(p), nil
}

// Of returns the end of a text, as a Buffer keeps it.
func Of(text []byte) string {
	return string(bytes.TrimSpace(text[max(0, len(text)-most):]))
}

// String returns what is kept, without the space around it.
func (b *Buffer) String() string { return Of([]byte(b.whole.String())) }

// Whole keeps all that was written to it. The zero value is empty. It is safe for
// concurrent use.
type Whole struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// Write never fails.
func (w *Whole) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.Write(p) //nolint:wrapcheck // nil
}

// Close does nothing.
func (*Whole) Close() error { return nil }

// String returns what is kept.
func (w *Whole) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text.String()
}
