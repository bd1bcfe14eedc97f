import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { afterAll, afterEach, beforeAll, describe, expect, inject, test, vi } from 'vitest';
import { loadOperations } from '../../../infra/operations.ts';
import {
  createFunctions,
  FunctionError,
  functionNames,
} from '../../../packages/client/src/functions.ts';
import { balanceOf, openingWallet } from '../../support/billing.ts';
import { type Organization, provision } from '../../support/organization.ts';

const service = inject('service');
const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
const lambdaAt = (endpoint: string) =>
  new LambdaClient({ endpoint, region: 'us-east-1', credentials, maxAttempts: 1 });
const functionsAt = (endpoint = service.lambdaEndpoint) =>
  createFunctions({ lambda: lambdaAt(endpoint), stack: 'LeadsAndStars', firstDelayMs: 1 });
const hold = ({ id }: Organization, hold_id: string = randomUUID()) => ({
  organization_id: id,
  hold_id,
});

test('it has every function without a route, and no other', async () => {
  const all = (await loadOperations()).map(({ operation }) => operation);
  const internal = all.filter(({ kind }) => kind === 'internal').map(({ id }) => id);
  expect([...functionNames].sort()).toEqual(internal.sort());
});

test('answers are typed and whole, and refusals are errors with their code', async () => {
  const organization = await provision(openingWallet(0, 10));
  const functions = functionsAt();
  const one = hold(organization);
  const held = await functions.holdStars({ ...one, stars: 6, expires_in_seconds: 60 });
  expect([held.held, held.balance.available_stars]).toEqual([true, 4]);
  const { captured_stars, returned_stars } = await functions.captureHold({ ...one, stars: 4 });
  expect([captured_stars, returned_stars]).toEqual([4, 2]);
  const refused = await functions.releaseHold(one).catch((error) => error);
  expect(refused).toBeInstanceOf(FunctionError);
  expect(refused).toMatchObject({
    code: 'already_captured',
    functionName: 'LeadsAndStars-releaseHold',
  });
  const wrong = functions.spendStars({ organization_id: organization.id, event_id: '', stars: 1 });
  await expect(wrong).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('event_id'),
  });
});

/** Passes requests on to the service, and does something else with the first ones. */
class Between {
  readonly seen: string[] = [];
  #server: Server | undefined;
  readonly #faults: ('lost' | 'stopped' | 429 | 500)[];

  constructor(faults: Between['faults']) {
    this.#faults = [...faults];
  }

  get faults() {
    return this.#faults;
  }

