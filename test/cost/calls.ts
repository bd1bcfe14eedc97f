import { relative } from 'node:path';
import type { Budget, Example, Setting } from '../../functions/example.ts';
import type { Definition } from '../../lib/operations/definition.ts';
import { loadExamples, titleOf } from '../../tools/examples/load.ts';
import { type Request, requestOf } from '../faults/client.ts';

/** A call that is measured. */
export interface Call {
  name: string;
  /** Where its example is, from the root of the repository. */
  file: string;
  budget: Budget;
  request(setting: Setting): Promise<Request>;
  /** Its request and its key are those of the call before. */
  repeat?: boolean;
}

/** Every example that says what it costs. */
export const calls: Call[] = (await loadExamples()).flatMap(({ operation, file, examples }) =>
  examples.flatMap((example) => callsOf(operation, relative('.', file), example)),
);

function callsOf(operation: Definition, file: string, example: Example): Call[] {
  const name = titleOf(operation, example);
  const request = async (setting: Setting) => requestOf(operation, await example.request(setting));
  const { costs, costsAgain } = example;
  return [
    ...(costs ? [{ name, file, budget: costs, request }] : []),
    ...(costsAgain
      ? [{ name: `${name}, again`, file, budget: costsAgain, request, repeat: true }]
      : []),
  ];
}
