// Connects the official TypeScript clients to the server over stdio, and prints
// what they find as JSON: the version that was agreed on, the tools, what one of
// them answers, how another fails, and the page.
//
// The first argument is the program, the others are its own.
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/stdio.js';

const [command, ...args] = process.argv.slice(2);
const program = { command, args, env: process.env, stderr: 'inherit' };
const self = { name: 'conformance', version: '1' };
const clients = {
  handshake: [new LegacyClient(self), new LegacyTransport(program)],
  automatic: [new Client(self, { versionNegotiation: { mode: 'auto' } }), new StdioClientTransport(program)],
};
const found = {};
for (const [name, [client, transport]] of Object.entries(clients)) {
  let version; // the older client tells its transport alone
  transport.setProtocolVersion = (agreed) => (version = agreed);
  await client.connect(transport);
  const { tools } = await client.listTools();
  const answer = await client.callTool({ name: 'list_doc_types', arguments: {} });
  const failure = await client.callTool({ name: 'semantic_search', arguments: { query: 'x', limit: 0 } });
  const page = await client.readResource({ uri: 'ui://compound-docs/page' });
  found[name] = {
    version: client.getNegotiatedProtocolVersion?.() ?? version,
    tools: tools.map((tool) => tool.name).sort(),
    doc_types: answer.structuredContent.doc_types.map((docType) => docType.name),
    failure: JSON.parse(failure.content[0].text).code,
    page: page.contents[0].text.split('\n', 1)[0],
  };
  await client.close();
}
console.log(JSON.stringify(found));
