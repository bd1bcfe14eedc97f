import { describe, expect, test } from 'vitest';
import * as z from 'zod/mini';
import { change, toTold } from '../../../lib/changes/change.ts';
import { assertInFeed, feedIdOf } from '../../../lib/changes/feed.ts';
import { feedPositionOf, toOutgoingEvent } from '../../../lib/changes/outgoing-event.ts';
import { historyKey, ledgerEntryKey, noteChangeKey, noticeKey } from '../../support/keys.ts';

// How each item of the outbox is told.

const request = 'request-1';
const [organization, lead, note, user] = [
  '0cb252aa-aeea-5e6d-91d6-71543bd1ece2',
  '01a1fc01-04c2-7516-b29c-4d6e78ac2694',
  '01a1fc01-04c2-7516-b29c-4d6e78ac2695',
  '01a1fc01-04c2-7516-b29c-4d6e78ac2696',
];
const numbered = {
  feed: '5d1b7c0a-9c36-5f0e-8a52-6b1f7e2d4c90',
  sequence: 7,
  version: 3,
  at: '2026-11-21T02:48:07.618Z',
};
const told = {
  event_id: expect.any(String),
  sequence: 7,
  feed_id: numbered.feed,
  at: numbered.at,
  organization_id: organization,
  user_id: user,
  request_id: request,
  version: 3,
};

const history = (fields: object = {}) => ({
  ...historyKey(organization, lead, 3),
  ...numbered,
  type: 'lead.updated',
  user_id: user,
  request_id: request,
  changes: [{ field: 'value_cents', from: 1, to: 2 }],
  ...fields,
});
const noteItem = (fields: object = {}) => ({
  ...noteChangeKey(organization, lead, note, 3),
  ...numbered,
  type: 'note.updated',
  user_id: user,
  request_id: request,
  ...fields,
});
const ledger = (fields: object = {}) => ({
  ...ledgerEntryKey(organization, 3),
  ...numbered,
  type: 'stars.spent',
  event_id: 'spend-1',
  pack_change: -2,
  pack_after: 8,
  wallet: {},
  ...fields,
});
const notice = (fields: object) => ({ ...noticeKey(organization, 3, 0), ...numbered, ...fields });

/** As the schema takes it, which knows no other fields. */
const toldOf = (item: object) => z.parse(change, toTold({ ...item }).change);

test('a change of a lead has its changes', () => {
  const changes = [{ field: 'value_cents', from: 1, to: 2 }];
  const all = { ...told, type: 'lead.updated', lead_id: lead, changes };
  expect(toldOf(history())).toEqual(all);
});

test.each([
  ['lead.merged', { merged_from: note }],
  ['lead.merged', { merged_into: note }],
  ['lead.erased', { erased: true }],
])('a change of type %s tells %j', (type, fields) => {
  const lines = { changes: [], lead_id: lead };
  expect(toldOf(history({ type, changes: [], ...fields }))).toEqual({
    ...told,
    ...lines,
    type,
    ...fields,
  });
});

test('a change of a note has its text, and none once it is deleted or erased', () => {
  const of = { ...told, lead_id: lead, note_id: note, type: 'note.updated' };
  expect(toldOf(noteItem({ text: 'Called' }))).toEqual({ ...of, text: 'Called' });
  expect(toldOf(noteItem())).toEqual({ ...of, text: null });
  expect(toldOf(noteItem({ erased: true }))).toEqual({ ...of, text: null, erased: true });
});

test('a change of a wallet has the ledger’s entry but its version and time, which the change has', () => {
  const { entry, ...rest } = toldOf(ledger()) as { entry: object };
  expect(rest).toEqual({ ...told, user_id: null, request_id: null, type: 'wallet.changed' });
  expect(entry).toMatchObject({ type: 'stars.spent', event_id: 'spend-1', pack_change: -2 });
  expect(entry).not.toHaveProperty('version');
  expect(entry).not.toHaveProperty('at');
});

