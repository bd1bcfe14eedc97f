import { join } from 'node:path';
import { build } from 'esbuild';
import { beforeAll, expect, inject, test } from 'vitest';
import type * as client from '../../packages/client/src/index.ts';
import { type Organization, provision } from '../support/organization.ts';
import { serverOf } from '../support/server.ts';
import { openContext, useChromium } from './chromium.ts';

useChromium();

const { baseUrl, pageOrigin } = inject('service');
const entry = join(import.meta.dirname, '../../packages/client/src/index.ts');

let organization: Organization;
let script: string;

beforeAll(async () => {
  organization = await provision();
  const bundle = { bundle: true, format: 'iife', globalName: 'client', write: false } as const;
  const { outputFiles } = await build({ entryPoints: [entry], ...bundle });
  script = outputFiles[0]!.text;
});

/** What stands before the API, and redirects what pages of any origin ask to where it is. */
const redirecting = async (): Promise<string> => {
  const origin = await serverOf(({ method, url }, response) => {
    const headers = {
      'access-control-allow-origin': '*',
      'access-control-allow-headers': '*, authorization',
      location: `${baseUrl}${url?.replace('/v1', '')}`,
    };
    response.writeHead(method === 'OPTIONS' ? 204 : 307, headers).end();
  }, 'localhost');
  return `${origin}/v1`;
};

test('in a page, a call is made, and one that is redirected is an error without a lead', async () => {
  const page = await (await openContext()).newPage();
  await page.goto(pageOrigin);
  await page.addScriptTag({ content: script });
  const create = (base: string) =>
    page.evaluate(
      async ({ pipeline_id, ...options }) => {
        const { createClient } = (globalThis as unknown as { client: typeof client }).client;
        const request = { body: { contact_name: 'Maria Silva', pipeline_id } };
        return createClient(options)
          .post('/leads', request)
          .then(
            ({ data }) => data.contact_name,
            ({ name, message }) => `${name}: ${message}`,
          );
      },
      {
        baseUrl: base,
        organizationId: organization.id,
        token: organization.tokens.owner,
        pipeline_id: organization.pipelineId,
      },
    );
  expect(await create(baseUrl)).toBe('Maria Silva');
  const proxy = await redirecting();
  expect(await create(proxy)).toBe(
    `RedirectError: POST ${proxy}/leads was redirected to another address. The API never redirects: see whether the base URL is right. Nothing was carried out.`,
  );
  expect(await organization.readAll('/leads')).toHaveLength(1);
});
