import { expect, test } from 'vitest';
import { jsonLine } from '../../infra/local/lambda/json-log.ts';

// What aws-lambda-ric 4.0.2, AWS's own client of the runtime's API, makes of the same calls: recorded from its
// formatJsonMessage, stacks left out.

class Refusal extends Error {
  override name = 'refused';
  details = [{ path: 'stars' }];
}

const circular: Record<string, unknown> = {};
circular.itself = circular;

/** Stacks are the lines of the error's own. */
const stackTrace = expect.arrayContaining([expect.stringMatching(/^\w+: .*/)]);
const refusal = {
  errorType: 'Refusal',
  errorMessage: 'no',
  stackTrace,
  name: 'refused',
  details: [{ path: 'stars' }],
};

test.each<[string, unknown[], object]>([
  ['a text', ['here'], { message: 'here' }],
  ['an object', [{ a: { b: 1 } }], { message: { a: { b: 1 } } }],
  ['an error, with what it was given', [new Refusal('no')], { message: refusal }],
  ['an error inside', [{ cause: new Refusal('no') }], { message: { cause: refusal } }],
  [
    'a text and an error',
    ['because of', new TypeError('a bug')],
    {
      message: expect.stringMatching(/^because of TypeError: a bug\n {4}at /),
      errorType: 'TypeError',
      errorMessage: 'a bug',
      stackTrace,
    },
  ],
  ['a format', ['%s of %d', 'one', 2], { message: 'one of 2' }],
  ['what is no JSON', [1n], { message: '1n' }],
  ['what holds itself', [circular], { message: '<ref *1> { itself: [Circular *1] }' }],
  ['nothing', [], {}],
])('%s', (_what, parts, rest) => {
  const line = jsonLine('INFO', 'r', parts);
  expect(JSON.parse(JSON.stringify(line))).toEqual({
    timestamp: expect.stringMatching(/^[\d-]+T[\d:.]+Z$/),
    level: 'INFO',
    requestId: 'r',
    ...rest,
  });
});
