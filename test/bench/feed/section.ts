import { unitsOf } from '../../cost/measure.ts';
import { makeSetting } from '../../cost/setting.ts';
import { invocation } from '../calls/bills.ts';
import { measureCosts } from '../calls/costs.ts';
import { type CallName, costNamed } from '../calls/names.ts';
import { assumptions, prices } from '../prices.ts';
import { type Progress, type Section, table } from '../section.ts';
import { setStage } from '../speed/stage.ts';
import { feedDelays } from './changes.ts';
import { dollarsOf, measureWorker, type Work, webhookDelays } from './webhooks.ts';

/** Changes that are waited for one by one. */
const single = 100;

/** Units of a change, and dollars for a million. */
type Row = [name: string, read: string, write: string, dollars: string];

const rowOf = (name: string, read: number, write: number, dollars: number): Row => [
  name,
  read.toFixed(1),
  write.toFixed(1),
  (dollars * 1e6).toFixed(2),
];

/** A change that is numbered among so many, its way to the bus included. */
const numbered = async (progress: Progress, name: CallName, what: string, of: number) => {
  const cost = costNamed(await measureCosts(progress), name);
  const { read, write } = unitsOf(cost);
  const seconds =
    ((cost.milliseconds ?? 0) + cost.trips * assumptions.roundTripMilliseconds) / 1000;
  const numbering = read * prices.readUnits + write * prices.writeUnits + invocation(seconds);
  // One invocation publishes up to a hundred changes; counted as if each had its own.
  const bus = prices.lambdaRequests + prices.busEvents;
  return rowOf(what, read / of, write / of, numbering / of + bus);
};

const delivered = (what: string, work: Work): Row =>
  rowOf(what, work.read / work.changes, work.write / work.changes, dollarsOf(work) / work.changes);

/** How soon changes are in the feed and at a webhook's endpoint, and what that costs. */
export const feedAndWebhooks = async (progress: Progress): Promise<Section> => {
  const numberedRows = [
    await numbered(progress, 'numberChanges, a new lead', 'numbered alone', 1),
    await numbered(progress, 'numberChanges, ten new leads at once', 'numbered with nine more', 10),
  ];
  progress.expect(4);
  progress.step('starting');
  const stage = await setStage(2);
  try {
    const { client, pipelineId } = await makeSetting(stage.service);
    progress.step('into the feed, one after the other');
    const intoFeed = await feedDelays(client, pipelineId, single);
    progress.step('to a receiver, one after the other');
    const toReceiver = await webhookDelays(client, pipelineId, single);
    progress.step('the worker alone');
    const { alone, together } = await measureWorker(stage);
    const rows = [
      ...numberedRows,
      delivered('posted alone', alone),
      delivered(`posted of ${together.changes.toLocaleString('en')} that wait`, together),
    ];
    return sectionOf(intoFeed, toReceiver, rows);
  } finally {
    await stage.close();
  }
};

const sectionOf = (
  intoFeed: readonly number[],
  toReceiver: readonly number[],
  rows: readonly Row[],
): Section => {
  const at = (values: readonly number[], part: number) =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * part)]!.toFixed(0);
  const of = (values: readonly number[]) => `${at(values, 0.5)} ms (p99 ${at(values, 0.99)})`;
  return {
    title: 'Feed and webhooks',
    result: `Locally, a change is in the feed ${of(intoFeed)} after its request was answered, at a receiver ${of(toReceiver)}. A
  million cost ${rows[1]![3]} to ${rows[0]![3]} dollars to number and publish, ${rows[3]![3]} to ${rows[2]![3]} to post.`,
    goals: [],
    content: [
      `Units of a change, and dollars for a million. In AWS expect half a second to the feed and a second to a receiver; that is
not measured.`,
      table(['a change', 'read', 'write', 'dollars'], [...rows]),
    ],
  };
};
