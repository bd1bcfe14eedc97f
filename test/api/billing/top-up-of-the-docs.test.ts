import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@leads-and-stars/runner';
import { expect, inject, onTestFinished, test } from 'vitest';
import { newSecret } from '../../../lib/webhooks/endpoint/secrets.ts';
import { signedHeaders } from '../../../lib/webhooks/endpoint/signature.ts';
import { balanceOf, spend } from '../../support/billing.ts';
import { eventually } from '../../support/eventually.ts';
import { type Organization, provision } from '../../support/organization.ts';
import { serverOf } from '../../support/server.ts';
import { some } from '../../support/some.ts';

// docs/examples/top-up.mjs, as a process, with the service, and with what stands in for Stripe: a payment intent is paid once,
// and idempotency keys are forgotten after 24 hours, which are moved.

const { baseUrl, platformKey } = inject('service');
const file = join(import.meta.dirname, '../../../docs/examples/top-up.mjs');
const hourMs = 3_600_000;

interface Intent {
  id: string;
  status: string;
  [field: string]: string;
}

/** When the process is killed: as its n-th request comes, or once that has had its effect. */
type KillAt = { request: number; isDone: boolean };

/** Stripe, and the way to the service, through which each request of the process goes. */
class Outside {
  readonly intents = new Map<string, Intent>();
  charges = 0;
  /** By how much the clock is moved. */
  hours = 0;
  isDeclining = false;
  killAt: KillAt | undefined;
  kill = () => {};
  #requests = 0;
  readonly #keys = new Map<string, { id: string; hours: number }>();

  readonly answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    const number = ++this.#requests;
    const { killAt } = this;
    const isLast = killAt?.request === number;
    if (isLast && !killAt.isDone) return this.kill();
    const [status, text] = request.url!.startsWith('/stripe/')
      ? this.#stripe(request, new URLSearchParams(body))
      : await this.#ours(request, body);
    if (isLast) return this.kill();
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(text);
  };

  async #ours({ url, method = 'GET', headers }: IncomingMessage, body: string) {
    const given = ['authorization', 'x-organization-id', 'content-type'];
    const response = await fetch(`${baseUrl}${url!.replace('/ours', '')}`, {
      method,
      headers: Object.fromEntries(given.map((name) => [name, String(headers[name])])),
      ...(body && { body }),
    });
    return [response.status, await response.text()] as const;
  }

  #stripe({ url, headers }: IncomingMessage, fields: URLSearchParams) {
    const [, id, verb] = /^\/stripe\/v1\/payment_intents(?:\/(\w+))?(?:\/(\w+))?$/.exec(url!)!;
    const intent = id ? this.intents.get(id)! : this.#intentBy(headers, fields);
    if (verb === 'confirm') {
      if (intent.status !== 'requires_confirmation') return [400, '{"error":{}}'] as const;
      intent.status = this.isDeclining ? 'requires_payment_method' : 'succeeded';
      if (this.isDeclining) return [402, '{"error":{}}'] as const;
      this.charges++;
    }
    if (verb === 'cancel') intent.status = 'canceled';
    return [200, JSON.stringify(intent)] as const;
  }

  /** The one that was made under the key, or a new one. */
  #intentBy(headers: IncomingMessage['headers'], fields: URLSearchParams): Intent {
    const key = String(headers['idempotency-key']);
    const known = this.#keys.get(key);
    if (known && this.hours - known.hours < 24) return this.intents.get(known.id)!;
    const id = `pi_${randomUUID().replaceAll('-', '')}`;
    const intent = { ...Object.fromEntries(fields), id, status: 'requires_confirmation' };
    this.intents.set(id, intent);
    this.#keys.set(key, { id, hours: this.hours });
    return intent;
  }
}

/** Customers of the program, and what it keeps. */
class TopUp {
  readonly outside = new Outside();
  readonly #secrets = new Map<string, string>();
  #directory = '';
  #origin = '';
  #port = 0;

