import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { callAsPlatform } from '../../support/organization.ts';
import { Admin, expectFailure } from './admin.ts';

const admin = new Admin();
const create = (...more: string[]) => admin.json('key', 'create', '--name', 'Billing', ...more);
const today = () => new Date().toISOString().slice(0, 10);

/** What a plan is answered with under the key. */
const putPlan = async (key: string): Promise<number> => {
  const plan = { name: 'P', monthly_grant_stars: 1, price_cents: 1, currency: 'USD' };
  return (await callAsPlatform('PUT', `/billing/plans/${randomUUID()}`, plan, key)).status;
};

test('a key is printed once, is good at once, and ends at once', async () => {
  const { key, ...made } = await create('--role', 'billing_system');
  expect(key).toMatch(/^lsp_\w{73}$/);
  expect(made).toMatchObject({ name: 'Billing', role: 'billing_system', expires_at: null });
  const shown = async () => {
    const ran = await admin.run('key', 'list');
    expect(ran.stdout).not.toContain(key);
    return JSON.parse(ran.stdout).find(({ id }: { id: string }) => id === made.id);
  };
  expect(await shown()).toEqual({ ...made, last_used_on: null });
  const before = today();
  expect(await putPlan(key)).toBe(201);
  expect([before, today()]).toContain((await shown()).last_used_on);
  expect(await admin.json('key', 'revoke', made.id.toUpperCase(), '--yes')).toEqual({
    id: made.id,
    revoked: true,
  });
  expect(await putPlan(key)).toBe(401);
  const { revoked_at } = await shown();
  expect(revoked_at).toMatch(/^\d{4}-/);
  await admin.json('key', 'revoke', made.id, '--yes');
  expect((await shown()).revoked_at).toBe(revoked_at);
});

test('a key may expire, but not have expired already', async () => {
  const expiring = (ms: number) => {
    const time = new Date(Date.now() + ms).toISOString();
    return ['--name', 'Billing', '--role', 'platform', '--expires-at', time];
  };
  const { key } = await admin.json('key', 'create', ...expiring(3_600_000));
  expect(await putPlan(key)).toBe(201);
  const past = await admin.run('key', 'create', ...expiring(-1));
  expectFailure(past, /must be in the future/);
});

test('what is wrong is told', async () => {
  const args = ['key', 'create', '--name', 'Billing', '--role'];
  expectFailure(await admin.run(...args, 'king'), /must be one of owner, .*billing_system/);
  const wrongTime = await admin.run(...args, 'platform', '--expires-at', 'tomorrow');
  expectFailure(wrongTime, /must be a time such as/);
  const id = randomUUID();
  expectFailure(
    await admin.run('key', 'revoke', id, '--yes'),
    new RegExp(`no platform key ${id}`),
    2,
  );
});
