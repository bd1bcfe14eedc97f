import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, isFinal, type Request } from './client.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { listPlans, putPlan, reads, type Way, wayOf, writes } from './operations.ts';
import { longPlans, type Plan, pairPlans, shortPlans } from './plans.ts';
import { type Setting, Settings } from './setting.ts';

// Every fault at every request that a function makes to DynamoDB.

let faulty: FaultyService;
let settings: Settings;
let cases = 0;

beforeAll(async () => {
  faulty = await startFaultyService({ environmentsPerFunction: 8 });
  settings = new Settings(faulty);
});

afterAll(async () => {
  console.info(`${cases} cases of faults`);
  await faulty?.close();
});

/** What a client that insists gets to hear, and what is stored then. */
const write = async (of: Way, plan?: Plan, marks: string[] = []) => {
  const provisioned = of.id !== 'provisionOrganization';
  const setting = await settings.make({ functionId: of.id, provisioned, marks });
  const request = await of.request(setting);
  setting.watched.plan(plan);
  const between = () => {
    if (!plan?.lasting) setting.watched.plan(undefined);
  };
  const answers = await setting.client.insist(request, { between });
  const calls = [...setting.watched.requests];
  const state = await settings.stateOf(setting);
  settings.end(setting);
  return { calls, answers, state };
};

/** Only a process that was ended may leave the answer to the gateway. */
const expectHonest = (answers: readonly Answer[], { kills }: Plan): void => {
  if (kills) return;
  for (const { code } of answers) expect(['internal', 'Runtime.ExitError']).not.toContain(code);
};

const outcome = ({ status, body }: Answer) => ({
  status,
  items: body?.items?.map(({ status }: Answer) => status),
});

type Undisturbed = Awaited<ReturnType<typeof write>>;

const failuresOf = async (
  of: Way,
  undisturbed: Undisturbed,
  plan: Plan,
  marks?: string[],
): Promise<string[]> => {
  cases++;
  try {
    const { answers, state } = await write(of, plan, marks);
    expectHonest(answers, plan);
    const last = outcome(answers.at(-1)!);
    // Removing a member has no key: a repeat finds nobody to remove.
    const removed = of.id === 'deleteMember' && answers.length > 1 && last.status === 404;
    if (!removed) expect(last).toEqual(outcome(undisturbed.answers.at(-1)!));
    // Its message says what differs.
    assert.deepEqual(state, undisturbed.state);
    return [];
  } catch (error) {
    return [`${plan.name}: ${(error as Error).message}`];
  }
};

const inSequence = async (
  of: Way,
  plansFor: (calls: readonly string[]) => Plan[],
  marks?: string[],
): Promise<string[]> => {
  const undisturbed = await write(of, undefined, marks);
  const failures: string[] = [];
  for (const plan of plansFor(undisturbed.calls)) {
    failures.push(...(await failuresOf(of, undisturbed, plan, marks)));
  }
  return failures;
};

/** By function: what is killed for one case is not there for another. */
const byFunction = Map.groupBy(writes, ({ id }) => id);

/** Those that lead to the others' ways of writing: they are struck by two faults as well. */
const twice = new Set(
  [
    'createLead, a new lead',
    'createLeads, a taken contact, one that is made, and one that is wrong',
    'updateLead, a stage, an email, tags and a value',
    'deleteLead, a lead is deleted',
    'spendStars, of both kinds',
    'applyWalletEvents, a pack and a renewal',
  ].map(wayOf),
);

test.concurrent.each([...byFunction])(
  '%s repeated after any fault has been done once and whole',
  async (_, ways) => {
    for (const of of ways) {
      expect(await inSequence(of, shortPlans), of.name).toEqual([]);
      if (twice.has(of)) expect(await inSequence(of, pairPlans), of.name).toEqual([]);
    }
  },
  600_000,
);

/** The time of reading is in some answers. */
const timeless = ({ status, body }: Answer) => ({ status, ...body, as_of: undefined });

