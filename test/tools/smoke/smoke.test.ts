import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, onTestFinished, test } from 'vitest';
import { errorKinds } from '../../../lib/errors/errors.ts';
import type { Ran } from '../../support/command-line.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import type { ProxyRequest } from '../../support/faults/step.ts';
import { provision } from '../../support/organization.ts';
import { cwd, smoke, told, useOwnDirectory } from './smoke.ts';

// @module-tag long

useOwnDirectory();

const service = inject('service');
const organization = await provision();

const ready = {
  base_url: service.baseUrl,
  dynamodb_endpoint: service.tableEndpoint,
  table_name: service.tableName,
  platform_key: service.platformKey as string | undefined,
  organizations: [{ organization_id: organization.id, tokens: organization.tokens }],
};

const smokeRunner = (of: Partial<typeof ready>, ...args: string[]): Promise<Ran> => {
  const file = join(mkdtempSync(join(cwd, 'run-')), 'service.json');
  writeFileSync(file, JSON.stringify({ ...ready, ...of }));
  return smoke(['--ready-file', file, ...args]);
};

test('the running service is as expected, its events too', async () => {
  const ran = await smokeRunner({}, '--events-file', service.eventsFile);
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(told(ran, 'differs')).toEqual([]);
  expect(told(ran, 'ok').length).toBe(12);
  expect(told(ran, 'not tried')).toEqual([
    'the deployment is complete, and protected from deletion Here is no deployment.',
    'records and messages come to the functions The runner brings them: see the events of the lead.',
    'the account lets enough functions run at once Here is no account.',
    'the deployed API has the routes, preflights and refusals of the template Here is no deployment.',
  ]);
  expect(ran.stdout).toMatch(/\n12 as expected, 0 with differences, 4 not tried\.\n$/);
});

/** What a gateway in AWS might answer otherwise: the fault changes the answer that is on its way. */
type Fault = (request: ProxyRequest, answer: Answer) => void;

interface Answer {
  status: number;
  headers: Record<string, string>;
  body: string;
}

const proxyWith = async (fault: Fault): Promise<string> => {
  const proxy = await FaultProxy.start(service.baseUrl, [
    async (request, pass) => {
      const reply = await pass();
      const headers = { ...reply.headers } as Answer['headers'];
      const answer = { ...reply, headers, body: reply.body.toString() };
      fault(request, answer);
      return { ...answer, body: Buffer.from(answer.body) };
    },
  ]);
  onTestFinished(() => proxy.close());
  return proxy.endpoint;
};

test('a body that is called safe to repeat, a request id that is lost, a preflight that is not, a repeat as if new', async () => {
  const base_url = await proxyWith(({ method, headers }, answer) => {
    if (Number(headers['content-length']) < 10_000_000 && answer.status === 413) {
      const { status, message } = errorKinds.unavailable;
      answer.status = status;
      answer.body = answer.body
        .replace('payload_too_large', 'unavailable')
        .replace(errorKinds.payload_too_large.message, message);
    }
    if (answer.status === 401) delete answer.headers['x-request-id'];
    if (method === 'OPTIONS') {
      answer.headers['access-control-allow-methods'] = 'GET,POST';
    } else if (answer.status === 401) answer.headers['access-control-allow-origin'] = '*';
    if (method === 'PUT') {
      answer.body = answer.body.replace('"path":"price_cents"', '"path":"price"');
      if (answer.status === 200) answer.status = 201;
    }
  });
  const ran = await smokeRunner({ base_url });
  expect(ran).toMatchObject({ code: 1, stderr: '' });
  expect(told(ran, 'differs')).toEqual([
    expect.stringMatching(/^a request without a token .*X-Request-Id is null, and request_id/),
    expect.stringMatching(/^… and with one of nobody .*X-Request-Id is null/),
    expect.stringMatching(/^a body of 7 MB.* 503 instead of 413.*repeat may succeed.*unavailable/),
    expect.stringMatching(/^a preflight .*methods lacks PUT, PATCH, DELETE\.$/),
    expect.stringMatching(/^a page of .*names the origin \* instead of null\.$/),
    expect.stringMatching(/^a plan .* It names price instead of price_cents\.$/),
    expect.stringMatching(/^an organization is made once,.* The status is 201 instead of 200\./),
  ]);
});

test('without a platform key, what needs one is not tried', async () => {
  const ran = await smokeRunner({ platform_key: undefined });
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  const needs = told(ran, 'not tried').filter((one) => one.includes('needs a platform key'));
  expect(needs.length).toBe(2);
});

test.each([
  ['no service', [], /^No service runs here: start one/],
  ['no events file', ['--events-file', 'none'], /There is no events file none/],
  ['a profile without a stack', ['--profile', 'crm'], /go with --stack/],
  ['a stack and the runner', ['--stack', 'S', '--events-file', 'f'], /Give --stack, or/],
])('%s is said in one line', async (_what, args, message) => {
  const ran = args.includes('none') ? await smokeRunner({}, ...args) : await smoke(args);
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.trim().split('\n').length).toBe(1);
});
