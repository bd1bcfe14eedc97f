import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { validate } from 'uuid';
import { type Client, createClient } from '../client.ts';
import { ApiError } from '../errors.ts';
import { baseUrlProblem } from '../options.ts';
import { CliError } from './cli-error.ts';
import { failureText } from './failure.ts';
import { takeProxy } from './proxy.ts';

export interface Where {
  baseUrl: string;
  /** Needed where the caller is in no organization, or in several. */
  organization?: string | undefined;
}

/** Looks at each attempt to send a request. */
export interface Watch {
  /** Called before the request; what this throws ends it. */
  before(): void;
  /** The answer, or why there is none. */
  after(outcome: Response | Error): void;
}

const unwatched: Watch = { before: () => {}, after: () => {} };

/** How long to wait at most before a request that was refused by the limit is tried anew, in milliseconds. */
const longestPause = 5000;

/** How long to wait for another token once a token has ended, in milliseconds. */
const tokenIsRenewedWithin = 60_000;

/** The service, with a token of `LEADS_TOKEN` or `LEADS_TOKEN_FILE`, which is read anew for each request. */
export class Connection {
  readonly #baseUrl: string;
  #organization: string | undefined;
  readonly #token: () => string;
  readonly #mayChange: boolean;

  constructor(where: Where, environment: NodeJS.ProcessEnv = process.env) {
    const problem = baseUrlProblem(where.baseUrl);
    if (problem) throw new CliError(`--base-url ${problem}.`);
    takeProxy(where.baseUrl, environment);
    if (where.organization !== undefined) assertId('--organization', where.organization);
    const { LEADS_TOKEN, LEADS_TOKEN_FILE: file } = environment;
    const token = LEADS_TOKEN?.trim() || undefined;
    this.#baseUrl = where.baseUrl;
    this.#organization = where.organization;
    this.#mayChange = token === undefined;
    this.#token = () => (token === undefined ? readToken(file) : checked(token, 'LEADS_TOKEN'));
    this.#token();
  }

  /**
   * The organization that all requests are for: as it was given, or the only one of the caller. Throws `CliError` where the
   * caller has none or several.
   */
  async organization(): Promise<string> {
    this.#organization ??= await this.#only();
    return this.#organization;
  }

  async #only(): Promise<string> {
    const { data } = await this.#send(({ get }) => get('/me'));
    const [one, ...others] = data.organizations;
    if (one && others.length === 0 && data.next_cursor === undefined) return one.id;
    const ids = data.organizations.map(({ id }) => id).join(', ');
    throw new CliError(
      one ? `--organization must say which one: ${ids}.` : '--organization is needed.',
    );
  }

  /** Sends it; where the token has ended, again once there is another. */
  async send<T>(request: (client: Client) => Promise<T>, watch = unwatched): Promise<T> {
    // Another key that comes into the file has no effect in another organization.
    if (this.#organization === undefined) await this.organization();
    return this.#send(request, watch);
  }

  async #send<T>(request: (client: Client) => Promise<T>, watch = unwatched): Promise<T> {
    const client = this.#clientOf(watch);
    for (;;) {
      const token = this.#token();
      try {
        return await request(client);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 'rate_limited' || error.status === 429) {
          // Others may use up the limit for long. Nothing was done, so that waiting costs nothing.
          await wait(Math.random() * longestPause);
          continue;
        }
        if (error.code !== 'unauthenticated') throw error;
        const refusal = failureText(error);
        if (!this.#mayChange) throw new CliError(`${refusal}. Set another token in LEADS_TOKEN.`);
        await this.#tokenAfter(token, `${refusal}. LEADS_TOKEN_FILE got no other token.`);
      }
    }
  }

  /** The token as soon as the file has another token than this. Where it has none within a minute, throws the problem. */
  async #tokenAfter(before: string, problem: string): Promise<string> {
    const until = Date.now() + tokenIsRenewedWithin;
    for (let token = this.#token(); ; token = this.#token()) {
      if (token !== before) return token;
      if (Date.now() > until) throw new CliError(problem);
      await wait(200);
    }
  }

  #clientOf(watch: Watch): Client {
    return createClient({
      baseUrl: this.#baseUrl,
      organizationId: this.#organization,
      apiKey: async () => {
        watch.before();
        // A file that is being written is empty for a moment.
        return this.#tokenAfter('', 'LEADS_TOKEN_FILE is empty.');
      },
      fetch: (request) => watched(watch, request as Request),
      // A `Retry-After` of up to a minute is waited for.
      retry: { attempts: 10, mostDelayMs: 60_000 },
    });
  }
}

const watched = async (watch: Watch, request: Request): Promise<Response> => {
  try {
    const response = await fetch(request);
    watch.after(response);
    return response;
  } catch (error) {
    watch.after(error as Error);
    throw error;
  }
};

/** Throws `CliError` where an option is no UUID. */
export const assertId = (option: string, value: string): void => {
  if (!validate(value)) throw new CliError(`${option} must be a UUID.`);
};

const readToken = (file: string | undefined): string => {
  if (!file)
    throw new CliError('Set LEADS_TOKEN or LEADS_TOKEN_FILE to an API key or an id_token.');
  return checked(textOf(file), 'LEADS_TOKEN_FILE');
};

const textOf = (file: string): string => {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new CliError(`LEADS_TOKEN_FILE can’t be read: ${(error as Error).message}`);
  }
};

/** Refuses what no header can have: `fetch` would show the token in its error. A file that is being written can be empty. */
const checked = (text: string, name: string): string => {
  const token = text.trim();
  if (/[^!-~]/.test(token)) {
    throw new CliError(
      `${name} must hold one API key or id_token, without white space or other signs in it.`,
    );
  }
  return token;
};
