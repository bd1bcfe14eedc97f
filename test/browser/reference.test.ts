import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Locator, Page, Response } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { roles } from '../../lib/operations/permissions.ts';
import { organizationKind } from '../../lib/organizations/organization.ts';
import { makeDemo } from '../../tools/demo/demo.ts';
import { localTable } from '../../tools/demo/platform-key.ts';
import { buildSite } from '../../tools/openapi/site.ts';
import { tagOf, tags } from '../../tools/openapi/texts.ts';
import type { DemoOrganization } from '../../tools/service/demo-organization.ts';
import type { Service } from '../../tools/service/service.ts';
import { routes } from '../support/api.ts';
import { type DemoService, startDemoService } from '../support/demo-service.ts';
import { eventually } from '../support/eventually.ts';
import { change } from '../support/origin.ts';
import { quick } from '../support/some.ts';
import { openContext, requestedFrom, useChromium } from './chromium.ts';
import { type Document, parametersOf, valuesOf } from './page-document.ts';

useChromium();

/** Opens each area in the page's sidebar: all operations are there. */
const expectOperations = async (page: Page) => {
  for (const { name } of tags) {
    const open = page.getByRole('button', { name: `Open Group - ${name}`, exact: true });
    const close = page.getByRole('button', { name: `Close Group - ${name}`, exact: true });
    await open.or(close).waitFor();
    if (await open.isVisible()) await open.click();
    await close.waitFor();
    const ofArea = routes.filter(({ path }) => tagOf(path) === name);
    expect(ofArea.length).toBeGreaterThan(0);
    for (const { summary } of ofArea) {
      const link = page.getByRole('link', { name: summary });
      await link.first().waitFor();
    }
  }
};

