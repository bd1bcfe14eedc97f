import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { handler as getBalance } from '../../../functions/billing/get-balance.ts';
import { handler as putSpend } from '../../../functions/billing/put-spend.ts';
import { internalLines } from '../../../infra/monitoring/api.ts';
import { refusedLines } from '../../../infra/monitoring/events.ts';
import { walletInvariantLines } from '../../../infra/monitoring/wallets.ts';
import { walletKind } from '../../../lib/billing/stored/wallet.ts';
import { ApiError } from '../../../lib/errors/errors.ts';
import { serve } from '../../../lib/handlers/http/serve.ts';
import { openTable } from '../../../lib/table/client.ts';
import { remove, update, withoutFact } from '../../../lib/table/write.ts';
import { matches } from '../../support/filter-pattern.ts';
import { echo, echoed } from '../echo.ts';
import { type Answer, Organization, run } from '../support.ts';

// The alarms' patterns, on the lines that functions write: Lambda puts each into `message`.

const counts = (pattern: string, { log }: Answer): boolean =>
  log.some(({ line }) => matches(pattern, { message: line }));

const spend = (organization: Organization) =>
  run(putSpend, {
    headers: organization.headers({ 'Content-Type': 'application/json' }),
    path: { event_id: randomUUID() },
    body: '{"stars":1}',
  });
const balance = (organization: Organization) =>
  run(getBalance, { headers: organization.headers() });

test('a mistake of ours is counted, and no mistake of a caller', async () => {
  const organization = await Organization.make();
  const failing = (error: Error) =>
    run(
      serve(
        echo({
          handle: () => {
            throw error;
          },
        }),
      ),
      echoed(organization),
    );
  expect(counts(internalLines, await failing(new TypeError('x is undefined')))).toBe(true);
  expect(counts(internalLines, await failing(new ApiError('not_found')))).toBe(false);
  expect(counts(internalLines, await failing(new ApiError('rate_limited')))).toBe(false);
});

test('a wallet that is missing is heard, whatever is asked of it', async () => {
  const organization = await Organization.make({ wallet: { pack_stars: 5 } });
  expect([(await balance(organization)).status, (await spend(organization)).status]).toEqual([
    200, 201,
  ]);
  const key = walletKind.key({ organizationId: organization.id });
  await openTable().transact([withoutFact(remove(key))]);
  for (const answer of [await balance(organization), await spend(organization)]) {
    expect(answer.status).toBe(500);
    expect(counts(walletInvariantLines, answer)).toBe(true);
  }
});

test('a wallet that is behind its ledger is heard, and one that others change is not', async () => {
  const organization = await Organization.make({ wallet: { pack_stars: 50 } });
  const all = await Promise.all(Array.from({ length: 5 }, () => spend(organization)));
  expect(all.map((answer) => counts(walletInvariantLines, answer))).toEqual(all.map(() => false));
  const key = walletKind.key({ organizationId: organization.id });
  // As after a restore: an entry came back, and the wallet of before it.
  await openTable().transact([withoutFact(update(key, { set: { version: 3 } }))]);
  const answer = await spend(organization);
  expect([answer.status, counts(walletInvariantLines, answer)]).toEqual([500, true]);
});

test.each([
  ['invalid_request', true],
  ['event_id_reused', true],
  ['insufficient_stars', true],
  ['internal', false],
  ['unavailable', false],
  ['write_conflict', false],
])('an event that ends in %s is for billing to mend: %s', (code, isRefused) => {
  expect(matches(refusedLines, { message: { code } })).toBe(isRefused);
});
