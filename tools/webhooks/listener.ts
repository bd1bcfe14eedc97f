import type { IncomingMessage, ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { printable } from '../cli/terminal-text.ts';

/** Takes messages, and tells each in a line. */
export class WebhookListener {
  secret = '';
  readonly #print: (line: string) => void;
  readonly #whole: boolean;

  constructor(print: (line: string) => void, whole: boolean) {
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
    this.#print(printable(this.#whole ? body : lineOf(message)));
    response.writeHead(204).end();
  }
}

const lineOf = ({ type, sequence, lead_id, event_id }: Record<string, unknown>): string => {
  const number = sequence === undefined ? undefined : `#${sequence}`;
  const time = new Date().toTimeString().slice(0, 8);
  return [time, type, number, lead_id, event_id].filter((part) => part !== undefined).join(' ');
};
