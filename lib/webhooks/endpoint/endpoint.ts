import type { promises } from 'node:dns';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { isIP } from 'node:net';
import { AddressRefusedError, allowedAddress, checkedLookup, resolveOf } from './address.ts';

/** Milliseconds from the beginning of an attempt to the end of its answer. */
const attemptTimeoutMs = 15_000;
/**
 * Milliseconds after which another address of the name is tried. Node's 250 are too few for the other side of the earth,
 * and the other address may be an IPv6 address, which a function can't reach.
 */
const nextAddressAfterMs = 3000;
/** Bytes of an answer that are read: what comes after them is not needed. */
const mostResponseBytes = 64 * 1024;

/** Why there is no response. The owner learns no more than this: the rest may be about a network that is not theirs. */
export const failures = [
  'address_refused',
  'dns_failed',
  'connection_failed',
  'tls_failed',
  'timeout',
  'response_incomplete',
  'response_invalid',
] as const;
export type Failure = (typeof failures)[number];

export interface PostResult {
  /** Null where there was none. */
  status: number | null;
  failure: Failure | null;
  /** The `Retry-After` of 429 and 503, in milliseconds. */
  retryAfterMs?: number | undefined;
}

interface EndpointOptions {
  allowed?: (address: string) => boolean;
  dns?: promises.Resolver;
  /** A certificate that is trusted. */
  ca?: string;
  /** Milliseconds of an attempt. */
  timeoutMs?: number;
}

/** Posts to one address, over connections that it keeps until it is closed. Then it sends nothing any more. */
export class Endpoint {
  readonly #url: URL;
  readonly #agent: http.Agent;
  readonly #allowed: (address: string) => boolean;
  readonly #timeoutMs: number;
  #closed = false;

  /** `connections` at once at most. The rest is for tests. */
  constructor(
    url: string,
    connections: number,
    { allowed, dns, ca, timeoutMs = attemptTimeoutMs }: EndpointOptions = {},
  ) {
    this.#url = new URL(url);
    this.#timeoutMs = timeoutMs;
    this.#allowed = allowed ?? allowedAddress(this.#url);
    const { Agent } = this.#url.protocol === 'https:' ? https : http;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: connections,
      lookup: checkedLookup(this.#allowed, resolveOf(this.#url, dns)),
      autoSelectFamilyAttemptTimeout: nextAddressAfterMs,
      ...(ca && { ca }),
    });
  }

  close(): void {
    this.#closed = true;
    this.#agent.destroy();
  }

  /** Never throws: what goes wrong is a failure. Redirects are answers like any other. */
  async post(body: string, headers: Record<string, string>): Promise<PostResult> {
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const progress = { isResponding: false };
    try {
      return await this.#attempt(body, headers, signal, progress);
    } catch (error) {
      const failure = signal.aborted ? 'timeout' : failureOf(error, progress.isResponding);
      return { status: null, failure };
    }
  }

  async #attempt(
    body: string,
    headers: Record<string, string>,
    signal: AbortSignal,
    progress: { isResponding: boolean },
  ): Promise<PostResult> {
    // An agent would connect again, also after it was destroyed.
    if (this.#closed) throw new Error('closed');
    const host = this.#url.hostname.replace(/^\[|\]$/g, '');
    // A socket does not look up what is an address already.
    if (isIP(host) !== 0 && !this.#allowed(host)) throw new AddressRefusedError();
    return new Promise((resolve, reject) => {
      const { request: open } = this.#url.protocol === 'https:' ? https : http;
      const request = open(this.#url, {
        method: 'POST',
        agent: this.#agent,
        signal,
        headers: {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          'user-agent': 'leads-and-stars-webhooks',
          ...headers,
        },
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The endpoint closed an idle connection at the moment when it was reused.
        const stale = request.reusedSocket && !progress.isResponding && error.code === 'ECONNRESET';
        if (stale) resolve(this.#attempt(body, headers, signal, progress));
        else reject(error);
      });
      request.on('response', (response) => {
        progress.isResponding = true;
        read(response).then(resolve, reject);
      });
      // An answer of 101 is no `response`; without a listener, nothing but `close` would tell of it.
      request.on('upgrade', ({ statusCode = 0 }, socket) => {
        socket.destroy();
        resolve({ status: statusCode, failure: null });
      });
      request.on('close', () => progress.isResponding || reject(new Error('closed')));
      request.end(body);
    });
  }
}

/** Reads an answer to its end, or up to the most that is read of an answer. */
const read = async (response: IncomingMessage): Promise<PostResult> => {
  let bytes = 0;
  for await (const chunk of response) {
    bytes += Buffer.byteLength(chunk);
    // Leaving the loop closes the connection.
    if (bytes > mostResponseBytes) break;
  }
  const status = response.statusCode ?? 0;
  if (status < 100) return { status: null, failure: 'response_invalid' };
  const slowDown = status === 429 || status === 503;
  return {
    status,
    failure: null,
    retryAfterMs: slowDown ? retryAfterOf(response.headers['retry-after']) : undefined,
  };
};

/** The milliseconds of a `Retry-After`, which has seconds or a date (RFC 9110, 10.2.3). */
const retryAfterOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return undefined;
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Date.parse(text) - Date.now();
  return wait > 0 ? wait : undefined;
};

const tls = /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;

const failureOf = (error: unknown, isResponding: boolean): Failure => {
  const { name, code = '', syscall } = error as NodeJS.ErrnoException;
  if (name === 'AddressRefusedError') return 'address_refused';
  if (syscall && /^(getaddrinfo|query)/.test(syscall)) return 'dns_failed';
  if (code.startsWith('HPE_')) return 'response_invalid';
  if (tls.test(code)) return 'tls_failed';
  return isResponding ? 'response_incomplete' : 'connection_failed';
};
