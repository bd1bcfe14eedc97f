import { sum } from '../../cost/counting-proxy.ts';
import { type Cost, unitsOf } from '../../cost/measure.ts';
import { type Chart, type Progress, type Section, table } from '../section.ts';
import { callCosts } from './costs.ts';

/** What items are for, by how their partition keys begin. */
const purposes: Record<string, string> = {
  LEADS: 'the lead',
  TAG: 'a copy for each tag',
  CONTACT: 'its contacts',
  EXTERNAL: 'its external id',
  WORDS: 'its words',
  COUNTERS: 'the stage’s count',
  HISTORY: 'history and event',
  IDEMPOTENCY: 'the record of its key',
};

/** What of the write units was for what: in a transaction, an item of up to 1 KB takes two. */
const spent = ({ name, write, written }: Cost): Record<string, number> => {
  const units: Record<string, number> = {};
  for (const kind of written) {
    const purpose = purposes[kind] ?? 'other';
    units[purpose] = (units[purpose] ?? 0) + 2;
  }
  const { table: ofTable = 0, ...indexes } = write;
  if (sum(units) !== ofTable) throw new Error(`${name}: ${ofTable} units, not ${sum(units)}`);
  return { ...units, 'the indexes': sum(indexes) };
};

const broken = [
  'createLead, just a name',
  'createLead, every field and two tags',
  'updateLead, a value',
  'updateLead, a stage',
  'deleteLead',
];

const writesChart = (costs: readonly Cost[]): Chart => {
  const shown = costs.filter(({ name }) => broken.includes(name)).reverse();
  return {
    file: 'write-units',
    alt: 'Write units of creating, changing and deleting a lead, by what they are for',
    height: 400,
    option: {
      legend: { top: 8 },
      grid: { top: 80 },
      xAxis: { type: 'value', name: 'write units', nameLocation: 'middle', nameGap: 28 },
      yAxis: { type: 'category', data: shown.map(({ name }) => name) },
      series: [...Object.values(purposes), 'the indexes'].map((purpose) => ({
        name: purpose,
        type: 'bar' as const,
        stack: 'units',
        data: shown.map((cost) => spent(cost)[purpose] ?? 0),
      })),
    },
  };
};

/** The fewest units in which as much could be read, or the same items be written one by one. */
const floors = ({ answerBytes, requests, written, write }: Cost) => {
  const { table: _, ...indexes } = write;
  const reads = requests.some((operation) => operation !== 'TransactWriteItems');
  return {
    read: reads ? Math.max(1, Math.ceil(answerBytes / 4096)) / 2 : 0,
    write: written.length + sum(indexes),
  };
};

const rows = (costs: readonly Cost[]) =>
  costs.map((cost) => {
    const { read, write } = unitsOf(cost);
    const floor = floors(cost);
    const { table: _, ...indexes } = cost.write;
    return [cost.name, read, floor.read, write, cost.written.length, sum(indexes), floor.write];
  });

const resultOf = (costs: readonly Cost[]): string => {
  const named = (name: string) => unitsOf(costs.find((cost) => cost.name === name)!);
  const create = named('createLead, every field and two tags');
  return `A new lead with every field and two tags takes ${create.read} read and ${create.write} write units.
  A page of 50 leads takes ${named('listLeads').read} read units, a balance ${named('getBalance').read}.`;
};

/** Capacity units of every operation. */
export const capacity = async (progress: Progress): Promise<Section> => {
  const costs = await callCosts(progress);
  const create = costs.find(({ name }) => name === 'createLead, every field and two tags')!;
  return {
    title: 'Capacity units of every operation',
    result: resultOf(costs),
    goals: [],
    content: [
      `A proxy between the functions and the engine counts them. Every call but the internal ones reads the
caller’s membership with strong consistency. That is one unit, and all numbers have it. The floor of a read is
the size of the answer, at half a unit for 4 KB. The floor of a write is the same items without a transaction, at
one unit each, and the entries of the indexes. Calls that take an \`Idempotency-Key\` were sent with one.`,
      table(['call', 'read', 'floor', 'write', 'items', 'index entries', 'floor'], rows(costs)),
      writesChart(costs),
      `A transaction doubles the units of its items. A create with every field and two tags pays most for that: ${2 * create.written.length} of its ${unitsOf(create).write} units are ${create.written.length} items at two units each; written one by one they would be ${create.written.length}. In return, no lead is
ever without its history, count or guard, and no repeat makes a second one. Without transactions, each of these
would need a job that finds and repairs what is half done. These could be left out, and were kept:

- **The stage’s count** (2 units). A count made from the stream, many leads in one write, would be nearly free.
  But it would be seconds late, and could not refuse a lead in a stage that is being removed (\`stage_in_use\`).
- **History and event** (2 units). Written from the stream, they would take 1 unit and an invocation. But then
  nothing would keep the old values of an update for longer than the stream’s day.
- **The record of the key** (2 units). It is written only when the client sends a key.
- **Contacts, external id and words** (2 units each). [Finding leads](finding.md) says what they buy.
- **The indexes** (2 to 5 units). [Lists](lists.md#what-an-index-costs-and-earns) says what each earns.`,
    ],
  };
};
