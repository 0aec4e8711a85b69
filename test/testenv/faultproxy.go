package testenv

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"testing"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/Shopify/toxiproxy/v2/toxics"
	"github.com/rs/zerolog"
)

// FaultProxy is a Toxiproxy in front of a service. It can refuse connections, as if the
// service had stopped, stall, as if it hung, or do with a connection what a [Toxic] says.
// Its methods are called by one goroutine at a time.
type FaultProxy struct {
	t     testing.TB
	proxy *toxiproxy.Proxy
}

// Toxic is a fault of connections, in Toxiproxy's words: latency, bandwidth, slicer,
// timeout, reset_peer and limit_data, and corrupt, which is ours.
type Toxic struct {
	Type string `json:"type"`
	// Stream is upstream for what the client sends, downstream for what it is sent.
	Stream string `json:"stream"`
	// Attributes are those of the type.
	Attributes map[string]int `json:"attributes"`
}

// NewFaultProxy starts a proxy in front of a TCP address, until the test ends.
func NewFaultProxy(t testing.TB, target string) *FaultProxy {
	t.Helper()
	toxics.Register("corrupt", &corrupt{})
	zerolog.SetGlobalLevel(zerolog.Disabled) // the bandwidth toxic has a global logger
	server := toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop())
	p := &FaultProxy{t: t, proxy: toxiproxy.NewProxy(server, t.Name(), "127.0.0.1:0", target)}
	p.Open()
	t.Cleanup(p.Shut)
	return p
}

// NewDatabaseProxy starts a proxy in front of a PostgreSQL server, until the test
// ends, and returns the URL that leads through it.
func NewDatabaseProxy(t testing.TB, databaseURL string) (proxy *FaultProxy, throughProxy string) {
	t.Helper()
	relay, throughRelay, err := StartDatabaseRelay(databaseURL, nil)
	if err != nil {
		t.Fatal("testenv:", err)
	}
	t.Cleanup(relay.Close)
	u, err := url.Parse(throughRelay)
	if err != nil {
		t.Fatal("testenv:", err)
	}
	proxy = NewFaultProxy(t, u.Host)
	u.Host = proxy.Address()
	return proxy, u.String()
}

// Address is where the proxy listens, as host:port.
func (p *FaultProxy) Address() string { return p.proxy.Listen }

// Open ends every fault. Bytes that a stall or a delay has held back are sent on.
func (p *FaultProxy) Open() {
	p.t.Helper()
	p.proxy.Toxics.ResetToxics(context.WithoutCancel(p.t.Context()))
	if p.proxy.Enabled {
		return
	}
	if err := p.proxy.Start(); err != nil {
		p.t.Error("testenv:", err)
	}
}

// Shut breaks all connections and refuses new ones.
func (p *FaultProxy) Shut() {
	p.proxy.Stop()
	p.proxy.Toxics.ResetToxics(context.WithoutCancel(p.t.Context()))
}

// Stall keeps all connections, takes new ones, and passes nothing on.
func (p *FaultProxy) Stall() {
	p.t.Helper()
	for _, stream := range []string{"upstream", "downstream"} {
		p.Inject(Toxic{Type: "latency", Stream: stream, Attributes: map[string]int{"latency": int(time.Hour.Milliseconds())}})
	}
}

// Inject adds a fault, until the proxy is opened or shut. A stream has one at a time.
func (p *FaultProxy) Inject(toxic Toxic) {
	p.t.Helper()
	data, err := json.Marshal(toxic)
	if err != nil {
		p.t.Fatal("testenv:", err)
	}
	if _, err := p.proxy.Toxics.AddToxicJson(bytes.NewReader(data)); err != nil {
		p.t.Errorf("testenv: %+v: %v", toxic, err)
	}
}

// corrupt replaces all bytes after the first ones with garbage, to the end of the connection.
// Neither protocol has a checksum: a single changed byte may be another valid value.
type corrupt struct {
	After int64 `json:"after"`
}

// NewState returns how many bytes the connection has carried.
func (*corrupt) NewState() any { return new(int64) }

// Pipe passes chunks on until the toxic is removed or the connection ends.
func (c *corrupt) Pipe(stub *toxics.ToxicStub) {
	carried := stub.State.(*int64) //nolint:forcetypeassert,errcheck // of NewState
	for {
		select {
		case <-stub.Interrupt:
			return
		case chunk := <-stub.Input:
			if chunk == nil {
				stub.Close()
				return
			}
			for i := range chunk.Data {
				if *carried++; *carried > c.After {
					chunk.Data[i] ^= 0xA5
				}
			}
			stub.Output <- chunk
		}
	}
}

// Cleanup ends the connection before the toxic is removed.
func (*corrupt) Cleanup(stub *toxics.ToxicStub) { stub.Close() }
