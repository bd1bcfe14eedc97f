import { randomUUID } from 'node:crypto';
import { decodeJwt } from 'jose';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { invoke, type Organization, provision } from '../support/organization.ts';
import { openContext, reboundName, useChromium } from './chromium.ts';

// What pages of the web can do to the runner of whoever reads them: nothing. Each beside a page or a program that may.

useChromium();

const { baseUrl, lambdaEndpoint, tableEndpoint, tableName, pageOrigin } = inject('service');
const gatewayPort = new URL(baseUrl).port;
const own = `http://localhost:${gatewayPort}`;
/** A page of another server of this machine, which no stack option allows anything. */
const foreign = pageOrigin.replace('localhost', '127.0.0.1');

let organization: Organization;

beforeAll(async () => {
  organization = await provision({ wallet: { pack_stars: 100 } });
});

const open = async (url: string): Promise<{ page: Page; status: number | undefined }> => {
  const page = await (await openContext()).newPage();
  return { page, status: (await page.goto(url))?.status() };
};

interface Tokens {
  id_token?: string;
}

/** Logs in as somebody, by scripts of a page, at the address that the page has come from or at another. */
const logIn = (page: Page, at: string, user: string) =>
  page.evaluate(
    async ({ at, user }) => {
      const ask = (path: string, init?: RequestInit) =>
        fetch(`${at}/docs/${path}`, init).catch(() => undefined);
      const redirect = `redirect_uri=${encodeURIComponent(`${at}/docs/`)}`;
      const login = await ask(`login?${redirect}`);
      const query = `response_type=code&${redirect}&login_hint=${user}`;
      const authorized = await ask(`issuer/authorize?${query}`);
      const code = authorized && new URL(authorized.url).searchParams.get('code');
      const body = new URLSearchParams({ grant_type: 'authorization_code', code: code ?? '' });
      const answer = await ask('issuer/token', { method: 'POST', body });
      const tokens = (await answer?.json().catch(() => undefined)) as Tokens | undefined;
      return {
        statuses: [login?.status, authorized?.status, answer?.status],
        hasCode: Boolean(code),
        token: tokens?.id_token,
      };
    },
    { at, user },
  );

test('control: the runner’s own page logs in, and has a token of whom it asked for', async () => {
  const user = randomUUID();
  const { page, status } = await open(`${own}/docs/`);
  const { statuses, hasCode, token } = await logIn(page, own, user);
  expect([status, statuses, hasCode]).toEqual([200, [200, 200, 200], true]);
  expect(decodeJwt(token ?? '').sub).toBe(user);
});

describe('a page whose name leads here', () => {
  const rebound = (port: string) => `http://${reboundName}:${port}`;

  test('is not served, logs nobody in and reads nothing of the API', async () => {
    const { page, status } = await open(`${rebound(gatewayPort)}/docs/`);
    const { token, ...refused } = await logIn(page, rebound(gatewayPort), randomUUID());
    expect([status, token]).toEqual([403, undefined]);
    expect(refused).toEqual({ statuses: [403, 403, 403], hasCode: false });
    const headers = organization.headers();
    const read = (at: string) =>
      page.evaluate(({ at, headers }) => fetch(at, { headers }).then((answer) => answer.status), {
        at: `${at}/v1/leads`,
        headers,
      });
    expect(await read(rebound(gatewayPort))).toBe(403);
    expect((await organization.get('/leads')).status).toBe(200);
  });

  test('invokes no function', async () => {
    const { port } = new URL(lambdaEndpoint);
    const { page, status } = await open(`${rebound(port)}/`);
    expect(status).toBe(403);
    expect(await spend(page, rebound(port))).toBe(403);
    expect(await stars()).toBe(100);
  });
});

const invocations = '/2015-03-31/functions/LeadsAndStars-spendStars/invocations';
const spending = () => ({ organization_id: organization.id, event_id: randomUUID(), stars: 1 });
const stars = async () => (await organization.get('/billing/balance')).body.total_stars;

/** In the one way in which a page may send without asking: as plain text, for an answer that it does not see. */
const spend = (page: Page, at: string, mode: 'same-origin' | 'no-cors' = 'same-origin') =>
  page.evaluate(
    ({ url, body, mode }) =>
      fetch(url, { method: 'POST', body, mode }).then(
        ({ status }) => status,
        () => 'refused',
      ),
    { url: `${at}${invocations}`, body: JSON.stringify(spending()), mode },
  );

/** A form needs no script. Its one field makes JSON as plain text. */
const submit = async (page: Page) => {
  const json = JSON.stringify({ ...spending(), reason: 'A = B' }).replaceAll('"', '&quot;');
  const [name, value] = json.split('=');
  const action = `${lambdaEndpoint}${invocations}`;
  await page.setContent(
    `<form action="${action}" method="post" enctype="text/plain">
      <input name="${name}" value="${value}"><button>Win a prize</button>
    </form>`,
  );
  const answered = page.waitForResponse(action);
  await page.getByRole('button').click();
  return (await answered).status();
};

describe('a page of another origin', () => {
  test('logs nobody in', async () => {
    const { page, status } = await open(foreign);
    const { token, ...refused } = await logIn(page, own, randomUUID());
    expect([status, token]).toEqual([200, undefined]);
    expect(refused).toEqual({ statuses: [undefined, undefined, undefined], hasCode: false });
  });

  test('spends no stars, by a script or by a form; a program of this machine does', async () => {
    const { page } = await open(foreign);
    const before = await stars();
    // It does not hear whether that was refused.
    expect(await spend(page, lambdaEndpoint, 'no-cors')).toBe(0);
    expect(await submit(page)).toBe(403);
    expect(await stars()).toBe(before);
    expect((await invoke('spendStars', spending())).payload.spent).toBe(true);
    expect(await stars()).toBe(before - 1);
  });

  test('shows none of the runner’s pages in a frame of its own', async () => {
    const { page } = await open(foreign);
    const framed = async (src: string) => {
      await page.setContent(`<iframe src="${src}"></iframe>`);
      return () => page.frames().at(-1)?.url();
    };
    await expect.poll(await framed(`${own}/docs/`)).toMatch(/^chrome-error:/);
    await expect.poll(await framed(`${pageOrigin}/`)).toBe(`${pageOrigin}/`);
  });

  test('does not find the table; one that knew the engine’s secret address would read it', async () => {
    const { page } = await open(foreign);
    const listTables = (endpoint: string) =>
      page.evaluate(async (url) => {
        const credential = 'Credential=x/20261121/us-east-1/dynamodb/aws4_request';
        const headers = {
          'content-type': 'application/x-amz-json-1.0',
          'x-amz-target': 'DynamoDB_20120810.ListTables',
          'x-amz-date': '20261121T000000Z',
          authorization: `AWS4-HMAC-SHA256 ${credential}, SignedHeaders=host, Signature=x`,
        };
        const answer = await fetch(url, { method: 'POST', headers, body: '{}' }).catch(
          () => undefined,
        );
        if (!answer) return 'nothing there';
        return ((await answer.json()) as { TableNames: string[] }).TableNames;
      }, endpoint);
    const { port } = new URL(tableEndpoint);
    for (const host of ['127.0.0.1', 'localhost', '[::1]']) {
      expect([host, await listTables(`http://${host}:${port}/`)]).toEqual([host, 'nothing there']);
    }
    expect(await listTables(tableEndpoint)).toEqual([tableName]);
  });
});
