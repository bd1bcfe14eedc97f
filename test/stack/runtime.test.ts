import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { functionOf } from '@leads-and-stars/runner';
import { buildSync } from 'esbuild';
import { afterAll, expect, inject, onTestFinished, test } from 'vitest';
import * as z from 'zod/mini';
import { bundleOptions } from '../../infra/bundle-options.ts';
import { loadOperations } from '../../infra/operations.ts';
import { emptyWallet } from '../../lib/billing/stored/wallet.ts';
import { type Definition, hasRoute } from '../../lib/operations/definition.ts';
import { type Line, type Outcome, Runtime } from '../../packages/runner/test/runtime/runtime.ts';
import { walletItem } from '../support/billing-items.ts';
import { matches } from '../support/filter-pattern.ts';
import { pastCommits, provision } from '../support/organization.ts';
import { sample } from '../support/samples.ts';
import { table } from '../support/table.ts';
import { synthesized } from './synthesized.ts';

// The runner plays Lambda, and the tests' service has bundles of its own. Here, AWS's own runtime client runs each bundle of a
// deployment.

const service = inject('service');
const files = await loadOperations();
const operations = files.map(({ operation }) => operation);
const organization = await provision();

/** Takes messages for a queue and drops them: webhooks of other tests may be due. */
const queues = createServer(async (request, response) => {
  const { MessageBody = '' } = (await json(request)) as { MessageBody?: string };
  const MD5OfMessageBody = createHash('md5').update(MessageBody).digest('hex');
  response.setHeader('content-type', 'application/x-amz-json-1.0');
  response.end(JSON.stringify({ MessageId: '1', MD5OfMessageBody }));
});
await new Promise<void>((done) => queues.listen(0, '127.0.0.1', done));
afterAll(() => queues.close());

const directory = mkdtempSync(join(tmpdir(), 'leads-and-stars-bundles-'));
afterAll(() => rmSync(directory, { recursive: true }));

/** The directory of an operation's bundle, as a deployment has it. */
const bundled = (id: string): string => {
  const outdir = join(directory, id);
  const { file } = files.find(({ operation }) => operation.id === id)!;
  buildSync({ ...bundleOptions, entryPoints: { function: file }, outdir });
  return outdir;
};

/** Where nothing listens. */
const nowhere = 'http://127.0.0.1:1';

const started = async (
  id: string,
  tableEndpoint = service.tableEndpoint,
  eventsEndpoint = service.eventsEndpoint,
) => {
  const fn = functionOf(service.functions, id)!;
  const runtime = new Runtime(
    { ...fn, code: bundled(id) },
    {
      AWS_REGION: 'us-east-1',
      AWS_ACCESS_KEY_ID: new URL(tableEndpoint).username || 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_DYNAMODB: tableEndpoint,
      AWS_ENDPOINT_URL_SQS: `http://127.0.0.1:${(queues.address() as AddressInfo).port}`,
      AWS_ENDPOINT_URL_EVENTBRIDGE: eventsEndpoint,
      NODE_EXTRA_CA_CERTS: service.issuerIdentity.certificateFile,
    },
  );
  await runtime.start();
  onTestFinished(() => runtime.close());
  return runtime;
};

/** Whether the payload is what the operation's definition says of its success. */
const isSuccess = (operation: Definition, { kind, payload }: Outcome): boolean => {
  const allowed = (schema: z.core.$ZodType, value: unknown) => z.safeParse(schema, value).success;
  if (kind === 'error') return false;
  if (operation.kind === 'scheduled') return payload === null;
  if (!hasRoute(operation)) return payload.batchItemFailures.length === 0;
  const body = payload.body === '' ? undefined : JSON.parse(payload.body);
  return payload.statusCode === operation.response.status && allowed(operation.response.body, body);
};

// The runner numbers changes beside it, and may be first.
test.each(operations)(
  '$id answers its sample, and logs it in one line',
  { retry: 2, tags: ['long'] },
  async (operation) => {
    const runtime = await started(operation.id);
    const outcome = await runtime.invoke(await sample(operation.id, organization));
    expect([isSuccess(operation, outcome), outcome]).toEqual([true, outcome]);
    expect(outcome.lines).toEqual([
      expect.objectContaining({
        level: 'INFO',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        message: expect.objectContaining({ operation: operation.id }),
      }),
    ]);
  },
);

/** The metrics that count these lines of an operation, by the template's filters on its log. */
const counted = (() => {
  const template = synthesized();
  const functions = Object.values(template.findResources('AWS::Lambda::Function'));
  const filters = Object.values(template.findResources('AWS::Logs::MetricFilter'));
  return (id: string, lines: readonly Line[]): Record<string, number> => {
    const fn = functions.find(({ Properties }) => Properties.FunctionName.endsWith(`-${id}`))!;
    const { LogGroup } = fn.Properties.LoggingConfig;
    const counts = filters
      .filter(({ Properties }) => Properties.LogGroupName.Ref === LogGroup.Ref)
      .map(({ Properties }) => [
        Properties.MetricTransformations[0].MetricName,
        lines.filter((line) => matches(Properties.FilterPattern, line)).length,
      ]);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  };
})();

test('of a request whose table does not answer there is one line, an error', {
  tags: ['long'],
}, async () => {
  const runtime = await started('createLead', nowhere);
  const { payload, lines } = await runtime.invoke(await sample('createLead', organization));
  expect(payload.statusCode).toBe(503);
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'ERROR',
      message: expect.objectContaining({ status: 503, code: 'unavailable' }),
    }),
  ]);
});

test('of a wallet that can’t be, the line is counted once by the metric filters', async () => {
  const broken = await provision({ name: pastCommits });
  const wallet = { ...emptyWallet, version: 1, pack_stars: -7 };
  await table.send(
    new PutCommand({ TableName: service.tableName, Item: walletItem(broken.id, wallet) }),
  );
  const runtime = await started('putSpend');
  const { payload, lines } = await runtime.invoke(await sample('putSpend', broken));
  expect(payload.statusCode).toBe(500);
  expect(counted('putSpend', lines)).toEqual({ WalletInvariant: 1, InternalErrors: 1 });
});

test('what the caller did wrong counts for nothing in the metric filters', {
  tags: ['long'],
}, async () => {
  const runtime = await started('putPlan');
  const event = await sample('putPlan', organization);
  const { payload, lines } = await runtime.invoke({ ...event, body: '{}' });
  expect(payload.statusCode).toBe(400);
  expect(counted('putPlan', lines)).toEqual({});
});

test('records that the bus can’t take now are given again, and the line says why', async () => {
  const runtime = await started('publishChanges', undefined, nowhere);
  const records = await sample('publishChanges', organization);
  // It tries as long as it has time.
  const { payload, lines } = await runtime.invoke(records, 5000);
  expect(payload.batchItemFailures.length).toBe(2);
  expect(lines).toEqual([
    expect.objectContaining({
      level: 'ERROR',
      message: expect.objectContaining({
        code: 'unavailable',
        outcome: 'retried',
        events: 0,
        why: expect.stringMatching(/./),
      }),
    }),
  ]);
  expect(counted('publishChanges', lines)).toEqual({});
});
