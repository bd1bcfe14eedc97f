import { readFileSync } from 'node:fs';
import { beforeAll, expect, inject, test } from 'vitest';
import { loadOperations } from '../../infra/operations.ts';

// Runs after all other tests: alone, it has seen nothing and fails.

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/leads-and-stars';

/** What was done: function, action, resource, and for a write how the partition key begins. */
let used: string[][];
let granted: { id: string; grant: string }[];

beforeAll(async () => {
  const lines = readFileSync(inject('service').usageFile, 'utf8').split('\n');
  used = lines.map((line) => line.split('\t'));
  const sources = await loadOperations();
  granted = sources.flatMap(({ operation: { id, table } }) =>
    table.map((grant: string) => ({ id, grant })),
  );
});

test('every permission that a function has was used by a test', () => {
  const done = new Set(used.map((parts) => parts.slice(0, 3).join('\t')));
  const unused = granted.filter(({ id, grant }) => {
    const [action, place] = grant.split(' ');
    const resource = place && action === 'Query' ? `${table}/index/${place}` : table;
    // Several items are read by the one, a single item by the other.
    const actions = action === 'GetItem' ? [action, 'BatchGetItem'] : [action];
    return !actions.some((one) =>
      done.has([`LeadsAndStars-${id}`, `dynamodb:${one}`, resource].join('\t')),
    );
  });
  expect(unused).toEqual([]);
});

test('every partition that functions may write was written by one of them in a test', () => {
  const done = new Set(used.map(([, action = '', , begin]) => `${action} ${begin}`));
  const writes = granted.filter(({ grant }) => /^(Put|Update|Delete)Item /.test(grant));
  expect(writes.length).toBeGreaterThan(40);
  expect(writes.filter(({ grant }) => !done.has(`dynamodb:${grant}`))).toEqual([]);
});
