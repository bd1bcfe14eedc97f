import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';
import { synthesized } from './synthesized.ts';
import type { Resources } from './template/references.ts';

// What `docs/deploy.md` and the runbooks name is what the template has.

const docs = join(import.meta.dirname, '../../docs');
const guide = readFileSync(join(docs, 'deploy.md'), 'utf8');
const resources = synthesized().toJSON().Resources as Resources;

const isKept = (resource: object) =>
  'DeletionPolicy' in resource && resource.DeletionPolicy === 'Retain';

/** A section by its heading. */
const section = (heading: string): string =>
  guide.split(/^(?=## )/m).find((part) => part.startsWith(`## ${heading}\n`)) ?? '';

test('it names everything that a failed first deployment leaves behind', () => {
  const kept = Object.entries(resources)
    .filter(([, resource]) => isKept(resource))
    .map(([id]) => id.replace(/[0-9A-F]{8}$/, ''));
  expect(kept).toContain('Table');
  const rows = [...section('If the first deployment fails').matchAll(/^\| `(\w+)` \|/gm)];
  expect(rows.map(([, name]) => name).sort()).toEqual(kept.sort());
});

test('where a queue is looked for by the beginning of its name, one queue has it; to clean up, all that are kept', () => {
  const queues = Object.entries(resources).filter(([, { Type }]) => Type === 'AWS::SQS::Queue');
  const kept = queues.filter(([, one]) => isKept(one));
  const found = (prefix: string) =>
    queues.filter(([id]) => `LeadsAndStars-${id}`.startsWith(prefix)).map(([id]) => id);
  const runbooks = readdirSync(join(docs, 'runbooks'))
    .map((file) => readFileSync(join(docs, 'runbooks', file), 'utf8'))
    .join('\n');
  const wanted = /--queue-name-prefix (\S+)(?: \\\n *| )?(--query 'QueueUrls\[0\]')?/g;
  const prefixes = [...`${guide}${runbooks}`.matchAll(wanted)];
  const ofOne = prefixes.filter(([, , first]) => first).map(([, prefix]) => prefix!);
  const ofAll = prefixes.filter(([, , first]) => !first).map(([, prefix]) => prefix!);
  expect([ofOne.length, ofAll.length]).toEqual([2, 2]);
  for (const prefix of ofOne) expect([prefix, found(prefix).length]).toEqual([prefix, 1]);
  for (const prefix of ofAll) expect(found(prefix)).toEqual(kept.map(([id]) => id));
});

test('a restore stops every function that writes, and starts each again', async () => {
  const writes = /PutItem|UpdateItem|DeleteItem/;
  const operations = (await loadOperations()).map(({ operation }) => operation);
  const writers = operations.filter(({ table }) => table.some((grant) => writes.test(grant)));
  const idsOf = (kind: string) => writers.filter((one) => one.kind === kind).map(({ id }) => id);
  expect(idsOf('routed').length).toBeGreaterThan(5); // The stage is throttled for these.
  const restore = section('Restore a backup');
  const consumers = [...restore.matchAll(/--function-name LeadsAndStars-(\w+)/g)];
  expect(consumers.map(([, id]) => id)).toEqual(idsOf('queue'));
  const mappings = [...restore.matchAll(/update-event-source-mapping .* --(no-)?enable/g)];
  expect(mappings.map(([, no]) => no)).toEqual(['no-', undefined]);
  // The stream's writes only numbers, which the restored table gets anew, before anything is let in.
  expect(idsOf('stream')).toEqual(['numberChanges']);
  expect(restore.indexOf('changes number')).toBeGreaterThan(restore.indexOf('cdk deploy'));
  expect(restore.indexOf('changes number')).toBeLessThan(restore.indexOf('# 5.'));
});

test('a restore gives the stage back the limits that it had, also where the deployment has others', () => {
  const limitsOf = (perSecond?: number) => {
    const options = perSecond ? { requests_per_second: perSecond } : {};
    const [stage] = Object.values(synthesized(options).findResources('AWS::ApiGateway::Stage'));
    const [{ ThrottlingRateLimit, ThrottlingBurstLimit }] = stage!.Properties.MethodSettings;
    return [ThrottlingRateLimit, ThrottlingBurstLimit];
  };
  const set = [...section('Restore a backup').matchAll(/(?:rate|burst)Limit,value=(\d+)/g)];
  expect(set.map(([, value]) => Number(value))).toEqual([0, 0, ...limitsOf()]);
  const told = [...section('Restore a backup').matchAll(/N times (\d+)/g)];
  expect(told.map(([, times]) => 70 * Number(times))).toEqual(limitsOf(70));
});
