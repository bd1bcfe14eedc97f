import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toWrites } from '../../../lib/facts/transaction.ts';
import { createLeadWrites } from '../../../lib/leads/lead-writes.ts';
import { paceMs } from '../../../lib/organizations/pace.ts';
import { judge, millisecondsOf, weightOf } from '../../../lib/organizations/request-limit.ts';
import { expectedUnits } from '../../../lib/table/units.ts';
import { someOrigin } from '../../support/origin.ts';
import { seed } from '../../support/random.ts';
import { leadOf, pipelineOf } from '../leads/leads-in-process.ts';
import { type DearRequest, simulateDear } from './dear-requests-simulation.ts';

// One organization sends dear requests from many connections, beside others that send usual ones. What
// docs/reliability.md says of it is what this prints.

const seconds = 20;

/** The units that a new lead with every field takes, by the estimate of its transaction. */
const estimateLead = (charactersOfField: number): number => {
  const pipeline = pipelineOf({ unique_contact: ['email'] });
  const filterable = Array.from({ length: 10 }, (_, n) => `field_${n}`);
  const lead = leadOf(pipeline, {
    contact_name: 'Ana Maria Braga de Souza e Silva Lima',
    company_name: 'Padaria',
    email: 'ana@example.com',
    phone: '+5511987654321',
    external_id: 'crm-1',
    owner_id: randomUUID(),
    tags: Array.from({ length: 20 }, (_, n) => `tag ${n}`),
    value_cents: 1,
    next_step_at: '2026-12-01T13:00:00.000Z',
    fields: Object.fromEntries(filterable.map((key) => [key, 'x'.repeat(charactersOfField)])),
  });
  const writes = createLeadWrites({ organizationId: randomUUID() }, lead, pipeline, filterable);
  return expectedUnits(toWrites(writes, someOrigin));
};

const [lead, largestLead] = [estimateLead(300), estimateLead(790)];

const batchOf = (parts: number, expected: number, written = expected): DearRequest => ({
  parts,
  expected,
  written,
});

const requests: Record<string, DearRequest> = {
  'batches of 100 leads with every field': batchOf(100, lead),
  'batches that take three times what was estimated': batchOf(100, lead / 3, lead),
  'batches of 100 leads that take three times that': batchOf(100, lead, 3 * lead),
  'batches of 100 leads as large as they can be, with each field replaced': batchOf(
    100,
    2 * largestLead,
  ),
  'batches of 10 leads that take three times what was estimated': batchOf(10, lead / 3, lead),
  'batches that are just not counted before, and take half as much again': batchOf(10, 17, 26),
  'leads one by one': batchOf(1, lead),
  // Word items, then leads of 16 KB, as far as the read budget goes.
  'a viewer’s searches that match nothing': {
    reads: [
      [0, 60],
      [51, 60],
      [30, 120],
    ],
  },
  // Each of 4 units, and expected to be of one.
  'a viewer’s searches that find the largest leads': {
    reads: [
      [0, 1],
      [60, 239],
    ],
  },
  // Of many pipelines side by side, and in one partition.
  'a viewer’s lists that match nothing': {
    reads: [
      [0, 56],
      [128, 128],
      [56, 56],
    ],
  },
  // Entries of 4 KB, the most at first.
  'histories that match nothing': {
    reads: [
      [0, 200],
      [40, 40],
    ],
  },
};

/** What others see while so many connections send that. */
const run = (
  name: string,
  request: DearRequest | undefined,
  connections: number,
  isPolite: boolean,
) => {
  const seen = simulateDear(request && { request, connections, isPolite }, seconds, seed);
  const [p99, worst] = [seen.p99, seen.worst].map((ms) => ms.toFixed(0));
  console.log(
    `${connections} connections${isPolite ? ' that wait' : ''}, ${name}: of others p99 ${p99} ms, worst ${worst} ms, ` +
      `${seen.failed} failed; ${(seen.done / seconds).toFixed(2)}/s of its own done`,
  );
  return seen;
};

describe(`others notice nothing beside it (SEED=${seed})`, () => {
  test.each(Object.entries(requests))('%s', (name, request) => {
    for (const connections of [30, 100]) {
      // Such that wait as long as they are told, and such that send the next request at once.
      for (const isPolite of [true, false]) {
        const { p99, worst, failed, done } = run(name, request, connections, isPolite);
        expect([connections, isPolite, failed, done > 0]).toEqual([connections, isPolite, 0, true]);
        expect(p99).toBeLessThanOrEqual(500);
        expect(worst).toBeLessThanOrEqual(1000);
      }
    }
  });

  test('the control: there is something to notice where batches count at their end', () => {
    expect(run('nothing', undefined, 0, true).worst).toBeLessThan(50);
    const counted = { ...batchOf(100, lead), isCountedAtEnd: true };
    const { p99, failed } = run('batches that count at their end', counted, 30, true);
    expect(p99).toBeGreaterThan(1000);
    expect(failed).toBeGreaterThan(0);
  });
});

test('a dear batch keeps its organization out for as long as the docs say', () => {
  const secondsOf = (units: number) => {
    const clearAt = millisecondsOf(weightOf({ read: 0, written: units }), 50);
    return judge({ clearAt }, 0, 50).retryAfterSeconds;
  };
  console.log(
    `100 leads with every field take ${100 * lead} units, the largest, replaced, ${200 * largestLead}`,
  );
  expect([secondsOf(3200), secondsOf(31_000), secondsOf(130_000)]).toEqual([1, 14, 71]);
});

test('a batch goes as fast as it can up to 10,000 units, and then writes 20,000 a second', () => {
  expect([paceMs(10_000, 0, 0), paceMs(12_000, 0, 0), paceMs(12_000, 0, 60)]).toEqual([0, 100, 40]);
  expect(paceMs(12_000, 0, 100)).toBe(0);
});
