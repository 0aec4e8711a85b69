package tools

import (
	"context"
	"math"
	"net/url"
	"path/filepath"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// statelessProtocol is the first version of MCP in which sessions begin without a handshake.
const statelessProtocol = "2026-07-28"

// rootsKey names the request for the client's roots, which are the folders that the client works in.
const rootsKey = "roots"

const (
	// rootsWait is how long a call waits for the client to name its roots.
	rootsWait = 2 * time.Second
	// rootlessTime is the pause before the server asks again for roots, if the client has named no roots.
	rootlessTime = 10 * time.Second
)

// followRoots tells the workspace the client's roots. It asks the client for them at each call, because older releases
// of Claude Code do not notify the server of a change.
//
// In a session with a handshake it waits for the roots, and returns nil. Without a handshake it returns a request for
// the roots, which the caller sends instead of an answer. The client then makes the call again within approximately a
// millisecond, with the roots in responses.
func (h *Handler) followRoots(
	ctx context.Context, session *mcp.ServerSession, client *mcp.ClientCapabilities, responses mcp.InputResponseMap,
) mcp.InputRequestMap {
	//nolint:staticcheck // roots are deprecated, and in use
	if client == nil || client.RootsV2 == nil || time.Now().UnixNano() < h.rootlessUntil.Load() {
		return nil
	}
	if negotiated := session.InitializeParams(); negotiated != nil && negotiated.ProtocolVersion < statelessProtocol {
		waitCtx, cancel := context.WithTimeout(ctx, rootsWait)
		defer cancel()
		listed, err := session.ListRoots(waitCtx, nil) //nolint:staticcheck // deprecated, and in use
		switch {
		case err == nil:
			h.follow(ctx, listed)
		case ctx.Err() == nil:
			h.rootlessUntil.Store(math.MaxInt64)
			h.logger.WarnContext(ctx, "the client does not name its roots, and is not asked again", "error", err)
		}
		return nil
	}
	if responses == nil {
		return mcp.InputRequestMap{rootsKey: &mcp.ListRootsParams{}} //nolint:staticcheck // deprecated, and in use
	}
	if listed, ok := responses[rootsKey].(*mcp.ListRootsResult); ok { //nolint:staticcheck // deprecated, and in use
		h.follow(ctx, listed)
	}
	return nil
}

// follow tells the workspace about the roots that are local folders.
func (h *Handler) follow(ctx context.Context, listed *mcp.ListRootsResult) { //nolint:staticcheck // deprecated, and in use
	var folders []string // absolute paths
	for _, root := range listed.Roots {
		uri, err := url.Parse(root.URI)
		if err != nil || uri.Scheme != "file" || uri.Host != "" && uri.Host != "localhost" {
			continue
		}
		path := uri.Path
		if drive := strings.TrimPrefix(path, "/"); filepath.VolumeName(drive) != "" {
			path = drive
		}
		path = filepath.FromSlash(path)
		if filepath.IsAbs(path) {
			folders = append(folders, path)
		}
	}
	h.workspace.SetClientFolders(ctx, folders)
	if len(listed.Roots) == 0 {
		h.rootlessUntil.Store(time.Now().Add(rootlessTime).UnixNano())
	}
}
