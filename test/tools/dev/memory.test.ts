// @module-tag long
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { credentials, region } from '@leads-and-stars/runner';
import { expect, test } from 'vitest';
import { callOf } from '../../../tools/examples/call.ts';
import { loadExamples } from '../../../tools/examples/load.ts';
import { settingOf } from '../../../tools/examples/setting.ts';
import { type Command, dev, useCommands } from './commands.ts';
import { ownDirectory } from './support.ts';

// What `npm run dev` takes while everything is used.

useCommands();

const directory = ownDirectory();
const rounds = 3;
const atOnce = 6;
const mostMegabytes = 1500;

/** What a run's processes have in memory, what they share counted for each. */
const memoryOf = (run: Command) => {
  const megabytes = run.processes().map(({ pid, command }) => {
    const status = readProc(pid);
    const kilobytes = Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
    return { megabytes: kilobytes / 1024, isOfFunctions: command.includes('runtime.cjs') };
  });
  return {
    megabytes: Math.round(megabytes.reduce((sum, one) => sum + one.megabytes, 0)),
    processes: megabytes.filter(({ isOfFunctions }) => isOfFunctions).length,
  };
};

/** Nothing of a process that has ended meanwhile. */
const readProc = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8');
  } catch {
    return '';
  }
};

test('all operations, many at once and again and again, take four processes and 1.5 GB at most', async () => {
  const run = dev(['--port', '0', '--environments', '4'], { cwd: directory });
  const ready = await run.ready();
  const lambda = new LambdaClient({ region, credentials, endpoint: ready.lambda_endpoint });
  const invoke = async (id: string, event: unknown) => {
    const input = { FunctionName: `LeadsAndStars-${id}`, Payload: JSON.stringify(event) };
    const { FunctionError, Payload } = await lambda.send(new InvokeCommand(input));
    if (FunctionError) throw new Error(`${id} failed`);
    return JSON.parse(Payload?.transformToString() ?? 'null');
  };
  const { users, tokens } = ready.organizations[0]!;
  const { platform_key: platformKey = '' } = ready;
  const { owner, agent, viewer } = users;

  /** An organization of its own: examples change who is in it. */
  const makeSetting = async () => {
    const organizationId = randomUUID();
    const sender = { organizationId, token: tokens.owner, platformKey };
    const call = callOf({ baseUrl: ready.base_url, invoke }, sender);
    const { pipelines } = await call('putOrganization', {
      path: { organization_id: organizationId },
      body: {
        name: 'Cedro',
        members: Object.entries({ owner, agent, viewer }).map(([role, user_id]) => ({
          user_id,
          role,
        })),
        pipelines: [
          {
            name: 'Sales',
            stages: ['new', 'contacted', 'won'].map((name) => ({ name, outcome: 'open' })),
          },
        ],
        wallet: { pack_stars: 50 },
      },
    });
    return settingOf({ organizationId, pipelineId: pipelines[0].id, users, call });
  };

  const waiting = Array.from({ length: rounds }, () => loadExamples());
  const queue = (await Promise.all(waiting))
    .flat()
    .flatMap(({ operation, examples }) => examples.map((example) => ({ operation, example })));
  const count = queue.length;
  const succeeded = new Set<string>();
  const ids = new Set(queue.map(({ operation }) => operation.id));
  let peak = memoryOf(run);
  const workers = Array.from({ length: atOnce }, async () => {
    for (let one = queue.shift(); one; one = queue.shift()) {
      const { operation, example } = one;
      const setting = await makeSetting();
      // Some examples are of refusals.
      await setting.call(operation.id, await example.request(setting)).then(
        () => succeeded.add(operation.id),
        () => undefined,
      );
      const now = memoryOf(run);
      if (now.megabytes > peak.megabytes) peak = now;
    }
  });
  await Promise.all(workers);
  console.info(`${count} requests, at most ${JSON.stringify(peak)}`);
  expect([...ids].filter((id) => !succeeded.has(id))).toEqual([]);
  expect(peak.processes).toBe(4);
  expect(peak.megabytes).toBeLessThan(mostMegabytes);
  run.kill('SIGTERM');
  expect(await run.ended).toBe(0);
});
