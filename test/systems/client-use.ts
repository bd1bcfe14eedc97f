import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Where the client is to act, and as whom. */
export interface Service {
  baseUrl: string;
  organization: string;
  pipeline: string;
  token: string;
}

const script = `
  import { createClient } from '@leads-and-stars/client';
  const { BASE_URL: baseUrl, ORGANIZATION: organizationId, LEADS_TOKEN: token } = process.env;
  const crm = createClient({ baseUrl, organizationId, token });
  const query = { email: 'ana@example.com' };
  for await (const { contact_name } of crm.items('/leads', { query })) console.log(contact_name);`;

/** Has a Node.js use the client that is installed in a directory, and its command line. Throws where one does not work. */
export const useClient = async (
  node: string,
  directory: string,
  { baseUrl, organization, pipeline, token }: Service,
): Promise<void> => {
  const env = { LEADS_TOKEN: token, BASE_URL: baseUrl, ORGANIZATION: organization };
  const run = async (...args: string[]): Promise<string> => {
    const { stdout, stderr } = await promisify(execFile)(node, args, { cwd: directory, env });
    assert.doesNotMatch(stderr, /Warning/);
    return stdout;
  };
  const place = join(directory, 'node_modules/@leads-and-stars/client');
  const { bin } = JSON.parse(await readFile(join(place, 'package.json'), 'utf8'));
  const leads = (...args: string[]) => run(join(place, bin.leads), ...args);
  assert.match(await leads('--help'), /^Usage: leads /);
  const where = ['--base-url', baseUrl, '--organization', organization];
  await writeFile(join(directory, 'leads.csv'), 'contact_name,email\nAna,ana@example.com\nRui,x\n');
  const imported = await leads('import', 'leads.csv', '--pipeline', pipeline, ...where);
  assert.match(
    imported,
    /^2 rows, 2 created, 0 updated, 0 unchanged, 0 refused\n1 value was left out/,
  );
  assert.match(await leads('export', ...where), /^\ufeffid,.*\n(.*\n)*[^\n]*,Ana,/);
  await writeFile(join(directory, 'script.mjs'), script);
  assert.equal(await run('script.mjs'), 'Ana\n');
};
