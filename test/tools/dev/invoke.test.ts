import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { loadOperations } from '../../../infra/operations.ts';
import { fillTemplate } from '../../../tools/demo/fill-template.ts';
import { loadExamples } from '../../../tools/examples/load.ts';
import { Command, useCommands } from './commands.ts';
import { makeDirectory, remove, root } from './support.ts';

useCommands();

const ids = (await loadOperations()).map(({ operation }) => operation.id);

let directory: string;

beforeAll(async () => {
  directory = await makeDirectory();
});

afterAll(() => remove(directory));

const invoke = async (...args: string[]) => {
  const run = new Command(() => [process.execPath, join(root, 'tools/dev/invoke.ts'), ...args]);
  const code = await run.ended;
  await run.gone();
  expect(readdirSync(run.temporary)).toEqual([]);
  return { code, stdout: run.stdout, stderr: run.stderr };
};

test('prints what the function answers to the sample, and nothing else', async () => {
  const { code, stdout } = await invoke('createLead');
  const { statusCode, body } = JSON.parse(stdout);
  expect([code, statusCode]).toEqual([0, 201]);
  expect(JSON.parse(body)).toMatchObject({ contact_name: 'Maria Silva', stage: 'new' });
});

/** Invokes the function of a queue with this event. */
const invokeConsumer = async (event: object) => {
  const file = join(directory, 'event.json');
  await writeFile(file, JSON.stringify(event));
  return invoke('applyWalletEvents', file);
};

test('takes another event, in which it names the demo’s organization', {
  tags: ['long'],
}, async () => {
  const record = { messageId: '{{organization_id}}', body: 'no event' };
  const { code, stdout } = await invokeConsumer({ Records: [record] });
  const itemIdentifier = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect([code, JSON.parse(stdout)]).toEqual([0, { batchItemFailures: [{ itemIdentifier }] }]);
});

test('tells how the function failed', { tags: ['long'] }, async () => {
  const { code, stdout, stderr } = await invokeConsumer({});
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr.trim().split('\n').at(-1)).toMatch(/^TypeError: .*$/);
});

test('every operation has a sample', async () => {
  expect((await loadExamples()).map(({ operation }) => operation.id)).toEqual(ids);
});

describe('tells what it can’t use', () => {
  test.each([
    ['no operation', [], /^npm run invoke -- <operation>/],
    ['an unknown operation', ['deleteEverything'], /^There is no operation deleteEverything\.\n/],
  ])('%s: and lists those that there are', async (_what, args, beginning) => {
    const { code, stdout, stderr } = await invoke(...args);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(beginning);
    expect(stderr.trim().split('\n').at(-1)).toBe(`Operations: ${ids.join(', ')}`);
  });

  test('a file that is not there', async () => {
    const file = join(directory, 'missing.json');
    const { code, stdout, stderr } = await invoke('createLead', file);
    expect([code, stdout, stderr.trim()]).toEqual([1, '', `There is no event file ${file}.`]);
  });

  test('a file that is not JSON', async () => {
    const file = join(directory, 'unusable.json');
    await writeFile(file, '{');
    const { code, stdout, stderr } = await invoke('createLead', file);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trim()).toMatch(new RegExp(`^${file} is not JSON: .*$`));
  });

  test('that no service runs, for --running', async () => {
    const file = join(directory, 'missing.json');
    const { code, stdout, stderr } = await invoke('createLead', '--running', '--ready-file', file);
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr.trim()).toBe('No service with a demo runs here: start one with npm run dev.');
  });

  test('a placeholder for what is not known', () => {
    const values = { tokens: { owner: 'known' } };
    expect(fillTemplate('{{tokens.owner}}', values)).toBe('known');
    expect(() => fillTemplate('{{tokens.guest}}', values)).toThrow(/\{\{tokens\.guest\}\}/);
  });
});
