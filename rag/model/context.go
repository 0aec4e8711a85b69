package model

import "context"

// contextKey is a key of this package's values in a context.
type contextKey int

const (
	retryKey contextKey = iota
	failFastKey
)

// OnRetry registers f. It is called with the reason when a request of the context has
// failed and will be made again: the error of the call itself may come seconds later.
// f must not block.
func OnRetry(ctx context.Context, f func(reason error)) context.Context {
	return context.WithValue(ctx, retryKey, f)
}

// ReportRetry calls the function that [OnRetry] registered, if there is one. Clients call it.
func ReportRetry(ctx context.Context, reason error) {
	if f, ok := ctx.Value(retryKey).(func(error)); ok {
		f(reason)
	}
}

// FailFast returns a context for callers that can do without a model server. Their
// requests are made once. If the last request got no answer in the past five seconds,
// none is made, and the error is that failure. They do not wait for a model that is being
// pulled.
func FailFast(ctx context.Context) context.Context {
	return context.WithValue(ctx, failFastKey, true)
}

// FailsFast reports whether the context is one of [FailFast].
func FailsFast(ctx context.Context) bool { return ctx.Value(failFastKey) != nil }
