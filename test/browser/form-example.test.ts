import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { startFormExample } from '../support/form-example.ts';
import { type Organization, provision } from '../support/organization.ts';
import { serverOf } from '../support/server.ts';
import { openContext, useChromium } from './chromium.ts';

// docs/examples/form.html, as people use it.

useChromium();

let organization: Organization;
beforeEach(async () => {
  organization = await provision();
});

const startForm = async (variables: Record<string, string> = {}) => {
  const example = await startFormExample(organization, variables);
  onTestFinished(() => example.end());
  return example.url;
};

/** Another website, whose page calls form.mjs where `action` says. */
const startWebsite = async (): Promise<{ origin: string; action: string }> => {
  const page = await readFile(join(import.meta.dirname, '../../docs/examples/form.html'), 'utf8');
  const website = { origin: '', action: '' };
  website.origin = await serverOf((_request, response) => {
    const own = page.replace('action=""', `action="${website.action}"`);
    response.setHeader('content-type', 'text/html; charset=utf-8').end(own);
  });
  return website;
};

const fillIn = async (page: Page) => {
  await page.getByLabel('Name').fill('Ana Souza');
  await page.getByLabel('Email').fill('ana@example.com');
  await page.getByLabel('Phone').fill('(11) 98765-4321');
  await page.getByLabel('I want a demo.').check();
  await page.getByLabel('I want prices.').check();
  await page.getByLabel('Message').fill('Call me.');
};

/** The leads with their notes. */
const stored = async () => {
  const leads = await organization.readAll('/leads');
  return Promise.all(
    leads.map(async ({ id, contact_name, email }) => {
      const notes = await organization.readAll(`/leads/${id}/notes`);
      return { contact_name, email, notes: notes.map(({ text }) => text) };
    }),
  );
};
const note = 'phone: (11) 98765-4321\ninterest: a demo, prices\nmessage: Call me.';
const ana = { contact_name: 'Ana Souza', email: 'ana@example.com', notes: [note] };

test('the page makes one lead of a double click, and then is ready for another', async () => {
  const page = await (await openContext()).newPage();
  await page.goto(await startForm());
  await fillIn(page);
  await page.getByRole('button').dblclick();
  await page.getByText('Thank you.').waitFor();
  expect(await page.getByLabel('Message').inputValue()).toBe('');
  expect(await stored()).toEqual([ana]);
});

test('a page of a named origin reads the answer', async () => {
  const website = await startWebsite();
  website.action = await startForm({ PAGE_ORIGINS: website.origin });
  const page = await (await openContext()).newPage();
  await page.goto(website.origin);
  await fillIn(page);
  await page.getByRole('button').click();
  await page.getByText('Thank you.').waitFor();
  expect(await stored()).toEqual([ana]);
});

test('a page of another origin can’t read it, and sends the form again: that makes no second lead', async () => {
  const website = await startWebsite();
  website.action = await startForm({ PAGE_ORIGINS: 'http://127.0.0.1:1' });
  const page = await (await openContext()).newPage();
  await page.goto(website.origin);
  await fillIn(page);
  for (const _time of ['once', 'twice']) {
    await page.getByRole('button').click();
    await page.getByText('Please send it again.').waitFor();
  }
  expect(await page.getByLabel('Message').inputValue()).toBe('Call me.');
  expect(await stored()).toEqual([ana]);
});

test('without its script, the browser shows the answer', async () => {
  const page = await (await openContext()).newPage();
  await page.goto(await startForm());
  await fillIn(page);
  // No handler hears of that.
  await page.locator('form').evaluate((form: unknown) => (form as { submit(): void }).submit());
  await page.getByText('Thank you.', { exact: true }).waitFor();
  expect(await page.locator('form').count()).toBe(0);
  expect(await stored()).toEqual([ana]);
});
