import type { BusEvent } from '@leads-and-stars/runner';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import { prepared } from '../support/prepared.ts';
import { chance, random, seed } from '../support/random.ts';
import { type Setting, Settings } from './setting.ts';

// By stream, function and bus of the runner. What the bus takes is in order, though it may have some of it twice.

let faulty: FaultyService;
let settings: Settings;
let setting: Setting;
const events: BusEvent[] = [];
/** What the bus does with the next event: a code refuses it, an error fails its whole request. */
let onBus: (event: BusEvent) => string | undefined = () => undefined;

beforeAll(async () => {
  faulty = await startFaultyService(await prepared(), {
    onEvent: (event) => {
      const code = onBus(event);
      if (code === undefined) events.push(event);
      return code;
    },
  });
  settings = new Settings(faulty);
});
beforeEach(async () => {
  setting = await settings.make();
});
afterEach(() => {
  onBus = () => undefined;
  settings.end(setting);
});
afterAll(() => faulty?.close());

const updateLead = (leadId: string, value_cents: number) =>
  setting.client.insist({ id: 'updateLead', path: `/leads/${leadId}`, body: { value_cents } });

const spend = (place: number) =>
  setting.client.insist({ id: 'putSpend', path: `/billing/spends/${place}`, body: { stars: 1 } });

const newLead = async (name: string): Promise<string> => {
  const body = { contact_name: name, pipeline_id: setting.pipelineId };
  const answers = await setting.client.insist({ id: 'createLead', path: '/leads', body });
  return answers.at(-1)!.body.id;
};

/** The versions in the order in which the bus took them, each once. */
const versionsOf = (is: (detail: BusEvent['detail']) => boolean): number[] => {
  const sent = events.filter(({ detail }) => detail.organization_id === setting.id && is(detail));
  return [...new Set(sent.map(({ detail }) => detail.version as number))];
};
const ofLead = (leadId: string) => () => versionsOf(({ lead_id }) => lead_id === leadId);
const ofWallet = () => versionsOf(({ type }) => type === 'wallet.changed');

const upTo = (version: number) => Array.from({ length: version }, (_, i) => i + 1);

const until = (versions: () => number[], last: number) =>
  eventually(versions, (all) => all.includes(last));

test('every change is sent, in its order, though the bus refuses some for a while, some requests fail, and who publishes is killed amid all that', async () => {
  console.info(`SEED=${seed}`);
  const next = random(seed);
  const counts = { refused: 0, failed: 0, killed: 0, taken: 0 };
  onBus = () => {
    // Once of each, at least.
    if (counts.refused === 0 || chance(next, 0.2)) {
      counts.refused++;
      return chance(next, 0.5) ? 'ThrottlingException' : 'InternalFailure';
    }
    if (counts.failed === 0 || chance(next, 0.1)) {
      counts.failed++;
      throw new Error('the bus fails');
    }
    counts.taken++;
    return undefined;
  };
  const leads = [setting.leadId, ...(await Promise.all(['b', 'c', 'd'].map(newLead)))];
  // Of ten that wait, all would go at once, and one that is refused comes after others.
  const rounds = 12;
  for (let round = 1; round <= rounds; round++) {
    const killed = round % 3 === 0 ? faulty.kill('publishChanges') : undefined;
    await Promise.all([...leads.map((lead) => updateLead(lead, round)), spend(round)]);
    await killed;
    if (killed) counts.killed++;
  }
  for (const lead of leads) expect(await until(ofLead(lead), rounds + 1)).toEqual(upTo(rounds + 1));
  expect(await until(ofWallet, rounds + 1)).toEqual(upTo(rounds + 1));
  console.info(JSON.stringify(counts));
  expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
});

test('while those of one lead are refused for a while, those of others go; then they go, in their order', async () => {
  let refused = 0;
  let open = false;
  onBus = ({ detail }) => {
    if (detail.lead_id !== setting.leadId || open) return undefined;
    refused++;
    return 'ThrottlingException';
  };
  for (let value_cents = 1; value_cents <= 5; value_cents++) {
    await updateLead(setting.leadId, value_cents);
  }
  const other = await newLead('b');
  await updateLead(other, 1);
  expect(await until(ofLead(other), 2)).toEqual(upTo(2));
  await eventually(
    () => refused,
    (count) => count > 5,
  );
  expect(ofLead(setting.leadId)()).toEqual([]);
  open = true;
  expect(await until(ofLead(setting.leadId), 6)).toEqual(upTo(6));
});

test('one that the bus refuses for itself is set aside, and what follows goes', async () => {
  let asked = 0;
  onBus = ({ detail }) => {
    if (detail.lead_id !== setting.leadId || detail.version !== 2) return undefined;
    asked++;
    return 'MalformedDetail';
  };
  for (const value_cents of [1, 2]) await updateLead(setting.leadId, value_cents);
  expect(await until(ofLead(setting.leadId), 3)).toEqual([1, 3]);
  const lines = (await faulty.takeLog()).split('\n');
  const aside = lines
    .filter((line) => line.includes('EventsOutUndelivered') && line.includes(setting.leadId))
    .map((line) => JSON.parse(JSON.parse(line).message.body));
  // At least once, as all is that the stream gives.
  expect(aside.length).toBe(asked);
  expect(aside[0]).toMatchObject({ why: 'MalformedDetail', organization_id: setting.id });
  expect(aside[0].pk).toBe(`HISTORY#${setting.id}#${setting.leadId}`);
  expect(Number(aside[0].sk)).toBe(2);
});
