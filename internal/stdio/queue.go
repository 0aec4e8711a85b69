package stdio

import (
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxRunning is the number of calls that may be delivered and unanswered at a
	// time. Further calls wait. Without a bound, a client that reads no answers makes
	// the server compute and keep all of them.
	maxRunning = 100
	// maxQueued is the size of the messages that may wait to be delivered, in bytes.
	// No more is read while there is no room.
	maxQueued = 2 * MaxLine
	// messageOverhead is about what a decoded message takes beside its text.
	messageOverhead = 512
)

// queued is a message that waits to be delivered.
type queued struct {
	message jsonrpc.Message
	size    int
}

// queue holds messages between the reader and Read, so that the reader seldom waits
// and notices the end of the input at once. Messages leave it in order, with one
// exception: a call waits while maxRunning others are unanswered, and messages that
// are not calls overtake it. One of them may cancel a running call. The connection's
// mutex guards the queue.
type queue struct {
	arrived []queued
	waiting []queued // calls, all older than arrived
	size    int      // of all messages
	running int      // calls delivered and not answered
	closed  bool     // no message follows

	// changed holds a value after a change that next may have waited for.
	changed chan struct{}
	// room holds a value after a message has left, which push may have waited for.
	room chan struct{}
}

func newQueue() queue {
	return queue{changed: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// push adds a message that was read from size bytes. It reports false if there is no
// room.
func (q *queue) push(message jsonrpc.Message, size int) bool {
	size += messageOverhead
	if q.size+size > maxQueued {
		return false
	}
	q.size += size
	q.arrived = append(q.arrived, queued{message, size})
	signal(q.changed)
	return true
}

// close says that no message follows.
func (q *queue) close() {
	q.closed = true
	signal(q.changed)
}

// answered says that a delivered call is answered.
func (q *queue) answered() {
	q.running--
	signal(q.changed)
}

// next removes the next message that may be delivered, nil for none. If it reports
// true, no message follows.
func (q *queue) next() (message jsonrpc.Message, ended bool) {
	if q.running < maxRunning && len(q.waiting) > 0 {
		return q.take(&q.waiting), false
	}
	for len(q.arrived) > 0 {
		if !isCall(q.arrived[0].message) || q.running < maxRunning {
			return q.take(&q.arrived), false
		}
		q.waiting = append(q.waiting, q.arrived[0])
		q.arrived = q.arrived[1:]
	}
	return nil, q.closed && len(q.waiting) == 0
}

// take removes the first message of a list of the queue, which is not empty.
func (q *queue) take(list *[]queued) jsonrpc.Message {
	first := (*list)[0]
	(*list)[0] = queued{} // the list's array may live on for long
	*list = (*list)[1:]
	q.size -= first.size
	if isCall(first.message) {
		q.running++
	}
	signal(q.room)
	return first.message
}

// signal puts a value into a channel that holds one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
