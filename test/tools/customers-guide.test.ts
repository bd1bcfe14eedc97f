import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { call } from '../support/api.ts';
import { callAsPlatform, putOrganization } from '../support/organization.ts';
import { sign } from '../support/tokens.ts';
import { Admin, expectFailure } from './admin/admin.ts';

// The commands of docs/customers.md, as they are there and in their order.

const admin = new Admin();
const page = readFileSync(join(import.meta.dirname, '../../docs/customers.md'), 'utf8');

/** The arguments of a command line, as a shell takes it apart. */
const argumentsIn = (line: string, variables: Record<string, string>): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)]
    .map(([, quoted, plain]) => quoted ?? plain ?? '')
    .map((word) => word.replace(/\$(\w+)/g, (_, name: string) => variables[name] ?? ''));

const commands = [...page.matchAll(/^npm run admin -- (.+)$/gm)].map(([, line]) => line!);

test('a customer lives as the page says, from sign-up to erasure', async () => {
  const [ID, USER_ID, COLLEAGUE] = [randomUUID(), randomUUID(), randomUUID()];
  const directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-customer-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const [, body = ''] = /-d '(\{.+\})'/.exec(page) ?? [];
  const input = JSON.parse(body.replace(`'"$USER_ID"'`, USER_ID));
  expect((await putOrganization(ID, input)).status).toBe(201);
  const ask = async (sub: string) => {
    const headers = { authorization: `Bearer ${await sign({ sub })}`, 'x-organization-id': ID };
    const answer = await call('GET', '/organization', { headers });
    return answer.body.error?.code ?? answer.body.name;
  };
  expect(commands.map((one) => one.split(' ').slice(0, 2).join(' '))).toEqual([
    ...['organization list', 'member organizations', 'organization show', 'organization rename'],
    ...['organization currency', 'member put', 'member remove'],
    ...['organization suspend', 'organization resume'],
    ...['organization export', 'organization erase'],
  ]);
  const seen: unknown[] = [];
  let owner = USER_ID;
  for (const line of commands) {
    const args = argumentsIn(line, { ID, USER_ID, COLLEAGUE }).map((one) =>
      one === 'cedro' && line.includes('export') ? join(directory, one) : one,
    );
    const isErasing = args[1] === 'erase';
    if (line.startsWith('member put')) {
      const early = await admin.run('member', 'remove', ID, USER_ID, '--yes');
      expectFailure(early, /keeps at least one owner/);
    }
    const { code, stderr } = await admin.run(...args, ...(isErasing ? ['--no-wait'] : []));
    expect([line, code, isErasing ? '' : stderr]).toEqual([line, 0, '']);
    if (line.startsWith('member remove')) {
      expect(await ask(USER_ID)).toBe('forbidden');
      owner = COLLEAGUE;
    }
    seen.push(await ask(owner));
  }
  const name = 'Cedro S.A.';
  expect(seen).toEqual([
    ...['Cedro Ltda', 'Cedro Ltda', 'Cedro Ltda', name, name, name, name],
    ...['organization_suspended', name, name, 'forbidden'],
  ]);
  expect(await readdir(join(directory, 'cedro'))).toContain('manifest.json');
  const again = await callAsPlatform('PUT', `/organizations/${ID}/suspension`, { suspended: true });
  expect(again.body.error.code).toBe('not_found');
});
