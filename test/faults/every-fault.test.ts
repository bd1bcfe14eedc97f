import assert from 'node:assert/strict';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { atMost } from '../support/at-most.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import type { Plan } from '../support/faults/watched-requests.ts';
import { prepared } from '../support/prepared.ts';
import { seed } from '../support/random.ts';
import { quick, some } from '../support/some.ts';
import { type Answer, isFinal, type Request } from './client.ts';
import {
  listPlans,
  main,
  putPlan,
  reads,
  tagsOf,
  typical,
  type Way,
  writes,
} from './operations.ts';
import { longPlans, oneOfEachKind, pairPlans, shortPlans } from './plans.ts';
import { type Setting, type SettingOptions, Settings } from './setting.ts';

// Every fault at one of the requests that a function makes to DynamoDB, by chance; with FAULTS=all at each of them. In
// `npm test`, one way of each typical write and of some reads, and one fault, or two where it leads to the others' writes.

const everywhere = process.env.FAULTS === 'all';
const chosen = (plans: Plan[], of: Way) =>
  everywhere ? plans : some(oneOfEachKind(plans, seed), main.has(of) ? 2 : 1, of.name);

let shared: FaultyService;
let apart: FaultyService;
/** In a service whose functions share processes, and in one where each can be killed alone. */
let settings: { shared: Settings; apart: Settings };
let cases = 0;

beforeAll(async () => {
  const options = { environmentsPerFunction: 4 };
  shared = await startFaultyService(await prepared(), { ...options, sharesProcesses: true });
  apart = await startFaultyService(await prepared(), options);
  settings = { shared: new Settings(shared), apart: new Settings(apart) };
});

const settingsFor = (plan: Plan | undefined): Settings =>
  plan?.kills || plan?.isLong ? settings.apart : settings.shared;

afterAll(async () => {
  console.info(`${cases} cases of faults (SEED=${seed})`);
  await Promise.all([shared?.close(), apart?.close()]);
});

