import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { stop } from '@leads-and-stars/runner';
import { mostPerSecond } from '../../../lib/organizations/request-limit.ts';
import type { Ready } from '../../../tools/dev/ready-file.ts';
import { type Progress, type Section, table } from '../section.ts';
import { type Part, processorTime } from './processes.ts';

const run = promisify(execFile);

/** Calls under way at once, and how many each kind has: first to warm up, then in each round. */
const connections = 4;
const warmUp = 300;
const calls = 400;
const rounds = 3;

interface Call {
  name: string;
  method: string;
  path: string;
  body?: () => string;
}

interface Measured {
  call: string;
  /** Milliseconds of processor time for a call, in the middle of the rounds. */
  cost: Record<Part, number>;
}

/** What a call costs in the runner's own process, beside what the function and the engine take for it. */
export const runnerWeight = async (progress: Progress): Promise<Section> => {
  progress.expect(2 * (1 + rounds) + 1);
  progress.step('starting');
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-bench-'));
  const readyFile = join(directory, 'ready.json');
  const child = spawn(
    process.execPath,
    ['tools/dev/dev.ts', '--memory', '--port', '0', '--ready-file', readyFile],
    { stdio: 'ignore' },
  );
  try {
    while (!existsSync(readyFile)) {
      if (child.exitCode !== null) throw new Error('npm run dev ended');
      await setTimeout(50);
    }
    const ready = JSON.parse(await readFile(readyFile, 'utf8')) as Ready;
    // It is sent more than an organization usually may.
    const [organization] = ready.organizations;
    const limit = [`${organization?.organization_id}`, String(mostPerSecond)];
    const admin = ['tools/admin/main.ts', '--ready-file', readyFile, 'organization', 'limit'];
    await run(process.execPath, [...admin, ...limit]);
    const measured: Measured[] = [];
    for (const call of callsOf(ready)) {
      measured.push(await measure(child.pid!, ready, call, progress));
    }
    return sectionOf(measured);
  } finally {
    await stop(child);
    await rm(directory, { recursive: true });
  }
};

const callsOf = ({ organizations: [one] }: Ready): Call[] => [
  {
    name: 'createLead',
    method: 'POST',
    path: '/leads',
    body: () =>
      JSON.stringify({
        contact_name: 'Maria Silva',
        pipeline_id: one?.pipeline_id,
        email: `${crypto.randomUUID()}@example.com`,
        tags: ['inbound'],
      }),
  },
  { name: 'getBalance', method: 'GET', path: '/billing/balance' },
];

const measure = async (
  runner: number,
  ready: Ready,
  call: Call,
  progress: Progress,
): Promise<Measured> => {
  progress.step(`${call.name}, warming up`);
  await sendAll(ready, call, warmUp);
  const all: Record<Part, number>[] = [];
  for (let round = 0; round < rounds; round++) {
    progress.step(call.name);
    const before = processorTime(runner);
    await sendAll(ready, call, calls);
    const after = processorTime(runner);
    const cost = (part: Part) => (after[part] - before[part]) / calls;
    all.push({ runner: cost('runner'), engine: cost('engine'), functions: cost('functions') });
  }
  const middle = (part: Part) =>
    all.map((cost) => cost[part]).sort((a, b) => a - b)[Math.floor(rounds / 2)]!;
  const cost = {
    runner: middle('runner'),
    engine: middle('engine'),
    functions: middle('functions'),
  };
  return { call: call.name, cost };
};

const sendAll = async (ready: Ready, call: Call, count: number): Promise<void> => {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let left = count;
  const client = async () => {
    while (left-- > 0) await send(agent, ready, call);
  };
  await Promise.all(Array.from({ length: connections }, client));
  agent.destroy();
};

const send = async (
  agent: Agent,
  { base_url, organizations: [one] }: Ready,
  { name, method, path, body }: Call,
): Promise<void> => {
  const sent = request(`${base_url}${path}`, {
    agent,
    method,
    headers: {
      authorization: `Bearer ${one?.tokens.owner}`,
      'x-organization-id': one?.organization_id,
      ...(body && { 'content-type': 'application/json' }),
    },
  });
  sent.end(body?.());
  const [response] = await once(sent, 'response');
  const answer = await text(response);
  if (response.statusCode >= 300) throw new Error(`${name}: ${response.statusCode} ${answer}`);
};

const sectionOf = (measured: readonly Measured[]): Section => ({
  title: 'The runner’s own weight',
  result: `Of processor time, the runner itself takes ${measured.map(({ call, cost }) => `${cost.runner.toFixed(2)} ms (${call})`).join(', ')} for a call.`,
  goals: measured.map(({ call, cost }) => ({
    goal: `${call} through the runner: less processor time in it than in the function`,
    measured: `${cost.runner.toFixed(2)} of ${cost.functions.toFixed(2)} ms`,
    holds: cost.runner < cost.functions,
  })),
  content: [
    `Processor time for a call, in milliseconds, of \`npm run dev -- --memory\` with ${connections} calls under way at once, the
middle of ${rounds} rounds of ${calls} calls. The runner is one process: the gateway, the proxy that holds functions to their
permissions, the stream, the bus, and the log. A create’s event is in it, too: the functions’ time has
\`publishChanges\`, and the engine’s has what the stream reads.`,
    table(
      ['call', 'runner', 'functions', 'engine', 'all'],
      measured.map(({ call, cost: { runner, functions, engine } }) =>
        [call, runner, functions, engine, runner + functions + engine].map((value) =>
          typeof value === 'number' ? value.toFixed(2) : value,
        ),
      ),
    ),
  ],
});