  async open(): Promise<string> {
    this.#server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      this.seen.push(request.url ?? '');
      const { host: _, ...headers } = request.headers as Record<string, string>;
      const pass = () =>
        fetch(`${service.lambdaEndpoint}${request.url}`, {
          method: 'POST',
          headers,
          body: Buffer.concat(chunks),
        });
      const fault = this.#faults.shift();
      if (fault === undefined || fault === 'lost') {
        const answer = await pass();
        if (fault === 'lost') return request.socket.destroy();
        const error = answer.headers.get('x-amz-function-error');
        response.writeHead(answer.status, error ? { 'x-amz-function-error': error } : {});
        return response.end(Buffer.from(await answer.arrayBuffer()));
      }
      if (fault === 'stopped') {
        await pass();
        response.writeHead(200, { 'x-amz-function-error': 'Unhandled' });
        return response.end('{"errorType":"Sandbox.Timedout","errorMessage":"Task timed out"}');
      }
      const type = fault === 429 ? 'TooManyRequestsException' : 'ServiceException';
      response.writeHead(fault, { 'x-amzn-errortype': type });
      return response.end('{}');
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => this.#server?.once('listening', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }
}

describe('a call is made again, and done once, where', () => {
  let between: Between;
  afterEach(() => between.close());

  test.each([
    ['the reply is lost', ['lost', 'lost']],
    ['the function is stopped after it has written', ['stopped']],
    ['Lambda is busy, then in trouble', [429, 500]],
  ] as [string, Between['faults']][])('%s', async (_what, faults) => {
    const organization = await provision(openingWallet(0, 10));
    between = new Between(faults);
    const functions = functionsAt(await between.open());
    const event_id = randomUUID();
    const answer = await functions.spendStars({
      organization_id: organization.id,
      event_id,
      stars: 3,
    });
    expect(answer).toMatchObject({ spent: true, balance: { total_stars: 7 } });
    expect(between.seen.length).toBe(faults.length + 1);
    expect((await balanceOf(organization)).total_stars).toBe(7);
  });

  test('until the attempts are over', async () => {
    const organization = await provision(openingWallet(0, 10));
    between = new Between(Array(9).fill('stopped'));
    const call = functionsAt(await between.open()).holdStars({
      ...hold(organization),
      stars: 1,
      expires_in_seconds: 60,
    });
    await expect(call).rejects.toMatchObject({ code: 'unknown' });
    expect(between.seen.length).toBe(5);
  });

  test('but not where it is ended by its signal, nor where it is refused', async () => {
    const organization = await provision(openingWallet(0, 10));
    between = new Between([]);
    const functions = functionsAt(await between.open());
    await expect(functions.captureHold(hold(organization))).rejects.toMatchObject({
      code: 'invalid_request',
    });
    expect(between.seen.length).toBe(1);
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(functions.captureHold(hold(organization), { signal })).rejects.toThrow('enough');
    expect(between.seen.length).toBe(1);
  });
});

describe('the example that meters a job', () => {
  // biome-ignore lint/suspicious/noExplicitAny: it is loaded once the environment names the service.
  let meter: any;

  beforeAll(async () => {
    vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', service.lambdaEndpoint);
    vi.stubEnv('AWS_REGION', 'us-east-1');
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
    vi.doMock(
      '@leads-and-stars/client/functions',
      () => import('../../../packages/client/src/functions.ts'),
    );
    ({ meter } = await import('../../../packages/client/examples/meter-a-job.ts'));
  });
  afterAll(() => vi.unstubAllEnvs());

  test('spends what the job cost, once, though it runs again after it was killed', async () => {
    const organization = await provision(openingWallet(0, 10));
    const job = hold(organization);
    for (let run = 0; run < 2; run++) {
      expect(await meter(job, 8, async () => 3)).toMatchObject({
        captured_stars: 3,
      });
    }
    expect(await balanceOf(organization)).toMatchObject({ total_stars: 7, held_stars: 0 });
  });

  test('does not run the job again once the hold has expired', async () => {
    const organization = await provision(openingWallet(0, 10));
    const input = hold(organization);
    const killed = { ...input, stars: 8, expires_in_seconds: 900 };
    const { expires_at } = await functionsAt().holdStars(killed);
    const job = vi.fn(async () => 3);
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.parse(expires_at ?? ''));
    try {
      await expect(meter(input, 8, job)).rejects.toThrow('The hold has expired');
    } finally {
      clock.mockRestore();
    }
    expect(job).not.toHaveBeenCalled();
    expect(await meter(input, 8, job)).toMatchObject({ captured_stars: 3 });
  });

  test('tells why the job failed, also where its hold has ended meanwhile', async () => {
    const organization = await provision(openingWallet(0, 10));
    const input = hold(organization);
    const job = async () => {
      await functionsAt().captureHold({ ...input, stars: 1 });
      throw new Error('failed');
    };
    await expect(meter(input, 8, job)).rejects.toThrow('failed');
  });

  test('spends nothing for a job that fails, costs nothing, or can’t be paid', async () => {
    const organization = await provision(openingWallet(0, 10));
    const run = (most: number, job: () => Promise<number>) => meter(hold(organization), most, job);
    await expect(run(8, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    expect(await run(8, async () => 0)).toMatchObject({ captured_stars: 0 });
    await expect(run(11, async () => 1)).rejects.toThrow('It needs 11 stars, and there are 10.');
    expect(await balanceOf(organization)).toMatchObject({ total_stars: 10, held_stars: 0 });
  });
});