describe('the local runner’s', () => {
  let demo: DemoService;
  let service: Service;
  let organization: DemoOrganization;
  let url: string;

  beforeAll(async () => {
    demo = await startDemoService();
    ({ service, organization } = demo);
    url = `${new URL(service.baseUrl).origin}/docs/`;
  });

  afterAll(() => demo?.close());

  test('page is found from the root, shows every operation, and can ask for nothing from elsewhere', async () => {
    const context = await openContext();
    const origins = requestedFrom(context);
    const page = await context.newPage();
    await page.goto(new URL(url).origin);
    expect(page.url()).toBe(url);
    await expectOperations(page);
    // Of all that the box of the login shows, a reader needs one button.
    await page.getByText('press Authorize').first().waitFor({ timeout: 30_000 });
    expect([...origins]).toEqual([new URL(url).origin]);
    const ask = (address: string) =>
      page.evaluate(
        (target) =>
          fetch(target).then(
            ({ status }) => status,
            () => 'refused',
          ),
        address,
      );
    expect(await ask(`${inject('service').baseUrl}/unknown`)).toBe('refused');
    expect(await ask(`${service.baseUrl}/unknown`)).toBe(404);
  });

  const logIn = async (page: Page, user: string) => {
    const context = page.context();
    const opened = context.waitForEvent('page');
    await page.getByRole('button', { name: 'Authorize', exact: true }).first().click();
    const login = await opened;
    const tokens = context.waitForEvent('response', (one) => one.url().endsWith('/issuer/token'));
    await login.locator(`button[value="${user}"]`).click();
    expect((await tokens).status()).toBe(200);
    await page.getByText('Access Token').first().waitFor();
  };

  /** Opens “try it” of an operation, by its place in the page. */
  const tryIt = async (page: Page, place: string) => {
    const operation = page.locator(`[id$="tag/${place}"]`);
    const open = async () => {
      await operation.scrollIntoViewIfNeeded();
      const button = operation.getByRole('button', { name: /Test Request/ });
      return button.click({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    };
    // What is drawn late above it pushes it out of sight again, where the page does not draw it.
    for (let tries = 1; !(await open()); tries++) expect(tries, place).toBeLessThan(10);
  };

  const sendAgain = async (page: Page): Promise<Response> => {
    const answer = page.waitForResponse((one) => one.url().startsWith(`${service.baseUrl}/`));
    await page.getByRole('button', { name: /^Send/ }).first().click();
    return answer;
  };

  test('a login sends the organization, and outlasts a reload', { tags: ['long'] }, async () => {
    const page = await (await openContext()).newPage();
    await page.goto(url);
    await logIn(page, organization.users.agent);

    await tryIt(page, 'leads/POST/leads');
    for (const _time of ['once', 'twice']) {
      const made = await sendAgain(page);
      expect(made.status()).toBe(201);
      expect((await made.json()).pipeline_id).toBe(organization.pipeline_id);
      const { 'x-organization-id': sent } = made.request().headers();
      expect(sent).toBe(organization.organization_id);
    }
    await page.reload();
    await tryIt(page, 'leads/GET/leads/{lead_id}');
    const found = await sendAgain(page);
    expect([found.status(), (await found.json()).pipeline_id]).toEqual([
      200,
      organization.pipeline_id,
    ]);
  });

  const send = async (page: Page): Promise<Response> => {
    await page
      .getByRole('button', { name: /Test Request/ })
      .first()
      .click();
    return sendAgain(page);
  };

  test('“try it” is answered who has logged in, and nobody else', async () => {
    const context = await openContext();
    const origins = requestedFrom(context);
    const page = await context.newPage();
    await page.goto(url);
    expect((await send(page)).status()).toBe(401);
    await page.getByText('401 Unauthorized').waitFor();
    await page.keyboard.press('Escape');

    await logIn(page, organization.users.agent);

    const answer = await send(page);
    expect(answer.status()).toBe(200);
    const { items } = await answer.json();
    expect(items.map((lead: { contact_name: string }) => lead.contact_name)).toContain('Ana Souza');
    expect([...origins]).toEqual([new URL(url).origin]);
  });

  /** What of the request's address something else lies on, as points of its line from left to right. */
  const coveredPoints = (page: Page): Promise<number[]> =>
    page.evaluate(`(() => {
      const line = document.querySelector('[role=dialog] .address-bar-bg-states');
      const { left, top, width, height } = line.getBoundingClientRect();
      const points = Array.from({ length: 40 }, (_, i) => left + ((i + 0.5) * width) / 40);
      return points.filter((x) => !line.contains(document.elementFromPoint(x, top + height / 2)));
    })()`);

  test('“try it” fits a phone, also with a body: address, button to send and answer are in sight', {
    tags: ['long'],
  }, async () => {
    const [width, height] = [390, 844];
    const page = await (await openContext(width, height)).newPage();
    await page.goto(url);
    await tryIt(page, 'leads/POST/leads');
    const body = page.locator('.cm-line', { hasText: 'contact_name' }).first();
    await body.waitFor();
    const send = page.getByRole('button', { name: /^Send/ }).first();
    await send.waitFor();
    const { x, width: ofSend } = (await send.boundingBox())!;
    expect(ofSend).toBeGreaterThan(20);
    expect(x + ofSend).toBeLessThanOrEqual(width);
    for (const other of [800, 1280, width]) {
      await page.setViewportSize({ width: other, height });
      expect(await coveredPoints(page), `${other} wide`).toEqual([]);
    }

    const place = page.getByRole('dialog').getByRole('region', { name: 'Response', exact: true });
    const code = page.getByRole('dialog').getByText('"unauthenticated"');
    const topOf = async (one: Locator) => (await one.boundingBox())!.y;
    for (const _time of ['once', 'twice']) {
      await body.scrollIntoViewIfNeeded();
      expect(await topOf(place)).toBeGreaterThan(height / 3);
      expect((await sendAgain(page)).status()).toBe(401);
      await code.waitFor();
      await eventually(
        () => topOf(place),
        (top) => top < height / 3,
      );
      await eventually(
        () => topOf(code),
        (top) => top < height,
      );
    }
  });

  test('“try it” sends no optional parameter that nobody gave, and one that somebody gave', {
    tags: ['long'],
  }, async () => {
    const page = await (await openContext()).newPage();
    const sentFrom = async (place: string) => {
      await page.goto(`${url}#tag/${place}`);
      await tryIt(page, place);
      return (await sendAgain(page)).request();
    };
    const patch = await sentFrom('leads/PATCH/leads/{lead_id}');
    expect(patch.method()).toBe('PATCH');
    expect(patch.headers()).toMatchObject({ 'x-organization-id': organization.organization_id });
    expect(Object.keys(patch.headers())).not.toContain('if-match');
    expect(Object.keys(patch.headers())).not.toContain('idempotency-key');
    await page.keyboard.press('Escape');
    expect(new URL((await sentFrom('leads/GET/leads')).url()).search).toBe('');
    const limit = page.getByRole('dialog').locator('tr', { hasText: 'limit' });
    await limit.getByRole('combobox').nth(1).fill('1');
    expect(new URL((await sendAgain(page)).url()).search).toBe('?limit=1');
    await page.keyboard.press('Escape');
    expect(new URL((await sentFrom('billing/GET/billing/history')).url()).search).toBe('');
  });

  const ofOwner = ({ organization_id, tokens }: DemoOrganization) => ({
    authorization: `Bearer ${tokens.owner}`,
    'x-organization-id': organization_id,
  });

  test('“try it” of any lead or pipeline is about one that is there', async () => {
    const document = (await (await fetch(`${url}page.json`)).json()) as Document;
    const of = (name: string) =>
      new Set(
        parametersOf(document)
          .filter(([, one]) => one.in === 'path' && one.name === name)
          .map(([, { example }]) => example),
      );
    expect(of('pipeline_id')).toEqual(new Set([organization.pipeline_id]));
    const [leadId, ...others] = of('lead_id');
    expect(others).toEqual([]);
    const headers = ofOwner(organization);
    const found = await fetch(`${service.baseUrl}/leads/${leadId}`, { headers });
    expect(found.status).toBe(200);
  });

  // What these have, the page would send.
  test('no optional parameter of any operation has a value of its own', async () => {
    const ofPage = (await (await fetch(`${url}page.json`)).json()) as Document;
    expect(valuesOf(ofPage)).toEqual([]);
    expect(valuesOf(JSON.parse(readFileSync('docs/openapi.json', 'utf8')))).toContain(
      'get /leads limit',
    );
  });

  test('login names the people of the organization', async () => {
    const page = `${url}login?redirect_uri=${encodeURIComponent(url)}`;
    const html = await (await fetch(page)).text();
    expect(html).toContain(`<h2>${organization.name}</h2>`);
    for (const role of roles) {
      const { users, user_names } = organization;
      expect(html).toContain(`value="${users[role]}">${user_names[role]}, ${role}<`);
    }
    const read = await fetch(`${service.baseUrl}/members`, { headers: ofOwner(organization) });
    const { items } = (await read.json()) as { items: { name: string }[] };
    const names = items.map(({ name }) => name);
    expect(names.toSorted()).toEqual(Object.values(organization.user_names).toSorted());
  });

  test('login gives a code to no other page', async () => {
    const login = (path: string, redirect: string) =>
      fetch(`${url}${path}?response_type=code&redirect_uri=${encodeURIComponent(redirect)}`, {
        redirect: 'manual',
      });
    for (const path of ['login', 'issuer/authorize']) {
      expect((await login(path, 'https://elsewhere.example/docs/')).status).toBe(400);
      expect((await login(path, url)).status).toBe(path === 'login' ? 200 : 302);
    }
  });

  test('a demo that was made by another version is told apart', async () => {
    const table = localTable(service.tableEndpoint, service.assembly.table.TableName);
    const { organization_id: organizationId } = organization;
    await change(table, organizationKind.key({ organizationId }), {
      set: { fingerprint: 'of another version' },
    });
    await expect(makeDemo(service)).rejects.toThrow(/of another version: delete it/);
  });
});

describe('the static site', () => {
  const directory = mkdtempSync(join(tmpdir(), 'site-test-'));
  let server: Server;
  let url: string;

  beforeAll(async () => {
    await buildSite(directory);
    server = createServer((request, response) => {
      const name = request.url === '/sub/' ? 'index.html' : request.url?.replace('/sub/', '');
      const type = name?.endsWith('.js') ? 'text/javascript' : 'text/html';
      try {
        response.setHeader('content-type', type).end(readFileSync(join(directory, name ?? '')));
      } catch {
        response.writeHead(404).end();
      }
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sub/`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(directory, { recursive: true });
  });

  /** Opens the page: it needs its files alone, and fits. */
  const open = async (width: number, place = '') => {
    const context = await openContext(width);
    const origins = requestedFrom(context);
    const page = await context.newPage();
    await page.goto(`${url}${place}`);
    await page.getByRole('heading', { name: 'Leads and stars' }).waitFor();
    const overflow = await page.evaluate(
      'document.documentElement.scrollWidth - document.documentElement.clientWidth',
    );
    expect(overflow).toBe(0);
    expect([...origins]).toEqual([new URL(url).origin]);
    return page;
  };

  test('has a list of pages for models, and each page of it', () => {
    const list = readFileSync(join(directory, 'llms.txt'), 'utf8');
    const links = [...list.matchAll(/\]\(([^)]+)\)/g)].map(([, file = '']) => file);
    expect(links).toEqual(expect.arrayContaining(['agents.md', 'openapi.json']));
    expect(links.filter((file) => !existsSync(join(directory, file)))).toEqual([]);
  });

  test('renders from its files alone and fits a phone', async () => {
    await open(390);
  });

  test('shows no optional parameter with a value of its own', () => {
    expect(valuesOf(JSON.parse(readFileSync(join(directory, 'openapi.json'), 'utf8')))).toEqual([]);
  });

  test('renders on a screen, and marks no whole operation that a link leads to, but what can be pressed', async () => {
    const page = await open(1440, '#tag/leads/POST/leads');
    const outlineOf = async (focused: string) => {
      await page.locator(focused).waitFor();
      return page.evaluate('getComputedStyle(document.activeElement).outlineStyle');
    };
    expect(await outlineOf('section:focus')).toBe('none');
    await page.keyboard.press('Tab');
    expect(await outlineOf('button:focus')).not.toBe('none');
    if (!quick) await expectOperations(page);
  });
});
