import { expect, test } from 'vitest';
import { EventBus } from '../src/events-in/event-bus.ts';
import { State } from '../src/state/state.ts';
import type { Assembly } from '../src/template/assembly.ts';

const partner = 'aws.partner/a.example/source-1';
const queue = { logicalId: 'Queue' };

/** What the queue is sent, of an event on a bus that is named so. */
const sentBy = (EventBusName: string, DetailType = 'sold'): { sent: string[]; result: unknown } => {
  const sent: string[] = [];
  const queues = new Map([
    ['Queue', { send: (body: string) => String(sent.push(body)), lookAgain() {}, close() {} }],
  ]);
  const delivery = {
    bus: partner,
    pattern: { source: [partner], 'detail-type': ['sold', { prefix: 'v1.' }] },
    queue,
  };
  const assembly = { eventBuses: ['own', partner], eventDeliveries: [delivery] };
  const entry = { EventBusName, Source: partner, DetailType, Detail: '{"a":1}' };
  const bus = new EventBus(assembly as unknown as Assembly, queues, new State());
  return { sent, result: bus.putEvents({ Entries: [entry] })?.Entries[0] };
};

test.each([partner, `arn:aws:events:us-east-1:000000000000:event-bus/${partner}`])(
  'a partner’s bus is found by %s, and its events reach the queue of its rule',
  (name) => {
    const { sent } = sentBy(name);
    expect(sent.map((body) => JSON.parse(body))).toEqual([
      expect.objectContaining({ source: partner, 'detail-type': 'sold', detail: { a: 1 } }),
    ]);
  },
);

test.each(['source-1', 'a.example/source-1', 'arn:aws:events:us-east-1:1:event-bus/source-1'])(
  'the bus %s is another, and there is none',
  (name) => {
    const { sent, result } = sentBy(name);
    expect([sent, result]).toEqual([
      [],
      expect.objectContaining({ ErrorCode: 'ResourceNotFoundException' }),
    ]);
  },
);

test('an event reaches a queue if its type begins as the rule says', () => {
  expect(['v1.sold', 'v2.sold'].map((type) => sentBy(partner, type).sent.length)).toEqual([1, 0]);
});
