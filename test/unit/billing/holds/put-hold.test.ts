import { expect, test } from 'vitest';
import { apply, failure, spend, withStars } from '../in-process-wallet.ts';
import { captured, held, named, released } from './in-process-holds.ts';

// What a hold answers and refuses: test/api/billing/put-hold.test.ts.

test('a hold has an id that no other hold and no event has', async () => {
  const organization = await withStars(0, 100);
  const one = named(organization);
  await held(one, 10);
  const event = spend(organization, 1);
  await apply(event);
  const ofEvent = named(organization, event.event_id);
  for (const [path, other] of [
    ['hold_id', () => held(one, 11)],
    ['hold_id', () => held(one, 10, 601)],
    ['hold_id', () => held(ofEvent, 1)],
    ['event_id', () => apply(spend(organization, 10, { event_id: one.hold_id }))],
  ] as const) {
    const refused = { code: 'event_id_reused', details: [{ path }] };
    expect(await failure(other())).toMatchObject(refused);
  }
  for (const end of [() => captured(ofEvent), () => released(named(organization))]) {
    expect((await failure(end()))?.code).toBe('not_found');
  }
});
