import { randomUUID } from 'node:crypto';
import type { Client, Request } from '../faults/client.ts';
import { roundTrips, sum, type TableRequest, type Units } from '../support/faults/request-meter.ts';
import { type Call, calls } from './calls.ts';
import type { MeteredService } from './metered-service.ts';
import type { Setting } from './setting.ts';

/** What one call cost. */
export interface Cost {
  name: string;
  /** Of the operation. */
  id: string;
  read: Units;
  write: Units;
  trips: number;
  requests: string[];
  /** The kinds of items in its transactions. */
  written: string[];
  loggedBytes: number;
  answerBytes: number;
  /** By the function's own clock; what is done for a queue logs none. */
  milliseconds: number | undefined;
}

const total = (requests: readonly TableRequest[], kind: 'read' | 'write'): Units => {
  const units: Units = {};
  for (const request of requests) {
    for (const [name, more] of Object.entries(request[kind])) {
      units[name] = (units[name] ?? 0) + more;
    }
  }
  return units;
};

export const costOf = (requests: readonly TableRequest[]) => ({
  read: total(requests, 'read'),
  write: total(requests, 'write'),
  trips: roundTrips(requests),
  requests: requests.map(({ operation }) => operation),
  written: requests.flatMap(({ written }) => written),
});

interface MeasureOptions {
  /** Milliseconds by which DynamoDB's answers to what is measured come later. */
  delay?: number;
  /** Of all calls; a repeat is of the call before it. */
  wanted?: readonly Call[];
}

/** Makes the calls, one after the other, and says what each cost. Fails where one is refused. */
export const measureCalls = async (
  { meter, takeLog }: MeteredService,
  setting: Setting,
  { delay = 0, wanted = calls }: MeasureOptions = {},
): Promise<Cost[]> => {
  const costs: Cost[] = [];
  let [key, sent] = ['', {} as Request];
  for (const { name, request, repeat } of wanted) {
    if (!repeat) [key, sent] = [randomUUID(), await request(setting.examples)];
    await becomeKnown(setting.client, sent);
    await takeLog();
    await meter.take();
    meter.delayReplies(delay);
    const { status, code, body } = await setting.client.send(sent, key);
    meter.delayReplies(0);
    if (status >= 300) throw new Error(`${name}: ${code} ${JSON.stringify(body)}`);
    const line = lineOf(sent, await takeLog());
    costs.push({
      name,
      id: sent.id,
      ...costOf(await meter.take()),
      loggedBytes: Buffer.byteLength(line),
      milliseconds: JSON.parse(line).message.duration_ms,
      answerBytes: body === undefined ? 0 : Buffer.byteLength(JSON.stringify(body)),
    });
  }
  return costs;
};

/** The call's own line: a slow machine may have logged beside it that a wake came late. */
const lineOf = ({ id }: Request, log: string): string =>
  log.split('\n').find((line) => line && JSON.parse(line).message.operation === id) ?? '';

/** Refused once its caller is known: an environment reads at once only for members whom it has seen. */
const becomeKnown = async (client: Client, { path, ...request }: Request): Promise<void> => {
  if (path === undefined) return;
  if (path === '/mcp') return becomeKnownToTool(client, { path, ...request });
  const wrong = path.includes('?') ? `${path}&unknown=1` : `${path}?unknown=1`;
  const { status } = await client.send({ ...request, path: wrong });
  if (status !== 400) throw new Error(`${path} takes what is not known: ${status}`);
};

/** The same by a tool, where what an operation refuses is told by a result. */
const becomeKnownToTool = async (client: Client, request: Request): Promise<void> => {
  const message = structuredClone(request.body) as { params: { arguments: object } };
  Object.assign(message.params.arguments, { unknown: 1 });
  const { body } = await client.send({ ...request, body: message });
  if (!body.result?.isError) throw new Error(`a tool takes what is not known: ${body}`);
};

export const unitsOf = ({ read, write }: Pick<Cost, 'read' | 'write'>) => ({
  read: sum(read),
  write: sum(write),
});
