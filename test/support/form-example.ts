import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inject } from 'vitest';
import { given } from './command-line.ts';
import type { Organization } from './organization.ts';

const root = join(import.meta.dirname, '../..');
const hooks = join(root, 'test/tools/client-source.js');
const script = ['--import', hooks, join(root, 'docs/examples/form.mjs')];

/** docs/examples/form.mjs, while it serves. */
export interface FormExample {
  url: string;
  /** Under which it makes leads, and can be changed. */
  apiKeyPath: string;
  /** What it has logged so far. */
  log(): string;
  end(): Promise<void>;
}

/** Starts it for an organization of the running service, with an API key of its own. */
export const startFormExample = async (
  organization: Organization,
  variables: Record<string, string> = {},
): Promise<FormExample> => {
  const { body: made } = await organization.post('/keys', { name: 'Form', role: 'agent' });
  const env = {
    ...given,
    BASE_URL: inject('service').baseUrl,
    ORGANIZATION: organization.id,
    PIPELINE: organization.pipelineId,
    LEADS_API_KEY: made.key,
    PORT: '0',
    ...variables,
  };
  const form = spawn(process.execPath, script, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  form.stderr.setEncoding('utf8').on('data', (text) => {
    log += text;
  });
  const [line] = await once(form.stdout, 'data');
  return {
    url: `http://127.0.0.1:${/\d+/.exec(String(line))?.[0]}/`,
    apiKeyPath: `/keys/${made.id}`,
    log: () => log,
    async end() {
      const ended = once(form, 'exit');
      form.kill('SIGTERM');
      await ended;
    },
  };
};