test('a notice says which threshold was reached, or that all is spent', () => {
  const of = { ...told, user_id: null, request_id: null };
  const low = { type: 'stars.low', threshold: 100, available_stars: 90 };
  expect(toldOf(notice(low))).toEqual({ ...of, ...low });
  const depleted = { type: 'stars.depleted' };
  expect(toldOf(notice({ ...depleted, available_stars: 0 }))).toEqual({ ...of, ...depleted });
});

test.each([
  ['a lead’s entry', history(), { changes: undefined }],
  ['a lead’s entry', history(), { type: 'note.updated' }],
  ['a note’s entry', noteItem(), { type: 'lead.updated' }],
  ['a ledger’s entry', ledger(), { at: undefined }],
  ['a notice', notice({ type: 'stars.depleted' }), { type: 'stars.low' }],
  ['anything', history(), { feed: undefined }],
])('%s is told where it is whole, and not with %s', (_what, item, wrong) => {
  expect(() => toTold(item)).not.toThrow();
  expect(() => toTold({ ...item, ...wrong })).toThrow();
});

describe('an event’s id', () => {
  const idOf = (item: object) => toTold({ ...item }).change.event_id;

  test('is the same wherever the change is told, and however it is numbered', () => {
    expect(idOf(history({ feed: note, sequence: 1, changes: [] }))).toBe(idOf(history()));
    expect(idOf(ledger({ event_id: 'other' }))).toBe(idOf(ledger()));
  });

  test('is another one for another place, type or time', () => {
    const ids = [
      history(),
      history(historyKey(organization, lead, 4)),
      history(historyKey(organization, note, 3)),
      history({ type: 'lead.created' }),
      history({ at: '2026-11-21T02:48:07.619Z' }),
      ledger(),
    ].map(idOf);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('on its way to the bus, a change', () => {
  test('is an event of its type, with all that is told', () => {
    const { entry } = toOutgoingEvent(history());
    expect(entry).toMatchObject({ Source: 'leads-and-stars', DetailType: 'lead.updated' });
    expect(JSON.parse(entry!.Detail)).toEqual(toTold(history()).change);
  });

  test('follows what happened before to its lead, or to the organization’s wallet', () => {
    const laneOf = (item: object) => toOutgoingEvent({ ...item }).lane;
    expect(laneOf(noteItem())).toBe(laneOf(history()));
    expect(laneOf(notice({ type: 'stars.depleted' }))).toBe(laneOf(ledger()));
    const lanes = [history(), history(historyKey(organization, note, 3)), ledger()].map(laneOf);
    expect(new Set(lanes).size).toBe(3);
  });

  test('that can’t be described has no entry, and is found by its place', () => {
    const { sequence: _, ...item } = history();
    const event = toOutgoingEvent(item);
    expect(event).toMatchObject({ lane: item.pk, entry: undefined, bytes: 0 });
    expect(feedPositionOf(toOutgoingEvent(history()))).toEqual({
      organization_id: organization,
      feed_id: numbered.feed,
      sequence: 7,
      ...historyKey(organization, lead, 3),
    });
    expect(feedPositionOf(toOutgoingEvent({}))).toMatchObject({ organization_id: undefined });
  });
});

describe('a feed', () => {
  test('is one organization’s, in one table', () => {
    const ids = [feedIdOf('o', 't'), feedIdOf('p', 't'), feedIdOf('o', 'u')];
    expect([new Set(ids).size, feedIdOf('o', 't')]).toEqual([3, ids[0]]);
  });

  test('is read up to its last number, and an error beyond it names both', () => {
    expect(() => assertInFeed('o', 7, 7)).not.toThrow();
    expect(() => assertInFeed('o', 8, 7)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        details: [
          {
            path: 'after',
            message: 'must be at most 7, the number of the last change',
            last_sequence: 7,
            feed_id: feedIdOf('o'),
          },
        ],
      }),
    );
  });
});
