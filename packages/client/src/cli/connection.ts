import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { type Client, createClient } from '../client.ts';
import { ApiError } from '../errors.ts';
import { CliError } from './failure.ts';

export interface Where {
  baseUrl: string;
  organization: string;
}

/** For so long an ended token is waited for to be renewed, in milliseconds. */
const tokenIsRenewedWithin = 60_000;

/** The service, with a token of `LEADS_TOKEN` or `LEADS_TOKEN_FILE`, which is read anew for each request. */
export class Connection {
  readonly client: Client;
  readonly #token: () => string;
  readonly #mayChange: boolean;

  constructor({ baseUrl, organization }: Where, environment: NodeJS.ProcessEnv = process.env) {
    const { LEADS_TOKEN: token, LEADS_TOKEN_FILE: file } = environment;
    this.#mayChange = token === undefined;
    this.#token = () => token ?? readToken(file);
    this.#token();
    this.client = createClient({
      baseUrl,
      organizationId: organization,
      token: this.#token,
      retry: { attempts: 10 },
    });
  }

  /** Sends it; where the token has ended, again once there is another. */
  async send<T>(request: (client: Client) => Promise<T>): Promise<T> {
    for (let until = Date.now() + tokenIsRenewedWithin; ; ) {
      const token = this.#token();
      try {
        return await request(this.client);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'unauthenticated') throw error;
        if (!this.#mayChange) throw new CliError(`${ended} Set a new one in LEADS_TOKEN.`);
        while (this.#token() === token) {
          if (Date.now() > until) throw new CliError(`${ended} LEADS_TOKEN_FILE was not renewed.`);
          await wait(200);
        }
        until = Date.now() + tokenIsRenewedWithin;
      }
    }
  }
}

const ended = 'The token is not taken any more.';

const readToken = (file: string | undefined): string => {
  if (!file) throw new CliError('Set LEADS_TOKEN or LEADS_TOKEN_FILE to an id_token.');
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new CliError(`LEADS_TOKEN_FILE can’t be read: ${(error as Error).message}`);
  }
};
