import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { meter } from '../../../packages/client/examples/meter-a-job.ts';
import { type Client, createClient } from '../../../packages/client/src/index.ts';
import { balanceOf, capture, hold, openingWallet, release } from '../../support/billing.ts';
import { provision } from '../../support/organization.ts';

const { baseUrl } = inject('service');

/** An organization with ten stars, and a client of it. */
const withTenStars = async () => {
  const organization = await provision(openingWallet(0, 10));
  const { id: organizationId, tokens } = organization;
  return { organization, crm: createClient({ baseUrl, organizationId, token: tokens.meter }) };
};

test('spends what the job cost, once, though it runs again after it was killed', async () => {
  const { organization, crm } = await withTenStars();
  for (let run = 0; run < 2; run++) {
    expect(await meter(crm, 'job', 8, async () => 3)).toMatchObject({ captured_stars: 3 });
  }
  expect(await balanceOf(organization)).toMatchObject({ total_stars: 7, held_stars: 0 });
});

/** The client of a program that is killed at its call of that number, before it is sent or once it was answered. */
const killedAt = (crm: Client, number: number, isSent: boolean) => {
  const killed = Promise.withResolvers<'killed'>();
  let calls = 0;
  const die = (send: () => Promise<unknown>) => async () => {
    if (++calls !== number) return send();
    if (isSent) await send();
    killed.resolve('killed');
    return new Promise(() => {});
  };
  const wrap =
    (method: 'put' | 'get' | 'post') =>
    (...args: never[]) =>
      die(() => (crm[method] as (...args: never[]) => Promise<unknown>)(...args))();
  const dying = { put: wrap('put'), get: wrap('get'), post: wrap('post') } as unknown as Client;
  return { dying, killed: killed.promise };
};

/** Where a run ends: at a call, or in the job. */
const lines = [1, 2, 3].flatMap((number) =>
  [false, true].map((isSent) => [number, isSent] as const),
);

test.each(lines)(
  'a run that is killed at call %i, answered: %s, is done by a second one, whose price differs',
  async (number, isSent) => {
    const { organization, crm } = await withTenStars();
    const { dying, killed } = killedAt(crm, number, isSent);
    const first = vi.fn(async () => 3);
    expect(await Promise.race([meter(dying, 'job', 8, first), killed])).toBe('killed');
    const second = vi.fn(async () => 9);
    const isPaid = number === 3 && isSent;
    const cost = isPaid ? 3 : 9;
    expect(await meter(crm, 'job', 8, second)).toMatchObject({
      captured_stars: cost,
      missing_stars: 0,
    });
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([
      number === 3 ? 1 : 0,
      isPaid ? 0 : 1,
    ]);
    expect(await balanceOf(organization)).toMatchObject({ total_stars: 10 - cost, held_stars: 0 });
  },
);

test('a run that is killed in its job is done by a second one', async () => {
  const { organization, crm } = await withTenStars();
  const killed = Promise.withResolvers<void>();
  void meter(crm, 'job', 8, () => {
    killed.resolve();
    return new Promise(() => {});
  });
  await killed.promise;
  expect(await meter(crm, 'job', 8, async () => 4)).toMatchObject({ captured_stars: 4 });
  expect(await balanceOf(organization)).toMatchObject({ total_stars: 6, held_stars: 0 });
});

test('a job that costs more than was held takes what there is, and tells what is missing, at each call', async () => {
  const { organization, crm } = await withTenStars();
  const job = vi.fn(async () => 12);
  for (let run = 0; run < 2; run++) {
    const told = { captured_stars: 10, missing_stars: 2 };
    expect(await meter(crm, 'job', 8, job)).toMatchObject(told);
  }
  expect(job).toHaveBeenCalledTimes(1);
  expect(await balanceOf(organization)).toMatchObject({ total_stars: 0, held_stars: 0 });
});

test('does not run the job again once the hold has ended without it', async () => {
  const { organization, crm } = await withTenStars();
  const job = vi.fn(async () => 3);
  await hold(organization, 'gone', 8, { expires_in_seconds: 1 });
  await hold(organization, 'job', 2, { expires_in_seconds: 900 });
  await release(organization, 'job');
  await expect(meter(crm, 'job', 2, job)).rejects.toThrow('The hold is released');
  const expired = async () => {
    const { body } = await organization.get('/billing/holds/gone');
    expect(body.status).toBe('expired');
  };
  await vi.waitFor(expired, { timeout: 60_000, interval: 100 });
  const again = { ...crm, put: async () => ({}) } as unknown as Client;
  await expect(meter(again, 'gone', 8, job)).rejects.toThrow('The hold is expired');
  expect(job).not.toHaveBeenCalled();
});

test('tells why the job failed, also if its hold has ended meanwhile', async () => {
  const { organization, crm } = await withTenStars();
  const job = async () => {
    await capture(organization, 'job', 1);
    throw new Error('failed');
  };
  await expect(meter(crm, 'job', 8, job)).rejects.toThrow('failed');
});

test('spends nothing for a job that fails, costs nothing, or can’t be paid', async () => {
  const { organization, crm } = await withTenStars();
  const run = (most: number, job: () => Promise<number>) => meter(crm, randomUUID(), most, job);
  await expect(run(8, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
  expect(await run(8, async () => 0)).toMatchObject({ captured_stars: 0 });
  const job = vi.fn(async () => 1);
  await expect(run(11, job)).rejects.toMatchObject({
    code: 'insufficient_stars',
    details: [{ available_stars: 10 }],
  });
  expect(job).not.toHaveBeenCalled();
  expect(await balanceOf(organization)).toMatchObject({ total_stars: 10, held_stars: 0 });
});
