import { randomUUID } from 'node:crypto';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod/mini';
import { ApiError } from '../../../lib/errors/errors.ts';
import { serveInternal } from '../../../lib/handlers/invoke.ts';
import { measure } from '../../../lib/handlers/measurement.ts';
import { defineInternalOperation } from '../../../lib/operations/kinds/internal-operation.ts';
import { contextFor } from '../support.ts';

// What a function that is invoked directly tells its caller, and the log.

const invoke = async (input: object, work: () => unknown) => {
  const handler = serveInternal(
    defineInternalOperation({
      id: 'told',
      summary: 'Does as it is told.',
      request: { body: z.object({ organization_id: z.optional(z.string()) }) },
      response: { body: z.any() },
      errors: [],
      table: [],
      handle: async () => work(),
    }),
  );
  const lines: unknown[] = [];
  const note = (line: unknown) => void lines.push(line);
  const spies = [vi.spyOn(console, 'info'), vi.spyOn(console, 'error')] as const;
  for (const spy of spies) spy.mockImplementation(note);
  const context = contextFor(11_000);
  try {
    const outcome = await handler(input, context).catch((error: Error) => error);
    return {
      outcome,
      lines: lines as Record<string, unknown>[],
      isError: spies[1].mock.calls.length > 0,
      requestId: context.awsRequestId,
    };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
};

const throwing = (error: unknown) => () => {
  throw error;
};

/** As the SDK throws it: what is stored is in its properties. */
const cancelled = () =>
  Object.assign(new Error('Transaction cancelled'), {
    code: 'internal',
    CancellationReasons: [{ Item: { contact_name: { S: 'Maria' } } }],
    $metadata: { httpStatusCode: 400 },
  });

describe('an error', () => {
  test.each<[string, unknown, string]>([
    ['that was meant', new ApiError('write_conflict', { cause: cancelled() }), 'write_conflict'],
    ['of the SDK', cancelled(), 'internal'],
    ['that is a bug', new TypeError('a bug'), 'internal'],
    ['that is no error', 'text', 'internal'],
  ])('%s has its code as its name, and no properties of its own', async (_what, thrown, code) => {
    const { outcome } = await invoke({}, throwing(thrown));
    expect(outcome).toBeInstanceOf(Error);
    expect((outcome as Error).name).toBe(code);
    expect(Object.keys(outcome as Error)).toEqual([]);
    expect(JSON.stringify(outcome)).toBe('{}');
    expect((outcome as Error).cause).toBeUndefined();
    expect(`${(outcome as Error).message} ${(outcome as Error).stack}`).not.toMatch(
      /Maria|a bug|text/,
    );
  });

  test('says what is wrong with the input', async () => {
    const { outcome } = await invoke({ organization_id: 1 }, () => 'done');
    expect((outcome as Error).name).toBe('invalid_request');
    expect((outcome as Error).message).toContain('organization_id');
    const { outcome: whole } = await invoke([], () => 'done');
    expect((whole as Error).message).toBe('The request is not valid. must be an object');
    expect((await invoke({}, () => 'done')).outcome).toBe('done');
  });
});

describe('its line in the log', () => {
  test('has the organization, the time and the units, and the code of a failure', async () => {
    const organization_id = randomUUID();
    const done = await invoke({ organization_id: organization_id.toUpperCase() }, () => 'done');
    const line = {
      operation: 'told',
      request_id: done.requestId,
      organization_id,
      duration_ms: expect.any(Number),
      capacity_units: 0,
    };
    expect(done.lines).toEqual([line]);
    const failed = await invoke({ organization_id }, throwing(new TypeError('a bug')));
    expect(failed.lines).toEqual([
      {
        ...line,
        request_id: failed.requestId,
        code: 'internal',
        cause: expect.objectContaining({ name: 'TypeError', message: 'a bug' }),
      },
    ]);
  });

  test('is an error where we failed, and not where the caller asked for what can’t be', async () => {
    expect((await invoke({}, throwing(new ApiError('unavailable')))).isError).toBe(true);
    expect((await invoke({}, throwing(new ApiError('already_captured')))).isError).toBe(false);
    expect((await invoke({ organization_id: 1 }, () => 'done')).isError).toBe(false);
  });

  test('holds nothing else that the caller wrote', async () => {
    for (const organization_id of ['Maria Silva', 5, { a: 1 }]) {
      const { lines } = await invoke({ organization_id, note: 'Maria' }, () => 'done');
      expect(lines.length).toBe(1);
      expect(lines[0]?.organization_id).toBeUndefined();
      expect(JSON.stringify(lines)).not.toContain('Maria');
    }
  });
});

test.each([
  ['done', () => 'done'],
  ['failed', throwing(new TypeError('a bug'))],
])('what it still does with the table ends where it has %s', async (_what, work) => {
  let ended = 0;
  await measure({ units: 0, end: () => void ended++ } as never, async () => work());
  expect(ended).toBe(1);
});
