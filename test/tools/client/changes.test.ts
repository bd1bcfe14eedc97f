import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import {
  type Change,
  type ChangesOptions,
  createClient,
} from '../../../packages/client/src/index.ts';
import { ClientFaults } from '../../support/faults/client-faults.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import { feedStart, feedUntil } from '../../support/feed.ts';
import { type Organization, provision } from '../../support/organization.ts';

let organization: Organization;
let proxy: FaultProxy;
/** The numbers of the last change before the first lead, and of the first stars. */
let start: number;
let opening: number | undefined;
const faults = new ClientFaults();

beforeAll(async () => {
  [organization, proxy] = await Promise.all([
    provision({ wallet: { pack_stars: 7 } }),
    FaultProxy.start(inject('service').baseUrl, [faults.step]),
  ]);
  start = await feedStart(organization, { firstStars: true });
  await Promise.all(Array.from({ length: 4 }, () => organization.lead()));
  const feed = await feedUntil(organization, ({ sequence }) => sequence === start + 4);
  opening = feed.find(({ type }) => type === 'wallet.changed')?.sequence;
});
afterAll(() => proxy.close());

const client = () =>
  createClient({
    baseUrl: proxy.endpoint,
    organizationId: organization.id,
    token: organization.tokens.admin,
    retry: { firstDelayMs: 1 },
  });
const read = async (options?: ChangesOptions) => {
  const sequences: number[] = [];
  for await (const { sequence } of client().changes(options)) sequences.push(sequence);
  return sequences;
};

test('changes are all given, and then it stops, though answers are lost', async () => {
  faults.fates = ['is lost', 'loses its reply', 'loses half its reply', 503, 'passes'];
  expect(await read()).toEqual(Array.from({ length: start + 4 }, (_, i) => i + 1));
  expect(await read({ after: start + 2 })).toEqual([start + 3, start + 4]);
  expect(await read({ after: start + 4 })).toEqual([]);
  expect(await read({ types: ['wallet.changed', 'lead.deleted'] })).toEqual([opening]);
});

test('reading changes goes on where it is told to ask again, with what came meanwhile, until it is left', async () => {
  const seen: Change[] = [];
  for await (const change of client().changes({ after: start + 3, pollEvery: 10 })) {
    seen.push(change);
    if (seen.length === 1) await organization.lead();
    else break;
  }
  expect(seen.map(({ sequence }) => sequence)).toEqual([start + 4, start + 5]);
});

test('reading changes says that the numbers are of another feed', async () => {
  const [first] = await feedUntil(organization, () => true);
  const feedId = first?.feed_id;
  expect((await read({ after: 4, feedId })).length).toBeGreaterThan(0);
  const other = crypto.randomUUID();
  // Also where its last number is smaller than that of the feed before.
  for (const after of [4, 5000]) {
    await expect(read({ after, feedId: other })).rejects.toMatchObject({
      name: 'FeedChangedError',
      feedId,
    });
  }
  for (const given of [{ feedId }, {}]) {
    await expect(read({ after: 5000, ...given })).rejects.toMatchObject({
      name: 'ApiError',
      code: 'invalid_request',
      details: [{ path: 'after', feed_id: feedId }],
    });
  }
});