  static async of(...organizations: Organization[]): Promise<TopUp> {
    const one = new TopUp();
    one.#directory = await mkdtemp(join(tmpdir(), 'top-up-'));
    onTestFinished(() => rm(one.#directory, { recursive: true }));
    one.#origin = await serverOf(one.outside.answer);
    one.#port = await freePort();
    for (const { id } of organizations) one.#secrets.set(id, newSecret(Date.now()).value);
    return one;
  }

  urlOf({ id }: Organization): string {
    return `http://localhost:${this.#port}/${id}`;
  }

  know({ id }: Organization, secret: string): void {
    this.#secrets.set(id, secret);
  }

  /** Starts the program, and waits until it answers. */
  async start() {
    const customers = [...this.#secrets].map(([id, secret]) => [
      id,
      { secret, customer: 'cus_1', payment_method: 'pm_1' },
    ]);
    const path = join(this.#directory, 'customers.json');
    await writeFile(path, JSON.stringify(Object.fromEntries(customers)));
    const moved = `const real = Date.now; Date.now = () => real() + ${this.outside.hours * hourMs};`;
    const child = execFile(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(moved)}`, file],
      {
        env: {
          PORT: String(this.#port),
          BASE_URL: `${this.#origin}/ours`,
          STRIPE_URL: `${this.#origin}/stripe`,
          PLATFORM_KEY: platformKey,
          STRIPE_SECRET_KEY: 'sk_test_1',
          CUSTOMERS: path,
          ATTEMPTS: join(this.#directory, 'attempts'),
        },
      },
    );
    onTestFinished(() => void child.kill('SIGKILL'));
    this.outside.kill = () => void child.kill('SIGKILL');
    const url = `http://localhost:${this.#port}/`;
    const unsigned = () => fetch(url, { method: 'POST', body: '{}' }).catch(() => undefined);
    const refused = await eventually(
      unsigned,
      (answer) => answer !== undefined || child.exitCode !== null || child.signalCode !== null,
    );
    if (refused) expect(refused.status).toBe(401);
    return child;
  }

  /** Posts a message, signed as of now; answers the status, if there is one. */
  async post(organization: Organization, message: object, secret?: string) {
    const body = JSON.stringify(message);
    const { event_id: id } = message as { event_id: string };
    const now = Date.now() + this.outside.hours * hourMs;
    const own = secret ?? this.#secrets.get(organization.id)!;
    const headers = signedHeaders({ id, body, now }, [own]);
    const options = { method: 'POST', headers, body };
    return fetch(this.urlOf(organization), options).then(
      ({ status }) => status,
      () => undefined,
    );
  }
}

const low = ({ id }: Organization, minutesAgo = 0, threshold = 5) => ({
  event_id: randomUUID(),
  type: 'stars.low',
  at: new Date(Date.now() - minutesAgo * 60_000).toISOString(),
  organization_id: id,
  threshold,
  available_stars: 3,
});

const withFew = () => provision({ wallet: { pack_stars: 3 } });
const starsOf = async (organization: Organization) =>
  (await balanceOf(organization)).available_stars;

const kills = [1, 2, 3, 4, 5, 6].flatMap((request) =>
  [false, true].flatMap((isDone) =>
    [0, 25].map((hours) => ({ killAt: { request, isDone }, hours })),
  ),
);

test.each(some(kills, 4, 'kills'))(
  'killed at %j, and started again: the card is charged once, and what was charged gives its stars',
  async ({ killAt, hours }) => {
    const organization = await withFew();
    const topUp = await TopUp.of(organization);
    const message = low(organization);
    topUp.outside.killAt = killAt;
    const killed = await topUp.start();
    const [status] = await Promise.all([topUp.post(organization, message), once(killed, 'exit')]);
    expect(status).toBeUndefined();

    topUp.outside.killAt = undefined;
    topUp.outside.hours = hours;
    await topUp.start();
    for (let repeat = 0; repeat < 2; repeat++) {
      expect(await topUp.post(organization, message)).toBe(204);
    }
    const { charges } = topUp.outside;
    // After a day, what was not charged yet is not: its message is old.
    const isCharged = hours === 0 || killAt.request > 4 || (killAt.request === 4 && killAt.isDone);
    expect(charges).toBe(isCharged ? 1 : 0);
    expect(await starsOf(organization)).toBe(3 + charges * 500);
  },
);

test('it charges where stars are few, at most three packs a month, and once for two messages of one moment', async () => {
  const organizations = await Promise.all([withFew(), withFew(), withFew(), withFew()]);
  const [twice, full, late, many] = organizations as [Organization, ...Organization[]] as [
    Organization,
    Organization,
    Organization,
    Organization,
  ];
  const topUp = await TopUp.of(...organizations);
  await topUp.start();
  const { outside } = topUp;

  const both = [low(twice), low(twice, 0, 100)].map((message) => topUp.post(twice, message));
  expect(await Promise.all(both)).toEqual([204, 204]);
  expect([outside.charges, await starsOf(twice)]).toEqual([1, 503]);

  expect(await topUp.post(full, low(full, 0, 2))).toBe(204);
  expect(await topUp.post(full, { ...low(full), type: 'stars.depleted' })).toBe(204);
  expect(await topUp.post(full, low(full), newSecret(Date.now()).value)).toBe(401);
  expect(await topUp.post(full, low(twice))).toBe(401);
  expect([outside.charges, await starsOf(full)]).toEqual([1, 3]);

  expect(await topUp.post(late, low(late, 61))).toBe(204);
  expect([outside.charges, await starsOf(late)]).toEqual([1, 3]);
  expect(await topUp.post(late, low(late, 59))).toBe(204);
  expect([outside.charges, await starsOf(late)]).toEqual([2, 503]);

  for (let packs = 1; packs <= 4; packs++) {
    expect(await topUp.post(many, low(many))).toBe(204);
    expect(await starsOf(many)).toBe(packs <= 3 ? 503 : 3);
    if (packs <= 3) await spend(many, 500);
  }
  expect(outside.charges).toBe(5);
});

test('a card that is declined is not tried again, and its payment can’t be made later', async () => {
  const organization = await withFew();
  const topUp = await TopUp.of(organization);
  topUp.outside.isDeclining = true;
  await topUp.start();
  const message = low(organization);
  expect([
    await topUp.post(organization, message),
    await topUp.post(organization, message),
  ]).toEqual([204, 204]);
  const statuses = [...topUp.outside.intents.values()].map(({ status }) => status);
  expect([statuses, topUp.outside.charges]).toEqual([['canceled'], 0]);
  expect(await starsOf(organization)).toBe(3);
});

test('a webhook of the service sets it off', async () => {
  const organization = await provision({ wallet: { pack_stars: 9 } });
  await organization.put('/billing/alerts', { thresholds: [5] });
  const topUp = await TopUp.of();
  const { body } = await organization.post('/webhooks', {
    url: topUp.urlOf(organization),
    types: ['stars.low'],
  });
  topUp.know(organization, body.secret);
  await topUp.start();
  await spend(organization, 6);
  await eventually(
    () => starsOf(organization),
    (stars) => stars === 503,
  );
  const [intent] = [...topUp.outside.intents.values()];
  expect(intent).toMatchObject({ amount: '1000', customer: 'cus_1', payment_method: 'pm_1' });
  expect(topUp.outside.charges).toBe(1);
});
