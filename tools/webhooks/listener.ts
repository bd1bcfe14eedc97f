import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { printable } from '../cli/terminal-text.ts';

/** Takes messages, tells each in a line, and answers. */
export class Listener {
  secret = '';
  readonly #forwardTo: string | undefined;
  readonly #print: (line: string) => void;
  readonly #whole: boolean;

  constructor(forwardTo: string | undefined, print: (line: string) => void, whole: boolean) {
    this.#forwardTo = forwardTo;
    this.#print = print;
    this.#whole = whole;
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = '';
    const headers = request.headers as Record<string, string>;
    let message: Record<string, unknown>;
    try {
      for await (const part of request.setEncoding('utf8')) body += part;
      message = new Webhook(this.secret).verify(body, headers) as Record<string, unknown>;
    } catch {
      this.#print('refused a request that the webhook’s secret has not signed');
      response.writeHead(401).end();
      return;
    }
    const answer = this.#forwardTo
      ? await forward(this.#forwardTo, headers, body)
      : { status: 204, headers: {} };
    this.#print(printable(this.#whole ? body : lineOf(message, answer?.status)));
    response.writeHead(answer?.status ?? 502, answer?.headers).end();
  }
}

const lineOf = ({ type, sequence, lead_id, event_id }: Record<string, unknown>, status?: number) =>
  [
    new Date().toTimeString().slice(0, 8),
    type,
    sequence === undefined ? '' : `#${sequence}`,
    lead_id ?? '',
    event_id,
    status === undefined ? '-> no answer' : `-> ${status}`,
  ]
    .filter((part) => part !== '')
    .join(' ');

/** The answer's status, and when to try again; undefined where there is no answer. */
const forward = async (
  url: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ status: number; headers: Record<string, string> } | undefined> => {
  const passed = Object.entries(headers).filter(([name]) => /^(webhook-|content-type$)/.test(name));
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: Object.fromEntries(passed),
      body,
      redirect: 'manual',
      signal: AbortSignal.timeout(15_000),
    });
    await answer.body?.cancel();
    const retryAfter = answer.headers.get('retry-after');
    return { status: answer.status, headers: retryAfter ? { 'retry-after': retryAfter } : {} };
  } catch {
    return undefined;
  }
};
