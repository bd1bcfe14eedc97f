import type { BusEvent } from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type FaultyService, startFaultyService } from './faulty-service.ts';
import { Settings } from './setting.ts';

let faulty: FaultyService;
const events: BusEvent[] = [];

beforeAll(async () => {
  faulty = await startFaultyService({ onEvent: (event) => events.push(event) });
});

afterAll(() => faulty?.close());

test('every change is sent, in its order, though who describes it is killed again and again', async () => {
  const settings = new Settings(faulty);
  const setting = await settings.make();
  const { client, leadId, id } = setting;
  const changes = 25;
  let kills = 0;
  for (let value_cents = 1; value_cents <= changes; value_cents++) {
    const path = `/leads/${leadId}`;
    const killed = value_cents % 3 === 0 ? faulty.kill('describeEvents') : undefined;
    await client.insist({ id: 'updateLead', path, body: { value_cents } });
    await killed;
    if (killed) kills++;
  }
  console.info(`${kills} kills, ${changes} changes`);
  const versions = () =>
    events
      .filter(({ detail }) => detail.organization_id === id && detail.lead_id === leadId)
      .map(({ detail }) => detail.version as number);
  const sent = await eventually(versions, (all) => all.includes(changes + 1));
  // Some may be sent twice; the first time is in order.
  expect([...new Set(sent)]).toEqual(Array.from({ length: changes + 1 }, (_, i) => i + 1));
  settings.end(setting);
}, 60_000);
