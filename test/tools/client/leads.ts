import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inject } from 'vitest';
import { type Ran, startScript } from '../../support/command-line.ts';
import type { Organization } from '../../support/organization.ts';
import { runHere } from './run-here.ts';

const main = join(import.meta.dirname, '../../../packages/client/src/cli/main.ts');

/** The command line `leads`, in a directory of its own, as a member of an organization. */
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

  /** Begins a command in a process of its own; `ended` resolves with how it went. */
  start(args: readonly string[], input = ''): ReturnType<typeof startScript> {
    return startScript(main, this.#argumentsOf(args), { ...this.#surroundings, input });
  }

  /** Runs a command to its end, in the process of the test: one test of each command starts it. */
  run(...args: string[]): Promise<Ran> {
    return runHere(main, this.#argumentsOf(args), this.#surroundings);
  }

  #argumentsOf([verb = '', ...rest]: readonly string[]): string[] {
    const { baseUrl } = inject('service');
    return [verb, '--base-url', baseUrl, '--organization', this.#organization.id, ...rest];
  }

  get #surroundings() {
    return { cwd: this.directory, variables: { LEADS_TOKEN_FILE: this.path('token') } };
  }

  close(): Promise<void> {
    return rm(this.directory, { recursive: true });
  }
}
