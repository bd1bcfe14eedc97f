import { jsonReply } from './failure-replies.ts';
import type { ProxyRequest, Step } from './step.ts';

/** What becomes of one request: it is passed on, or lost on its way or on its way back, or refused. */
export type Fate = 'passes' | 'is lost' | 'loses its reply' | 'loses half its reply' | 429 | 503;

/** What befalls requests of a client to the service, as networks and gateways fail. */
export class ClientFaults {
  /** What becomes of the next requests; those after them pass. */
  fates: Fate[] = [];
  /** Each that came. */
  seen: ProxyRequest[] = [];

  readonly step: Step = async (request, pass) => {
    this.seen.push(request);
    const fate = this.fates.shift() ?? 'passes';
    if (fate === 'is lost') return undefined;
    if (typeof fate === 'number') return refusal(fate);
    const reply = await pass();
    if (fate === 'loses its reply') return undefined;
    return { ...reply, isCutOff: fate === 'loses half its reply' };
  };
}

const refusal = (status: 429 | 503) => {
  const code = status === 429 ? 'rate_limited' : 'unavailable';
  const error = { code, message: 'Not now.', request_id: 'of-the-proxy' };
  const headers = { 'content-type': 'application/json', 'retry-after': '0' };
  return { ...jsonReply(status, { error }), headers };
};
