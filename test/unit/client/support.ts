import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { planOf } from '../../../packages/client/src/cli/columns.ts';
import { Connection } from '../../../packages/client/src/cli/connection.ts';
import type { CustomFieldsByKey } from '../../../packages/client/src/cli/custom-fields.ts';
import { leadsOfCells, leadsOfJson, type ToLead } from '../../../packages/client/src/cli/leads.ts';
import type { Reading } from '../../../packages/client/src/cli/row-reader.ts';
import type { LeadFile } from '../../../packages/client/src/cli/rows.ts';
import { heard } from '../../support/heard.ts';
import { serverOf } from '../../support/server.ts';

/** The path of each name in a directory of a test's own. */
export const makeDirectory = async (): Promise<(name: string) => string> => {
  const directory = await mkdtemp(join(tmpdir(), 'leads-client-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  return (name) => join(directory, name);
};

/** A file of a test's own, with this content. */
export const fileOf = async (name: string, text: string | Uint8Array): Promise<string> => {
  const file = (await makeDirectory())(name);
  await writeFile(file, text);
  return file;
};

/** A service at an address of its own that answers these, one after the other, and how often it was asked. */
export const serviceOf = async (...answers: RequestListener[]) => {
  let asked = 0;
  const address = await serverOf((request, response) =>
    answers[Math.min(asked++, answers.length - 1)]!(request, response),
  );
  return { baseUrl: `${address}/v1`, asked: () => asked };
};

export const redirects =
  (status: number, location?: string): RequestListener =>
  (_request, response) =>
    response.writeHead(status, location === undefined ? {} : { location }).end('elsewhere');

/** A connection to a service that answers so, for some organization unless told. */
export const connectionTo = (
  answer: (request: Request) => Response | Promise<Response>,
  environment: NodeJS.ProcessEnv = { LEADS_TOKEN: 't' },
  { organization }: { organization?: string } = { organization: crypto.randomUUID() },
): Connection => {
  vi.stubGlobal('fetch', async (request: Request) => answer(request));
  onTestFinished(() => void vi.unstubAllGlobals());
  return new Connection({ baseUrl: 'http://service.test/v1', organization }, environment);
};

type PathAnswer = object | ((request: Request) => object | Promise<object>);

/** Where a service is that answers each of these paths so, and what it was asked for; the caller has a key of one organization. */
export const serviceWith = (answers: Readonly<Record<string, PathAnswer>>) => {
  const asked: string[] = [];
  vi.stubEnv('LEADS_TOKEN', 't');
  vi.stubGlobal('fetch', async (request: Request) => {
    const path = new URL(request.url).pathname.replace('/v1', '');
    asked.push(`${request.method} ${path}`);
    const answer = answers[path];
    const body = typeof answer === 'function' ? await answer(request) : answer;
    if (body instanceof Response) return body;
    const error = { code: 'not_found', message: `nothing is at ${path}`, request_id: 'r' };
    return body ? Response.json(body) : Response.json({ error }, { status: 404 });
  });
  onTestFinished(() => {
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  });
  const where = {
    baseUrl: 'http://service.test/v1',
    organization: '0b861954-ed91-4e84-8458-6e46c6a6d30e',
  };
  return { where, asked };
};

/** What is said to standard output meanwhile. */
export const printed = async (...told: Parameters<typeof heard>): Promise<string> =>
  (await heard(...told)).stdout;

/** Dates stand still until `vi.setSystemTime`. Timers are real. */
export const withStillClock = (): void => {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
};

/** Waits take no time. */
export const withoutWaits = (): void => {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
};

export const csv = (header: string[]): LeadFile => ({
  format: { kind: 'csv', delimiter: ',', lineEnds: ['\n'] },
  header,
});

export const ndjson: LeadFile = { format: { kind: 'ndjson' }, header: [] };

export const allOf = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** How rows of a file become leads. */
export const leadsBy = (
  leadFile: LeadFile,
  map: readonly [string, string][] = [],
  custom: CustomFieldsByKey = new Map(),
  reading: Reading = {},
): ToLead => {
  const mapping = new Map(map);
  if (leadFile.format.kind === 'ndjson') return leadsOfJson(mapping, reading.pipelineId);
  return leadsOfCells(planOf(leadFile, { map: mapping }, custom), reading, custom);
};
