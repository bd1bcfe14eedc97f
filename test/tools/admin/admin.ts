import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { type Ran, runScript } from '../../support/command-line.ts';
import { FaultProxy } from '../../support/faults/fault-proxy.ts';
import type { Step } from '../../support/faults/step.ts';

const main = join(import.meta.dirname, '../../../tools/admin/main.ts');
const service = inject('service');

/** What the running service says of itself. */
export const ready = {
  base_url: service.baseUrl,
  dynamodb_endpoint: service.tableEndpoint,
  table_name: service.tableName,
};

/** The command line itself, in processes and a directory of its own, against the running service. */
export class Admin {
  #directory = '';
  #readyFile = '';

  /** For the tests of a file. */
  constructor() {
    beforeAll(async () => {
      this.#directory = await mkdtemp(join(tmpdir(), 'leads-and-stars-admin-'));
      this.#readyFile = await this.file('service.json', ready);
    });
    afterAll(() => rm(this.#directory, { recursive: true }));
  }

  /** Writes a file for it to read, and returns its path. */
  async file(name: string, content: unknown): Promise<string> {
    const file = join(this.#directory, name);
    await writeFile(file, JSON.stringify(content));
    return file;
  }

  /** Told nothing but these variables and arguments. */
  runWith(variables: Record<string, string>, ...args: string[]): Promise<Ran> {
    return runScript(main, args, { cwd: this.#directory, variables });
  }

  run(...args: string[]): Promise<Ran> {
    return this.runWith({}, ...args, '--ready-file', this.#readyFile);
  }

  /** With this between it and the table. */
  async runBehind(step: Step, ...args: string[]): Promise<Ran> {
    const proxy = await FaultProxy.start(ready.dynamodb_endpoint, [step]);
    const file = await this.file('behind.json', { ...ready, dynamodb_endpoint: proxy.endpoint });
    const ran = await this.runWith({}, ...args, '--ready-file', file);
    await proxy.close();
    return ran;
  }

  // biome-ignore lint/suspicious/noExplicitAny: answers of many shapes.
  async json(...args: string[]): Promise<any> {
    const ran = await this.run(...args, '--json');
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ran.stdout);
  }
}

/** The table does what it is asked, and its answer is lost. */
export const losesAnswers: Step = async ({ operation }, pass) => {
  const reply = await pass();
  return operation === 'TransactWriteItems' ? undefined : reply;
};

export const expectFailure = (ran: Ran, message: RegExp): void => {
  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.trim().split('\n').length).toBe(1);
};
