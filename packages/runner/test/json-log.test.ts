import {
  Lambda,
  type LocalFunction,
  type LogLine,
  Processes,
  readAssembly,
} from '@leads-and-stars/runner';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Runtime } from './runtime/runtime.ts';

let fn: LocalFunction;
const processes = new Processes();

beforeAll(async () => {
  const { functions } = await readAssembly(inject('appDirectory'), 'MyApp');
  fn = functions.find(({ name }) => name === 'MyApp-Logs')!;
});

afterAll(() => processes.close());

/** As it is in either runtime: without times and ids, and of a stack only what is not of the runtime itself. */
const comparable = (lines: object[]) =>
  lines.map((line) =>
    JSON.parse(JSON.stringify(line), (key, value) => {
      if (key === 'timestamp' || key === 'requestId') return undefined;
      if (key === 'stackTrace') return value.filter((text: string) => !/^ +at /.test(text));
      return typeof value === 'string' ? value.replace(/(\n +at .*)+/g, '\n    at …') : value;
    }),
  );

test('what a function logs and throws is the same, line by line, as under AWS’s own runtime client', async () => {
  const lines: LogLine[] = [];
  const lambda = new Lambda(processes, {
    tableEndpoint: 'http://127.0.0.1:1',
    certificateFile: '/dev/null',
    environmentsPerFunction: 1,
    logs: (_name, line) => lines.push(line),
  });
  const here = await lambda.invoke(fn, {}, 'of-the-event');
  const runtime = new Runtime(fn, { AWS_REGION: 'us-east-1' });
  await runtime.start();
  const there = await runtime.invoke({});
  await runtime.close();

  expect(there.lines.length).toBeGreaterThan(15);
  expect(comparable(lines)).toEqual(comparable(there.lines));
  expect(new Set(lines.map(({ requestId }) => requestId))).toEqual(new Set(['of-the-event']));
  const { errorType, errorMessage } = there.payload;
  expect(here).toEqual({ kind: 'error', errorType, errorMessage });
  expect(lines.at(-1)).toMatchObject({
    level: 'ERROR',
    // The class has no name of its own in a minified bundle.
    message: { errorMessage: 'no', name: 'refused', details: [{ path: 'amount' }] },
  });
});
