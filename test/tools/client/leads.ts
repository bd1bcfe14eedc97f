import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { given } from '../../support/command-line.ts';
import type { Organization } from '../../support/organization.ts';

const main = join(import.meta.dirname, '../../../packages/client/src/cli/main.ts');

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

/** The command line `leads`, in processes and a directory of its own, as a member of an organization. */
export class Leads {
  readonly directory: string;
  readonly #organization: Organization;

  private constructor(directory: string, organization: Organization) {
    this.directory = directory;
    this.#organization = organization;
  }

  static async of(organization: Organization): Promise<Leads> {
    const directory = await mkdtemp(join(tmpdir(), 'leads-'));
    const leads = new Leads(directory, organization);
    await leads.setToken(organization.tokens.agent);
    return leads;
  }

  path(name: string): string {
    return join(this.directory, name);
  }

  async file(name: string, content: string | Uint8Array): Promise<string> {
    await writeFile(this.path(name), content);
    return this.path(name);
  }

  /** As somebody renews it while the command runs. */
  setToken(token: string): Promise<string> {
    return this.file('token', token);
  }

  read(name: string): Promise<string> {
    return readFile(this.path(name), 'utf8');
  }

  /** Begins a command; `ended` resolves with how it went. */
  start(args: readonly string[], input = ''): { process: ChildProcess; ended: Promise<Ended> } {
    const [verb = '', ...rest] = args;
    const where = [
      '--base-url',
      inject('service').baseUrl,
      '--organization',
      this.#organization.id,
    ];
    const child = spawn(process.execPath, [main, verb, ...where, ...rest], {
      cwd: this.directory,
      env: { ...given, LEADS_TOKEN_FILE: this.path('token') },
    });
    const out = { stdout: '', stderr: '' };
    child.stdout.on('data', (data) => (out.stdout += data));
    child.stderr.on('data', (data) => (out.stderr += data));
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    const ended = new Promise<Ended>((resolve) => {
      child.on('close', (code, signal) => resolve({ code, signal, ...out }));
    });
    return { process: child, ended };
  }

  run(...args: string[]): Promise<Ended> {
    return this.start(args).ended;
  }

  close(): Promise<void> {
    return rm(this.directory, { recursive: true });
  }
}
