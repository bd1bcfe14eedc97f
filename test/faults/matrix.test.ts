import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, isFinal, type Request } from './client.ts';
import type { Fault, Plan } from './fault-proxy.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { reads, writes } from './operations.ts';
import { nameOf, plansFor, type Setting, Settings } from './setting.ts';

// Every fault at every request that a function makes to DynamoDB, one case after the other.

let faulty: FaultyService;
let settings: Settings;
let cases = 0;

beforeAll(async () => {
  faulty = await startFaultyService();
  settings = new Settings(faulty);
});

afterAll(async () => {
  console.info(`${cases} cases of faults`);
  await faulty?.close();
});

/** Each once, and where the function's own retries would hide it, until it has answered. */
const faults: [Fault, boolean][] = [
  ['request lost', false],
  ['request lost', true],
  ['reply lost', false],
  ['reply lost', true],
  ['server error', false],
  ['server error', true],
  ['conflict', false],
  ['conflict', true],
  ['unprocessed', false],
  ['throttled', false],
  ['killed before', false],
  ['killed after', false],
];

const requestOf = (id: string, setting: Setting): Request => ({ id, ...writes[id]!(setting) });

/** What a client that insists gets to hear, and what is stored then. */
const write = async (id: string, plan?: Plan) => {
  const setting = await settings.make(id, id !== 'provisionOrganization');
  setting.watched.plan(plan);
  const answers = await setting.client.insist(requestOf(id, setting), () => {
    setting.watched.plan(undefined);
  });
  const calls = [...setting.watched.requests];
  const state = await settings.stateOf(setting);
  settings.end(setting);
  return { calls, answers, state };
};

/** Only a process that was ended may leave the answer to the gateway. */
const expectHonest = (answers: readonly Answer[], { fault }: Plan): void => {
  if (fault.startsWith('killed')) return;
  for (const { code } of answers) expect(['internal', 'Runtime.ExitError']).not.toContain(code);
};

const outcome = ({ status, body }: Answer) => ({
  status,
  items: body?.items?.map(({ status }: Answer) => status),
});

const expectSame = async (
  id: string,
  undisturbed: Awaited<ReturnType<typeof write>>,
  plan: Plan,
): Promise<void> => {
  const { answers, state } = await write(id, plan);
  cases++;
  expectHonest(answers, plan);
  const last = outcome(answers.at(-1)!);
  // Removing has no key: a repeat finds nobody to remove.
  const removed = id === 'deleteMember' && answers.length > 1 && last.status === 404;
  if (!removed) expect(last).toEqual(outcome(undisturbed.answers.at(-1)!));
  // Its message says what differs.
  assert.deepEqual(state, undisturbed.state);
};

const inCase = async (name: string, check: () => Promise<void>): Promise<string[]> => {
  try {
    await check();
    return [];
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
};

test.concurrent.each(Object.keys(writes))(
  '%s repeated after any fault has been done once and whole',
  async (id) => {
    const undisturbed = await write(id);
    const failed: string[] = [];
    for (const plan of plansFor(undisturbed.calls, faults)) {
      failed.push(...(await inCase(nameOf(plan), () => expectSame(id, undisturbed, plan))));
    }
    expect(failed).toEqual([]);
  },
  120_000,
);

/** The time of reading is in some answers. */
const timeless = ({ status, body }: Answer) => ({ status, ...body, as_of: undefined });

const failuresOfReading = async (setting: Setting, request: Request): Promise<string[]> => {
  setting.watched.plan(undefined);
  const undisturbed = await setting.client.send(request);
  expect(undisturbed.status).toBe(200);
  const failed: string[] = [];
  for (const plan of plansFor([...setting.watched.requests], faults)) {
    setting.watched.plan(plan);
    const check = async () => {
      const answer = await setting.client.send(request);
      cases++;
      expectHonest([answer], plan);
      if (isFinal(answer)) expect(timeless(answer)).toEqual(timeless(undisturbed));
    };
    failed.push(...(await inCase(`${request.path}: ${nameOf(plan)}`, check)));
    await setting.watched.settled();
  }
  return failed;
};

test.concurrent.each(Object.entries(reads))(
  '%s after any fault answers what is so, or that it can’t',
  async (id, paths) => {
    const setting = await settings.make(id);
    for (const path of paths(setting)) {
      expect(await failuresOfReading(setting, { id, path })).toEqual([]);
    }
    settings.end(setting);
  },
  120_000,
);

test('what is carried out after the function gave up is not done again by a repeat', async () => {
  const late = async (id: string) => {
    const undisturbed = await write(id);
    await expectSame(id, undisturbed, { at: undisturbed.calls.length, fault: 'late' });
  };
  await Promise.all(Object.keys(writes).map(late));
}, 60_000);
