import { type Cost, unitsOf } from '../../cost/measure.ts';
import { makeSetting } from '../../cost/setting.ts';
import type { Client } from '../../faults/client.ts';
import { readFeed } from '../../support/feed.ts';
import { callCosts } from '../calls/costs.ts';
import { costNamed } from '../calls/names.ts';
import { assumptions, prices } from '../prices.ts';
import { limits } from '../scale/limits.ts';
import { type Progress, type Section, table } from '../section.ts';
import { setStage } from '../speed/stage.ts';

/** Changes that are waited for one by one, and those that are made as fast as the runner takes them. */
const single = 100;
const [batches, leadsOfBatch] = [10, 100];

const readerOf = (client: Client) => ({
  get: async (path: string) => ({
    text: '',
    ...(await client.send({ id: 'listChanges', path })),
  }),
});

/** Milliseconds from the answer of each write to the first answer of the feed that has it, in order. */
const delays = async (client: Client, pipelineId: string): Promise<number[]> => {
  const measured: number[] = [];
  let after = (await readFeed(readerOf(client))).length;
  for (let i = 0; i < single; i++) {
    const body = { contact_name: 'Ana', pipeline_id: pipelineId };
    await client.send({ id: 'createLead', path: '/leads', body });
    const answered = performance.now();
    const path = `/changes?after=${after}`;
    while ((await client.send({ id: 'listChanges', path })).body.items.length === 0);
    measured.push(performance.now() - answered);
    after++;
  }
  return measured.toSorted((a, b) => a - b);
};

/** Changes a second, from the first write of many to the last in the feed. */
const throughput = async (client: Client, pipelineId: string): Promise<number> => {
  const before = (await readFeed(readerOf(client))).length;
  const started = performance.now();
  const leads = Array.from({ length: leadsOfBatch }, (_, i) => ({
    contact_name: `Ana ${i}`,
    pipeline_id: pipelineId,
  }));
  for (let i = 0; i < batches; i++) {
    await client.send({ id: 'createLeads', path: '/leads/batch', body: { leads } });
  }
  const path = `/changes?after=${before + batches * leadsOfBatch - 1}&limit=1`;
  while ((await client.send({ id: 'listChanges', path })).body.items.length === 0);
  return (1000 * batches * leadsOfBatch) / (performance.now() - started);
};

/** Dollars for a change that is numbered among so many, its way to the bus included. */
const dollarsOf = (cost: Cost, of: number): number => {
  const { read, write } = unitsOf(cost);
  const seconds =
    ((cost.milliseconds ?? 0) + cost.trips * assumptions.roundTripMilliseconds) / 1000;
  const gigabyteSeconds = seconds * assumptions.functionGigabytes * prices.lambdaGigabyteSeconds;
  const function_ = prices.lambdaRequests + gigabyteSeconds;
  const numbering = read * prices.readUnits + write * prices.writeUnits + function_;
  // One invocation publishes up to a hundred changes; counted as if each had its own.
  const bus = prices.lambdaRequests + prices.busEvents;
  return numbering / of + bus;
};

type Numbered = 'a new lead' | 'a change of a lead' | 'ten new leads at once';

const rowOf = (costs: readonly Cost[], name: Numbered, of: number) => {
  const cost = costNamed(costs, `numberChanges, ${name}`);
  const { read, write } = unitsOf(cost);
  return [name, read / of, write / of, (dollarsOf(cost, of) * 1e6).toFixed(2)];
};

/** How soon, how dear and how fast changes get their numbers. */
export const changes = async (progress: Progress): Promise<Section> => {
  const costs = await callCosts(progress);
  progress.expect(3);
  progress.step('starting');
  const stage = await setStage(2);
  try {
    const { client, pipelineId } = await makeSetting(stage.service);
    progress.step('one change after the other');
    const milliseconds = await delays(client, pipelineId);
    progress.step('changes in batches');
    const perSecond = await throughput(client, pipelineId);
    return sectionOf(costs, milliseconds, perSecond);
  } finally {
    await stage.close();
  }
};

const sectionOf = (
  costs: readonly Cost[],
  milliseconds: readonly number[],
  perSecond: number,
): Section => {
  const at = (part: number) => milliseconds[Math.floor(milliseconds.length * part)]!.toFixed(0);
  const rows = [
    rowOf(costs, 'a new lead', 1),
    rowOf(costs, 'a change of a lead', 1),
    rowOf(costs, 'ten new leads at once', 10),
  ];
  const dearest = rows[1]!.at(-1);
  return {
    title: 'Changes',
    result: `A change is in the feed ${at(0.5)} ms after its request was answered, ${at(0.99)} ms in 99 of 100 cases, in the local runner.
  A million changes cost ${rows[2]!.at(-1)} to ${dearest} dollars, the way to the bus included.`,
    goals: [],
    content: [
      `From a change's answer to the feed, and what its number costs. The request itself pays nothing for it.

**How soon.** ${single} leads, each waited for before the next: ${at(0.5)} ms in the median, ${at(0.99)} ms in 99 of 100 cases, from
the answer of the write to the first answer of \`GET /changes\` that has it. The runner reads the stream every
100 ms. In AWS, Lambda asks each shard for records four times a second, and the stream takes some hundred
milliseconds itself: expect about half a second, and more after a cold start. That is not measured.`,
      table(['numbered', 'read units', 'write units', 'dollars for a million'], rows),
      `For each change: the first number is what it costs alone, the last what it costs where the stream brings ten of an
organization at once. Two units move the head of the feed, for up to 99 items in a transaction; two number an item of
up to 1 KB, and one is its entry in the index. The dollars are those of \`test/bench/prices.ts\`, with the function,
the one that publishes, and the bus. A page of 50 changes of half a kilobyte each takes 4.5 read units.

**How fast.** ${batches} batches of ${leadsOfBatch} new leads of one organization, from the first request to the last change in the feed:
${perSecond.toFixed(0)} changes a second in the local runner, where creating the leads takes most of the time. In AWS the partition
of the feed's index sets the limit: ${limits.writeUnitsASecond.toLocaleString('en')} write units a second, so as many changes of up to 1 KB. The head
is no limit before that: a transaction numbers up to 99 items, and ten a second are enough. Organizations do not limit one
another.`,
    ],
  };
};
