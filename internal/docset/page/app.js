"use strict";
// As a view of an MCP App the page says that it is there, and takes the colours of the host.
const framed = window.parent !== window;
const tell = request => window.parent.postMessage({ jsonrpc: "2.0", ...request }, "*");

if (framed) {
  document.documentElement.style.height = "640px";
  window.addEventListener("message", event => {
    if (event.source !== window.parent) return;
    const theme = (event.data?.result?.hostContext ?? event.data?.params)?.theme;
    if (theme === "light" || theme === "dark") document.documentElement.style.colorScheme = theme;
    if (event.data?.id === 1 && event.data.result) {
      tell({ method: "ui/notifications/initialized", params: {} });
      tell({ method: "ui/notifications/size-changed", params: { width: document.documentElement.scrollWidth, height: 640 } });
    } else if (event.data?.method === "ui/resource-teardown") {
      tell({ id: event.data.id, result: {} });
    }
  });
  tell({ id: 1, method: "ui/initialize", params: {
    protocolVersion: "2026-01-26", appInfo: { name: "compound-docs", version: "1" }, appCapabilities: { availableDisplayModes: ["inline", "fullscreen"] },
  } });
}
