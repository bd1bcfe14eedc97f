import type { IncomingHttpHeaders } from 'node:http';

/** A request on its way to DynamoDB, or to the service. */
export interface ProxyRequest {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** What it asks of DynamoDB, such as `TransactWriteItems`; empty for others. */
  operation: string;
}

export interface ProxyReply {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The connection ends in the middle of it. */
  isCutOff?: boolean;
}

/** Sends a request on: this one, or the one that is given instead. */
export type Pass = (instead?: ProxyRequest) => Promise<ProxyReply>;

/** What happens to a request on its way. Where there is no reply, or it throws, the connection ends without one. */
export type Step = (request: ProxyRequest, pass: Pass) => Promise<ProxyReply | undefined>;
