import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { versions } from '../../lib/mcp/message.ts';
import { runToEnd } from '../../tools/cli/run.ts';
import { whileServing } from './dev.ts';

const { args } = new Command('npm run systems:mcp --')
  .description(
    'starts npm run dev, and runs the conformance suite of the Model Context Protocol against it. What cannot pass, and ' +
      'why, stands in test/systems/mcp/cannot-pass.yaml',
  )
  .argument('[options...]', 'of npm run dev')
  .allowUnknownOption()
  .parse();

let target = { url: '', key: '' };

/** The suite knows no API keys: this adds one to what it sends. */
const proxy = createServer((incoming, response) => {
  const headers = { ...incoming.headers, authorization: `Bearer ${target.key}` };
  const outgoing = request(target.url, { method: incoming.method, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  outgoing.on('error', () => response.writeHead(502).end());
  incoming.pipe(outgoing);
});

/** Throws if a case fails that can pass, or one passes that is said not to. */
const tryVersion = async (url: string, version: string): Promise<void> => {
  const expected = join(import.meta.dirname, 'mcp/cannot-pass.yaml');
  const suite = ['server', '--suite', 'all', '--url', url, '--spec-version', version];
  const child = spawn('conformance', [...suite, '--expected-failures', expected], {
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new CliError(`The suite fails for ${version}.`);
};

await runToEnd(async () => {
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const origin = `http://localhost:${(proxy.address() as AddressInfo).port}`;
  try {
    await whileServing(['--memory', '--cors-origin', origin, ...args], async (ready) => {
      target = { url: `${ready.base_url}/mcp`, key: ready.api_key ?? '' };
      for (const version of versions) await tryVersion(`${origin}/mcp`, version);
    });
  } finally {
    proxy.closeAllConnections();
    proxy.close();
  }
});
