import { randomUUID } from 'node:crypto';
import { expect, inject, test, vi } from 'vitest';
import { meter } from '../../../packages/client/examples/meter-a-job.ts';
import { createClient } from '../../../packages/client/src/index.ts';
import { balanceOf, capture, hold, openingWallet } from '../../support/billing.ts';
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

test('does not run the job again once the hold has expired', async () => {
  const { organization, crm } = await withTenStars();
  const { body } = await hold(organization, 'job', 8, { expires_in_seconds: 900 });
  const job = vi.fn(async () => 3);
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(body.expires_at));
  try {
    await expect(meter(crm, 'job', 8, job)).rejects.toThrow('The hold has expired');
  } finally {
    clock.mockRestore();
  }
  expect(job).not.toHaveBeenCalled();
  expect(await meter(crm, 'job', 8, job)).toMatchObject({ captured_stars: 3 });
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
