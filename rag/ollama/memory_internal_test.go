package ollama

import (
	"context"
	"fmt"
	"net"
	"testing"

	"github.com/compound-docs/compound-docs/test/fakeollama"
)

// startInMemory starts servers, and a client of all of them with the default waits,
// in a bubble of fake time.
func startInMemory(t *testing.T, hosts int) ([]*fakeollama.Server, *Client) {
	t.Helper()
	servers := make([]*fakeollama.Server, hosts)
	names := make([]string, hosts)
	byName := map[string]*fakeollama.Server{}
	for i := range hosts {
		servers[i], names[i] = fakeollama.StartInMemory(t), fmt.Sprintf("host%d:80", i)
		byName[names[i]] = servers[i]
	}
	client := newTestClient(t, names...)
	client.transport.Proxy = nil
	client.transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		return byName[address].Dial(ctx, network, address)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return servers, client
}
