import { describe, expect, test } from 'vitest';
import {
  session,
  stripeEvent,
  subscribed,
  subscription,
  versions,
} from '../../support/stripe-events.ts';
import { read } from './read.ts';

const created = 1_700_000_000;

describe.each(versions)('of the API version %s', (version) => {
  const about = { version, created, id: 'evt_1' };
  const one = subscribed();

  /** The message for the organization `o`. */
  const statusOf = (...[type, status]: Parameters<typeof statusEvent>) => {
    const meaning = statusEvent(type, status);
    return meaning && 'status' in meaning ? meaning.status.messageFor('o') : undefined;
  };
  const statusEvent = (
    type: 'created' | 'updated' | 'paused' | 'resumed' | 'deleted',
    status: Parameters<typeof subscription>[2],
  ) => read(`customer.subscription.${type}`, subscription(one, version, status), about);

  test.each(['trialing', 'active', 'past_due', 'unpaid', 'paused'] as const)(
    'one that is %s says so, and no more',
    (status) => {
      for (const type of ['created', 'updated', 'paused', 'resumed'] as const) {
        expect(statusOf(type, status)).toEqual({
          type: 'subscription.changed',
          organization_id: 'o',
          event_id: 'stripe:evt_1',
          subscription_id: one.id,
          status,
          occurred_at: '2023-11-14T22:13:20.000Z',
        });
      }
    },
  );

  test('its end cancels it, by either event', () => {
    const canceled = {
      type: 'subscription.canceled',
      organization_id: 'o',
      event_id: 'stripe:evt_1',
      subscription_id: one.id,
      occurred_at: '2023-11-14T22:13:20.000Z',
    };
    expect(statusOf('deleted', 'canceled')).toEqual(canceled);
    expect(statusOf('updated', 'canceled')).toEqual(canceled);
    expect(statusOf('deleted', 'active')).toEqual(canceled);
  });

  test.each(['incomplete', 'incomplete_expired'] as const)(
    'one that is %s never started',
    (status) => {
      for (const type of ['created', 'updated', 'deleted'] as const) {
        expect(statusEvent(type, status)).toBeUndefined();
      }
    },
  );
});

test('a Checkout of a subscription says nothing that its invoice does not', () => {
  const one = session({ mode: 'subscription', subscription: 'sub_1' });
  expect(stripeEvent('checkout.session.completed', one).data.object).toBe(one);
  expect(read('checkout.session.completed', one)).toBeUndefined();
});