/** What a client that insists gets to hear, and what is stored then. */
const write = async (of: Way, plan?: Plan, marks: string[] = []) => {
  const provisioned = of.id !== 'putOrganization';
  const settings = settingsFor(plan);
  const setting = await settings.make({ provisioned, marks });
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

/** What is put under an id of its own is 201, and 200 for a repeat. */
const putOnce = /^(put(Spend|Hold|Event|Organization|Plan)|createSpends)$/;

const outcome = ({ id }: Way, { status, body }: Answer) => {
  const all = [status, ...(body?.items ?? []).map(({ status }: Answer) => status)];
  return putOnce.test(id) ? all.map((one) => (one === 200 ? 201 : one)) : all;
};

type Undisturbed = Awaited<ReturnType<typeof write>>;

/** A hold is extended from the moment of each try: one entry of that is compared, whatever its number. */
const comparable = ({ id }: Way, state: Undisturbed['state']): object => {
  if (id !== 'updateHold') return state;
  const isExtension = ({ type }: { type?: unknown }) => type === 'hold.extended';
  const first = state.ledger.findIndex(isExtension);
  return {
    ...state,
    wallet: state.wallet.map((wallet) => ({ ...wallet, version: undefined })),
    ledger: state.ledger.filter((entry, i) => i === first || !isExtension(entry)),
  };
};

/** Counts a case, and says what fails in it. */
const failuresIn = async (name: string, work: () => Promise<void>): Promise<string[]> => {
  cases++;
  try {
    await work();
    return [];
  } catch (error) {
    return [`${name}: ${(error as Error).message}`];
  }
};

const failuresOf = (
  of: Way,
  undisturbed: Undisturbed,
  plan: Plan,
  marks?: string[],
): Promise<string[]> =>
  failuresIn(plan.name, async () => {
    const { answers, state } = await write(of, plan, marks);
    expectHonest(answers, plan);
    const final = answers.at(-1)!;
    // Removing a member has no key: a repeat finds nobody to remove.
    const removed = of.id === 'deleteMember' && answers.length > 1 && final.status === 404;
    // Erasing says whether it found anything: a repeat may find nothing left.
    const erased = of.id === 'eraseLead' && answers.length > 1 && final.status === 204;
    if (!removed && !erased)
      expect(outcome(of, final)).toEqual(outcome(of, undisturbed.answers.at(-1)!));
    // Its message says what differs.
    assert.deepEqual(comparable(of, state), comparable(of, undisturbed.state));
  });

/** A case waits most of its time. Of more at once, some would take too long on a machine with two cores. */
const inTurn = atMost(8);
/** Those that take as long as a function has do nothing meanwhile. */
const inLongTurn = atMost(24);

const atOnce = async <T>(
  all: readonly T[],
  work: (one: T) => Promise<string[]>,
  turn: ReturnType<typeof atMost> = inTurn,
) => (await Promise.all(all.map((one) => turn(() => work(one))))).flat();

/** What fails after each of the faults. */
const afterEach = async (
  of: Way,
  plansFor: (calls: readonly string[]) => Plan[],
  turn = inTurn,
) => {
  const undisturbed = await inTurn(() => write(of));
  const plans = chosen(plansFor(undisturbed.calls), of);
  return atOnce(plans, (plan) => failuresOf(of, undisturbed, plan), turn);
};

/** For each operation of these ways. */
const forEach = (
  ways: readonly Way[],
  title: string,
  check: (id: string, ways: Way[]) => Promise<void>,
): void => {
  for (const [id, own] of Map.groupBy(ways, ({ id }) => id)) {
    test.concurrent(`${id} ${title}`, { tags: tagsOf(id) }, () => check(id, own));
  }
};

/** Without its time, which is another at each reading. */
const timeless = ({ status, body }: Answer) => ({ status, ...body, as_of: undefined });

const failuresOfReading = async (
  { client, watched }: Setting,
  request: Request,
  plan: Plan,
  undisturbed: Answer,
): Promise<string[]> => {
  watched.plan(plan);
  const failures = await failuresIn(`${request.path}: ${plan.name}`, async () => {
    const answer = await client.send(request);
    expectHonest([answer], plan);
    if (isFinal(answer)) expect(timeless(answer)).toEqual(timeless(undisturbed));
  });
  await watched.settled();
  return failures;
};

/** What is answered without faults. Many functions start at once here: one that answers too late is asked again. */
const undisturbedReading = async ({ client }: Setting, request: Request): Promise<Answer> => {
  const answer = (await client.insist(request)).at(-1)!;
  expect(answer.status).toBe(200);
  return answer;
};

/** The request, and that of the second page where there is any. */
const pagesOf = async (setting: Setting, request: Request): Promise<Request[]> => {
  const { next_cursor, has_more, last_sequence } = (await undisturbedReading(setting, request))
    .body;
  const separator = request.path?.includes('?') ? '&' : '?';
  const next = next_cursor
    ? `${request.path}${separator}cursor=${next_cursor}`
    : request.path?.replace(/after=\d+/, `after=${last_sequence}`);
  return (next_cursor ?? has_more) ? [request, { ...request, path: next ?? '' }] : [request];
};

/** What fails after each of the faults that kill, or after each other one, and whether some of both kill. */
const eachReading = async (setting: Setting, way: Way, kills: boolean) => {
  const failures: string[] = [];
  let someKill = false;
  setting.watched.plan(undefined);
  for (const request of await pagesOf(setting, await way.request(setting))) {
    setting.watched.plan(undefined);
    const undisturbed = await undisturbedReading(setting, request);
    const plans = chosen(shortPlans([...setting.watched.requests]), way);
    someKill ||= plans.some((one) => one.kills);
    for (const plan of plans.filter((one) => Boolean(one.kills) === kills)) {
      failures.push(...(await failuresOfReading(setting, request, plan, undisturbed)));
    }
  }
  return { failures, someKill };
};

const failuresOfReadings = async (ways: readonly Way[], options: SettingOptions) => {
  const inService = async (of: Settings, kills: boolean) => {
    const setting = await of.make(options);
    await of.fill(setting);
    const all = [];
    for (const way of ways) all.push(await eachReading(setting, way, kills));
    of.end(setting);
    return all;
  };
  const all = await inService(settings.shared, false);
  if (all.some(({ someKill }) => someKill)) all.push(...(await inService(settings.apart, true)));
  return all.flatMap(({ failures }) => failures);
};

// These wait for what is late: they come first.
test.concurrent('a write that is carried out after the function gave up, or is refused as long as it has, is done once', async () => {
  const all = some(writes, 1, 'late writes').map(async (of) => {
    expect(await afterEach(of, longPlans, inLongTurn), of.name).toEqual([]);
  });
  await Promise.all(all);
});

const longReading = async (way: Way, plan: Plan): Promise<string[]> => {
  const setting = await settings.apart.make({ apart: true });
  const request = await way.request(setting);
  const undisturbed = await undisturbedReading(setting, request);
  const failures = await failuresOfReading(setting, request, plan, undisturbed);
  settings.apart.end(setting);
  return failures;
};

test.concurrent('a read that takes longer than the function has says so', async () => {
  // Each reads the membership and one thing more.
  const plans = longPlans(['GetItem', 'Query']);
  const firsts = [...Map.groupBy(reads, ({ id }) => id).values()].map(([first]) => first!);
  const all = some(firsts, 1, 'late reads').flatMap((way) =>
    some(plans, 2, 'late').map((plan) => ({ way, plan })),
  );
  expect(await atOnce(all, ({ way, plan }) => longReading(way, plan), inLongTurn)).toEqual([]);
});

forEach(writes, 'repeated after any fault has been done once and whole', async (id, ways) => {
  for (const of of some(ways, 1, id)) {
    expect(await afterEach(of, shortPlans), of.name).toEqual([]);
    if (main.has(of)) expect(await afterEach(of, pairPlans), of.name).toEqual([]);
  }
});

/** Without those that are left out of `npm test`, where all read alike. */
const tried = (): Way[] => {
  if (!quick) return reads;
  const ids = reads.map(({ id }) => id).filter((id) => typical.has(id));
  const chosen = some([...new Set(ids)], 6, 'reads');
  return reads.filter(({ id }) => chosen.includes(id));
};

forEach(tried(), 'after any fault answers what is so, or that it can’t', async (id, ways) => {
  expect(await failuresOfReadings(some(ways, 1, id), { apart: true })).toEqual([]);
});

// Requests for the catalogue do not say whose they are: nothing else may be under way.
test('putPlan and listPlans after any fault are done once and whole, or say that they can’t', async () => {
  const catalogue = ['PLANS'];
  const undisturbed = await write(putPlan, undefined, catalogue);
  for (const plan of chosen(shortPlans(undisturbed.calls), putPlan)) {
    expect(await failuresOf(putPlan, undisturbed, plan, catalogue)).toEqual([]);
  }
  expect(await failuresOfReadings([listPlans], { marks: catalogue })).toEqual([]);
});
