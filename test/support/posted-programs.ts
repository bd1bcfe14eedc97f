import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { json, text } from 'node:stream/consumers';

/** Does what a program would, by its arguments, and gives what it prints. It fails where this throws. */
export type Program = (args: string[]) => string | Promise<string>;

/**
 * Runs commands of a page by bash as they are there. In place of each program named, one asks here for what to print. Answers
 * what bash printed; throws where it ended with another code than 0.
 */
export const runCommands = async (
  commands: string,
  programs: Record<string, Program>,
): Promise<string> => {
  const errors: unknown[] = [];
  const server = createServer(async (request, response) => {
    const name = request.url?.slice(1) ?? '';
    try {
      response.end(await programs[name]!((await json(request)) as string[]));
    } catch (error) {
      errors.push(error);
      response.writeHead(500).end();
    }
  }).listen(0, '127.0.0.1');
  const directory = await mkdtemp(join(tmpdir(), 'commands-'));
  try {
    const script = (name: string) => `#!${process.execPath}
      const { port } = JSON.parse(process.env.ASKED);
      const body = JSON.stringify(process.argv.slice(2));
      const answer = await fetch(\`http://127.0.0.1:\${port}/${name}\`, { method: 'POST', body });
      process.stdout.write(await answer.text());
      process.exitCode = answer.ok ? 0 : 1;`;
    for (const name of Object.keys(programs)) {
      await writeFile(join(directory, 'package.json'), '{"type":"module"}');
      await writeFile(join(directory, name), script(name), { mode: 0o755 });
    }
    const { port } = server.address() as AddressInfo;
    const PATH = [directory, dirname(process.execPath), process.env.PATH].join(delimiter);
    const bash = spawn('bash', ['-euc', commands], {
      cwd: directory,
      env: { PATH, HOME: directory, ASKED: JSON.stringify({ port }) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [stdout, stderr] = [text(bash.stdout), text(bash.stderr)];
    const code = await new Promise((resolve) => bash.on('close', resolve));
    if (errors.length > 0) throw errors[0];
    if (code !== 0) throw new Error(`bash ended with ${code}: ${await stderr}`);
    return await stdout;
  } finally {
    server.close();
    await rm(directory, { recursive: true });
  }
};
