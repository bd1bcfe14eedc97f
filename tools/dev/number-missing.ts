import { marshall } from '@aws-sdk/util-dynamodb';
import { adminClient, functionOf, type RunningApp } from '@leads-and-stars/runner';
import { mostAtOnce } from '../../lib/changes/numbering.ts';
import type { Key } from '../../lib/table/keys.ts';
import { findUnnumbered } from '../admin/unnumbered.ts';

/**
 * Has the service number all changes that have no number: for a start. The stream brings what was written before, unless
 * the engine has forgotten that, as DynamoDB does after a day, or it was given up. Throws where the service fails.
 */
export const numberMissing = async ({
  assembly,
  lambda,
  tableEndpoint,
}: Pick<RunningApp, 'assembly' | 'lambda' | 'tableEndpoint'>): Promise<void> => {
  const table = { client: adminClient(tableEndpoint), name: assembly.table.TableName };
  const fn = functionOf(assembly.functions, 'numberChanges')!;
  const number = async (keys: readonly Key[]) => {
    const Records = keys.map((key, place) => ({
      dynamodb: { Keys: marshall(key), SequenceNumber: String(place) },
    }));
    // The function puts work that takes longer than a moment into its queue, which is kept.
    const outcome = await lambda.invoke(fn, { Records });
    const failed = outcome.kind === 'error' || outcome.payload !== '{"batchItemFailures":[]}';
    if (failed) throw new Error(`numberChanges failed: ${JSON.stringify(outcome)}`);
  };
  for await (const found of findUnnumbered({ isOriginal: true, table })) {
    for (const keys of found.values()) {
      for (let i = 0; i < keys.length; i += mostAtOnce) await number(keys.slice(i, i + mostAtOnce));
    }
  }
};
