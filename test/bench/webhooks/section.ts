import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { credentials, ensureTable, Processes, startEngine } from '@leads-and-stars/runner';
import { openTable } from '../../../lib/table/client.ts';
import { waitsMs } from '../../../lib/webhooks/delivery/delivery-rules.ts';
import { makeSetting } from '../../cost/setting.ts';
import type { Client } from '../../faults/client.ts';
import { down, ok, World } from '../../support/webhook-world.ts';
import { assumptions, prices } from '../prices.ts';
import { type Progress, type Section, table } from '../section.ts';
import { setStage } from '../speed/stage.ts';

/** Changes that are waited for one by one. */
const single = 100;
/** Changes of one organization that wait when the worker starts. */
const waiting = { leads: 50, versions: 20 };
const hour = 3_600_000;

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

/** Milliseconds from the answer of each write to the receiver's having the change, in order. */
const delays = async (client: Client, pipelineId: string): Promise<number[]> => {
  const hooks = await receiver();
  try {
    await client.send({ id: 'createWebhook', path: '/webhooks', body: { url: hooks.url } });
    const measured: number[] = [];
    for (let i = 0; i < single; i++) {
      const arrived = hooks.next();
      const body = { contact_name: 'Ana', pipeline_id: pipelineId };
      await client.send({ id: 'createLead', path: '/leads', body });
      const answered = performance.now();
      await arrived;
      measured.push(performance.now() - answered);
    }
    return measured.toSorted((a, b) => a - b);
  } finally {
    hooks.close();
  }
};

interface Work {
  name: string;
  changes: number;
  read: number;
  write: number;
  /** Runs of the worker; each is a message of the queue, which takes three requests of SQS. */
  runs: number;
  milliseconds: number;
}

/** What the worker does for so many changes at once. */
const workFor = async (name: string, world: World, changes: number, rounds = 1): Promise<Work> => {
  const before = { ...world.cost };
  const started = performance.now();
  for (let i = 0; i < rounds; i++) await world.work();
  const { read, write } = world.cost;
  return {
    name,
    changes,
    read: read - before.read,
    write: write - before.write,
    runs: rounds,
    milliseconds: performance.now() - started,
  };
};

const dollarsOf = ({ read, write, runs, milliseconds }: Work): number => {
  const gigabyteSeconds = (milliseconds / 1000) * assumptions.functionGigabytes;
  return (
    read * prices.readUnits +
    write * prices.writeUnits +
    runs * (prices.lambdaRequests + 3 * prices.fairQueueRequests) +
    gigabyteSeconds * prices.lambdaGigabyteSeconds
  );
};

const rowOf = (work: Work) => [
  work.name,
  (work.read / work.changes).toFixed(1),
  (work.write / work.changes).toFixed(1),
  ((dollarsOf(work) / work.changes) * 1e6).toFixed(2),
];

/** How soon, how dear and how fast changes reach an endpoint, and what one costs that is down. */
export const webhooks = async (progress: Progress): Promise<Section> => {
  progress.expect(4);
  progress.step('starting');
  const stage = await setStage(2);
  const processes = new Processes();
  try {
    const { client, pipelineId } = await makeSetting(stage.service);
    progress.step('one change after the other');
    const milliseconds = await delays(client, pipelineId);
    // A table of its own, where no other worker is.
    const engine = await startEngine(processes, 'memory');
    await ensureTable(engine, stage.service.assembly.table);
    Object.assign(process.env, {
      ...stage.environment,
      AWS_ENDPOINT_URL_DYNAMODB: engine,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    });
    const at = openTable();
    progress.step('the worker alone');
    const one = await World.with(at, 1, 1);
    await one.work();
    await one.change([crypto.randomUUID()], 1);
    const alone = await workFor('alone', one, 1);
    const nothing = await workFor('a wake with nothing to post', one, 1);
    const { leads, versions } = waiting;
    const many = await World.with(at, leads, versions);
    const together = await workFor(`of ${leads * versions} that wait`, many, leads * versions);
    progress.step('an endpoint that is down');
    const away = await World.with(at, 20, 5);
    away.answer = () => down;
    const fails = await workFor('down', away, 100);
    const posts = away.posted.length;
    // Its probes of an hour: those after 5 s, 5 min and 30 min.
    const until = away.now + hour;
    let probes = 0;
    const spent = { ...away.cost };
    for (const wait of waitsMs) {
      if (away.now + wait > until) break;
      away.now += wait;
      await away.work();
      probes++;
    }
    const ofProbes = {
      ...fails,
      read: away.cost.read - spent.read,
      write: away.cost.write - spent.write,
      runs: probes,
      milliseconds: 0,
    };
    away.answer = () => ok;
    away.now += 2 * hour;
    const back = await workFor('back', away, 100);
    const atPart = (part: number) =>
      milliseconds[Math.floor(milliseconds.length * part)]!.toFixed(0);
    const rate = (leads * versions * 1000) / together.milliseconds;
    const dearest = rowOf(alone).at(-1);
    const cheapest = rowOf(together).at(-1);
    const ofHour = dollarsOf(fails) + dollarsOf(ofProbes);
    return {
      title: 'Webhooks',
      result: `A change reaches a receiver ${atPart(0.5)} ms after its request was answered, ${atPart(0.99)} ms in 99 of 100 cases, in the local runner.
  A million changes to one webhook cost ${cheapest} to ${dearest} dollars. An endpoint that is down for an hour costs ${ofHour.toFixed(6)} dollars.`,
      goals: [],
      content: [
        `From a change's answer to its receiver, and what that costs. Without webhooks it costs one read unit for each batch
that is numbered: whether the organization has any.

**How soon.** ${single} leads, each waited for before the next: ${atPart(0.5)} ms in the median, ${atPart(0.99)} ms in 99 of 100 cases, from
the answer of the write to the receiver. The runner reads the stream every 100 ms and passes a wake on at once. In AWS
expect about a second: see [changes](changes.md) for the stream, and some ten milliseconds for the queue.`,
        table(
          ['a change', 'read units', 'write units', 'dollars for a million'],
          [rowOf(alone), rowOf(together), rowOf(nothing)],
        ),
        `The first is of a change that comes alone: the worker takes the lease, posts, writes position and attempt, and looks
whether there is more. The second is of each change where many wait: what is left is its attempt in the log. The third
is a wake that finds nothing to do. The dollars are those of \`test/bench/prices.ts\`, with function and queue, and an
endpoint that answers at once: each second of an endpoint that takes longer costs ${(prices.lambdaGigabyteSeconds * assumptions.functionGigabytes).toFixed(7)} dollars, shared by up to ten posts.

**How fast.** ${leads * versions} changes of ${leads} leads, posted by one worker to an endpoint that answers at once: ${rate.toFixed(0)} a second on this machine,
against the local engine. A webhook has ten posts at once at most: with an endpoint that takes 100 ms, that is 100 a second.

**An endpoint that is down.** With 100 changes waiting, it is paused after ${posts} posts, for which ${fails.write.toFixed(0)} write units are paid.
In the rest of the hour it is probed ${probes} times, with ${ofProbes.write.toFixed(0)} write units in all: ${ofHour.toFixed(6)} dollars for the hour, however many
changes come meanwhile but for their wakes. When it is back, the 100 changes cost ${back.write.toFixed(0)} write units.`,
      ],
    };
  } finally {
    await processes.close();
    await stage.close();
  }
};
