import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { format } from 'node:util';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { runAdmin } from '../../../tools/admin/program.ts';
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

/** What a command says while it runs, in the order of its lines. */
const runHere = async (
  args: readonly string[],
  variables: Record<string, string>,
): Promise<Ran> => {
  const said = { stdout: '', stderr: '' };
  const { env } = process;
  const { log, error } = console;
  process.env = { ...variables };
  console.log = (...parts) => {
    said.stdout += `${format(...parts)}\n`;
  };
  console.error = (...parts) => {
    said.stderr += `${format(...parts)}\n`;
  };
  try {
    const code = await runAdmin(args);
    return { code, ...said };
  } finally {
    process.env = env;
    Object.assign(console, { log, error });
  }
};

/** One runs at a time: each has the process's variables and console. */
let turn: Promise<unknown> = Promise.resolve();

/** The command line, against the running service. */
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

  /** In a process of its own, where no service has been started. */
  runAlone(...args: string[]): Promise<Ran> {
    return runScript(main, args, { cwd: this.#directory });
  }

  /** Told nothing but these variables and arguments. */
  runWith(variables: Record<string, string>, ...args: string[]): Promise<Ran> {
    const ran = turn.then(() => runHere(args, { HOME: this.#directory, ...variables }));
    turn = ran.catch(() => {});
    return ran;
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
    const ran = await this.run(...args);
    expect(ran).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ran.stdout);
  }
}

/** The table does what it is asked, and its answer is lost. */
export const losesAnswers: Step = async ({ operation }, pass) => {
  const reply = await pass();
  return operation === 'TransactWriteItems' ? undefined : reply;
};

/** `code`: 1 for what failed, 2 for what is not there, 3 for what is wrong. */
export const expectFailure = (ran: Ran, message: RegExp, code = 1): void => {
  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toMatch(message);
  expect(ran.stderr.trim().split('\n').length).toBe(1);
};
