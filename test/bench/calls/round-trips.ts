import type { Cost } from '../../cost/measure.ts';
import { type Goal, type Progress, type Section, table } from '../section.ts';
import { callCosts } from './costs.ts';
import { type CallName, costNamed } from './names.ts';

const wanted: [name: CallName, trips: number][] = [
  ['createLead, every field and two tags', 2],
  ['createLead, every field and two tags, again', 2],
  ['listLeads, all', 1],
  ['listLeads, of a pipeline, stage and owner', 1],
  ['getBalance, what there is', 1],
];

/** Sorted by name, as requests side by side are answered in any order. Equal ones, as in a batch of ten, are counted. */
const inShort = (requests: readonly string[]): string => {
  const counts = new Map<string, number>();
  for (const name of requests.toSorted()) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, n]) => (n === 1 ? name : `${n} × ${name}`)).join(', ');
};

const goalOf = (costs: readonly Cost[], [name, trips]: (typeof wanted)[number]): Goal => {
  const measured = costNamed(costs, name).trips;
  return {
    goal: `${name}: ${trips} round trip${trips === 1 ? '' : 's'} at most`,
    measured: String(measured),
    holds: measured <= trips,
  };
};

/** Requests to DynamoDB that wait for one another. */
export const roundTripsOfCalls = async (progress: Progress): Promise<Section> => {
  const costs = await callCosts(progress);
  const named = (wanted: CallName) => costNamed(costs, wanted).trips;
  return {
    title: 'Round trips in a row',
    result: `A new lead waits for DynamoDB ${named('createLead, every field and two tags')} times in a row, a list and a balance ${named('listLeads, all')}.`,
    goals: wanted.map((one) => goalOf(costs, one)),
    content: [
      `This counts requests to DynamoDB that wait for one another: each begins when the one before is answered. The proxy
holds every answer back for 50 ms, so that requests that need not wait overlap. The membership is read at the same time
as what the operation itself reads. Only the answer and the writes wait for it.`,
      table(
        ['call', 'in a row', 'all requests'],
        costs.map(({ name, trips, requests }) => [name, trips, inShort(requests)]),
      ),
    ],
  };
};
