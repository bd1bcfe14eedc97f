import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { afterAll, expect, test } from 'vitest';
import { mostOfName, readDeployment } from '../../infra/deployment.ts';
import { OptionError } from '../../infra/options.ts';
import { serviceApp } from './synthesized.ts';

const directory = mkdtempSync(join(tmpdir(), 'deployments-'));
afterAll(() => rmSync(directory, { recursive: true }));
mkdirSync(join(directory, 'with-default'));
const write = (file: string, text: string) => writeFileSync(join(directory, file), text);
write('production.json', '{ "alarm_email": "ops@cedro.dev", "requests_per_second": 200 }');
write('mistyped.json', '{ "alarm_mail": "ops@cedro.dev" }');
write('broken.json', '{ "alarm_email": ');

const read = (context: Record<string, unknown> = {}, files = directory) =>
  readDeployment(new App({ context }), files);

test('a deployment has the options of its file, and a stack of its own name', () => {
  expect(read({ deployment: 'production' })).toEqual({
    stackName: 'LeadsAndStars-production',
    options: { alarm_email: 'ops@cedro.dev', requests_per_second: 200 },
  });
});

test('a bare command makes the default one, which needs no file and may have one', () => {
  expect(read()).toEqual({ stackName: 'LeadsAndStars', options: {} });
  expect(read({}, join(directory, 'none'))).toEqual({ stackName: 'LeadsAndStars', options: {} });
  write('with-default/default.json', '{ "alarm_email": "ops@cedro.dev" }');
  const files = join(directory, 'with-default');
  const withFile = { stackName: 'LeadsAndStars', options: { alarm_email: 'ops@cedro.dev' } };
  expect(read({}, files)).toEqual(withFile);
  expect(read({ deployment: 'default' }, files)).toEqual(withFile);
});

test('a name is as long as the names of functions let it be', () => {
  const longest = 's'.repeat(mostOfName);
  write(`${longest}.json`, '{}');
  expect(read({ deployment: longest }).stackName.length).toBe(40);
  expect(() => read({ deployment: `${longest}s` })).toThrow(/longer than 26 characters/);
});

test.each([
  ['an option beside it', { alarm_email: 'a@b.c' }, /^-c alarm_email is not .*-c deployment=NAME/],
  [
    'one without a file',
    { deployment: 'staging' },
    /^There is no .*staging\.json\. .*production\.json/,
  ],
  ['a path', { deployment: '../production' }, /^-c deployment takes a name/],
  [
    'a mistyped option',
    { deployment: 'mistyped' },
    /^deployments\/mistyped\.json: alarm_mail is no/,
  ],
  ['a file that is not JSON', { deployment: 'broken' }, /^deployments\/broken\.json: .*JSON/],
])('%s is refused', (_what, context, told) => {
  expect(() => read(context)).toThrow(told);
  expect(() => read(context)).toThrow(OptionError);
});

test('the deployments that are checked in can be synthesized', () => {
  const files = globSync('deployments/*.json', { cwd: join(import.meta.dirname, '../..') });
  expect(files.length).toBeGreaterThanOrEqual(2);
  for (const file of files) {
    const deployment = basename(file, '.json');
    const { options } = readDeployment(new App({ context: { deployment } }));
    expect(() => serviceApp(options)).not.toThrow();
  }
});

const issuer = { issuer: 'https://login.cedro.dev', audience: 'crm' };
const certificate_arn = 'arn:aws:acm:eu-west-1:123456789012:certificate/1';

/** A deployment with these options in its file. */
const withOptions = (options: object) => {
  write('addresses.json', JSON.stringify(options));
  return read({ deployment: 'addresses' });
};

test.each([
  [{ alarm_email: 'alarms@example.com' }, 'alarm_email is at example.com'],
  [{ notice_email: 'team@example.com' }, 'notice_email is at example.com'],
  [{ alarm_email: 'you@Mail.EXAMPLE.org' }, 'alarm_email is at Mail.EXAMPLE.org'],
  [{ alarm_email: 'mailto:you@crm.example' }, 'alarm_email is at crm.example'],
  [{ alarm_email: 'you@example.net.' }, 'alarm_email is at example.net.'],
  [{ alarm_email: 'you@cedro.invalid' }, 'alarm_email is at cedro.invalid'],
  [{ alarm_email: 'root@localhost' }, 'alarm_email is at localhost'],
  [{ ...issuer, issuer: 'https://login.example:8443/crm' }, 'issuer is at login.example'],
  [{ ...issuer, jwks_uri: 'https://keys.test/jwks.json' }, 'jwks_uri is at keys.test'],
  [{ domain_name: 'api.example.com', certificate_arn }, 'domain_name is at api.example.com'],
  [
    { cors_origins: ['https://app.cedro.dev', 'https://a.example'] },
    'cors_origins is at a.example',
  ],
])('a deployment with the address of an example is refused: %j', (options, told) => {
  expect(() => withOptions(options)).toThrow(OptionError);
  expect(() => withOptions(options)).toThrow(
    `deployments/addresses.json: ${told}, which is for examples. Write an address of yours`,
  );
});

test('addresses that may be somebody’s are taken, and pages under development', () => {
  const options = {
    alarm_email: 'example.com@example-company.com',
    issuer: 'https://example.cedro.dev/test',
    audience: 'example.com',
    jwks_uri: 'https://latest/keys',
    domain_name: 'example.com.br',
    certificate_arn,
    cors_origins: ['http://localhost:5173', 'https://myexample.com'],
  };
  expect(withOptions(options).options).toEqual(options);
});