const failuresOfReading = async (
  { client, watched }: Setting,
  request: Request,
  plan: Plan,
  undisturbed: Answer,
): Promise<string[]> => {
  cases++;
  watched.plan(plan);
  try {
    const answer = await client.send(request);
    expectHonest([answer], plan);
    if (isFinal(answer)) expect(timeless(answer)).toEqual(timeless(undisturbed));
    return [];
  } catch (error) {
    return [`${request.path}: ${plan.name}: ${(error as Error).message}`];
  } finally {
    await watched.settled();
  }
};

/** The request, and that of the second page where there is any. */
const pagesOf = async ({ client }: Setting, request: Request): Promise<Request[]> => {
  const { next_cursor, has_more, last_sequence } = (await client.send(request)).body;
  const separator = request.path?.includes('?') ? '&' : '?';
  const next = next_cursor
    ? `${request.path}${separator}cursor=${next_cursor}`
    : request.path?.replace(/after=\d+/, `after=${last_sequence}`);
  return (next_cursor ?? has_more) ? [request, { ...request, path: next ?? '' }] : [request];
};

const eachReading = async (setting: Setting, way: Way): Promise<string[]> => {
  const failures: string[] = [];
  for (const request of await pagesOf(setting, await way.request(setting))) {
    setting.watched.plan(undefined);
    const undisturbed = await setting.client.send(request);
    expect(undisturbed.status).toBe(200);
    for (const plan of shortPlans([...setting.watched.requests])) {
      failures.push(...(await failuresOfReading(setting, request, plan, undisturbed)));
    }
  }
  return failures;
};

test.concurrent.each([...Map.groupBy(reads, ({ id }) => id)])(
  '%s after any fault answers what is so, or that it can’t',
  async (id, ways) => {
    const setting = await settings.make({ functionId: id });
    await settings.fill(setting);
    for (const way of ways) expect(await eachReading(setting, way), way.name).toEqual([]);
    settings.end(setting);
  },
  120_000,
);

// Requests for the catalogue do not say whose they are: nothing else may be under way.
test('putPlan and listPlans after any fault are done once and whole, or say that they can’t', async () => {
  const catalogue = ['PLANS'];
  expect(await inSequence(putPlan, shortPlans, catalogue)).toEqual([]);
  const setting = await settings.make({ functionId: 'listPlans', marks: catalogue });
  expect(await eachReading(setting, listPlans)).toEqual([]);
  settings.end(setting);
}, 120_000);

test('a write that is carried out after the function gave up, or is refused as long as it has, is done once', async () => {
  const failures = await eachOf(writes, async (of) => {
    const undisturbed = await write(of);
    const all = longPlans(undisturbed.calls).map((plan) => failuresOf(of, undisturbed, plan));
    return (await Promise.all(all)).flat().map((failure) => `${of.name}: ${failure}`);
  });
  expect(failures).toEqual([]);
}, 600_000);

/** Eight at once: of more, some would take too long on a machine with two cores. */
const eachOf = async <T>(all: readonly T[], work: (one: T) => Promise<string[]>) => {
  const failures: string[] = [];
  for (let from = 0; from < all.length; from += 8) {
    failures.push(...(await Promise.all(all.slice(from, from + 8).map(work))).flat());
  }
  return failures;
};

const longReading = async (way: Way, plan: Plan): Promise<string[]> => {
  const setting = await settings.make({ functionId: way.id });
  const request = await way.request(setting);
  // Many functions start at once here: one that answers too late is asked again.
  const undisturbed = (await setting.client.insist(request)).at(-1)!;
  const failures = await failuresOfReading(setting, request, plan, undisturbed);
  settings.end(setting);
  return failures;
};

test('a read that takes longer than the function has says so', async () => {
  // Each reads the membership and one thing more.
  const plans = longPlans(['GetItem', 'Query']);
  const firsts = [...Map.groupBy(reads, ({ id }) => id).values()].map(([first]) => first!);
  const all = firsts.flatMap((way) => plans.map((plan) => ({ way, plan })));
  expect(await eachOf(all, ({ way, plan }) => longReading(way, plan))).toEqual([]);
}, 600_000);
