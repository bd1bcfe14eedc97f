import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { credentials, ensureTable, Processes, startEngine } from '@leads-and-stars/runner';
import { openTable } from '../../../lib/table/client.ts';
import type { Client } from '../../faults/client.ts';
import { World } from '../../support/webhook-world.ts';
import { assumptions, prices } from '../prices.ts';
import type { Stage } from '../speed/stage.ts';

/** Changes of one organization that wait when the worker starts. */
const waiting = { leads: 50, versions: 20 };

/** A receiver that answers at once, and tells of each change. */
const receiver = async () => {
  let heard = (_leadId: string) => {};
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += part;
    response.end();
    heard(JSON.parse(body).lead_id);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}/`,
    next: () =>
      new Promise<string>((resolve) => {
        heard = resolve;
      }),
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};

/** Milliseconds from the answer of each write to the receiver's having the change. */
export const webhookDelays = async (
  client: Client,
  pipelineId: string,
  count: number,
): Promise<number[]> => {
  const hooks = await receiver();
  try {
    await client.send({ id: 'createWebhook', path: '/webhooks', body: { url: hooks.url } });
    const measured: number[] = [];
    for (let i = 0; i < count; i++) {
      const arrived = hooks.next();
      const body = { contact_name: 'Ana', pipeline_id: pipelineId };
      await client.send({ id: 'createLead', path: '/leads', body });
      const answered = performance.now();
      await arrived;
      measured.push(performance.now() - answered);
    }
    return measured;
  } finally {
    hooks.close();
  }
};

/** What the worker did for so many changes. */
export interface Work {
  changes: number;
  read: number;
  write: number;
  milliseconds: number;
}

/** What the worker does for so many changes at once. */
const workFor = async (world: World, changes: number): Promise<Work> => {
  const before = { ...world.cost };
  const started = performance.now();
  await world.work();
  const { read, write } = world.cost;
  return {
    changes,
    read: read - before.read,
    write: write - before.write,
    milliseconds: performance.now() - started,
  };
};

/** Of one run of the worker: its message takes three requests of SQS. */
export const dollarsOf = ({ read, write, milliseconds }: Work): number => {
  const gigabyteSeconds = (milliseconds / 1000) * assumptions.functionGigabytes;
  return (
    read * prices.readUnits +
    write * prices.writeUnits +
    prices.lambdaRequests +
    3 * prices.fairQueueRequests +
    gigabyteSeconds * prices.lambdaGigabyteSeconds
  );
};

/** The worker alone, on a table of its own, where no other worker is. */
export const measureWorker = async (stage: Stage) => {
  const processes = new Processes();
  try {
    const engine = await startEngine(processes, 'memory');
    await ensureTable(engine, stage.service.assembly.table);
    Object.assign(process.env, {
      ...stage.environment,
      AWS_ENDPOINT_URL_DYNAMODB: engine,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    });
    const table = openTable();
    const one = await World.with(table, 1, 1);
    await one.work();
    await one.change([crypto.randomUUID()], 1);
    const alone = await workFor(one, 1);
    const { leads, versions } = waiting;
    const many = await World.with(table, leads, versions);
    const together = await workFor(many, leads * versions);
    return { alone, together };
  } finally {
    await processes.close();
  }
};
