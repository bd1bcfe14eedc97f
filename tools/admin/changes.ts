import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import * as z from 'zod/mini';
import { feedIdOf } from '../../lib/changes/feed.ts';
import { mostAtOnce, numberChanges } from '../../lib/changes/numbering.ts';
import { entriesOf, outboxEntry } from '../../lib/changes/outbox.ts';
import { ApiError } from '../../lib/errors/errors.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { type Key, outbox } from '../../lib/table/keys.ts';
import { type Item, toKey } from '../../lib/table/table.ts';
import { examples, uuid } from './arguments.ts';
import { failure } from './failure.ts';
import { print } from './output.ts';
import { readOrganization } from './read-organization.ts';
import { scan } from './scan.ts';
import { openTarget } from './target.ts';

const number = new Command('number')
  .description(
    'number the changes that are not in the feed: those of a restored table, and lost ones',
  )
  .argument('[organization-id]', 'of this organization only', uuid)
  .addHelpText(
    'after',
    examples(
      'changes number --stack LeadsAndStars',
      'changes number 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11',
    ),
  )
  .action(async (only: string | undefined, _options: object, command: Command) => {
    const table = await openTarget(command);
    if (only) await readOrganization(table, only);
    const found = await findUnnumbered(only);
    const rows: { organization_id: string; numbered: number }[] = [];
    const failures: string[] = [];
    for (const [organizationId, items] of found) {
      try {
        const numbered = await numberAll(table, organizationId, items);
        rows.push({ organization_id: organizationId, numbered });
      } catch (error) {
        failures.push(`${organizationId}: ${failure(error)}`);
      }
    }
    print(rows);
    if (failures.length > 0) {
      throw new CliError(`Not numbered whole, and can be repeated: ${failures.join('; ')}`);
    }
  });

/** An item of the outbox that is not in its feed, with what its order is by. */
interface Unnumbered {
  key: Key;
  /** The number in the feed of the table that this one was restored from. */
  before: number;
  at: string;
}

/** Reads the whole table: there is no list of histories. In memory it keeps each item's key. */
const findUnnumbered = async (only: string | undefined): Promise<Map<string, Unnumbered[]>> => {
  const prefixes = Object.values(outbox).map((prefix) => `${prefix}${only ?? ''}`);
  const found = new Map<string, Unnumbered[]>();
  for await (const item of scan({
    ConsistentRead: true,
    ProjectionExpression: 'pk, sk, feed, #sequence, #at',
    FilterExpression: prefixes.map((_, i) => `begins_with(pk, :p${i})`).join(' OR '),
    ExpressionAttributeNames: { '#sequence': 'sequence', '#at': 'at' },
    ExpressionAttributeValues: Object.fromEntries(prefixes.map((one, i) => [`:p${i}`, one])),
  })) {
    add(found, item);
  }
  return found;
};

const projection = z.object({
  feed: z.optional(z.string()),
  sequence: z._default(z.int(), Number.POSITIVE_INFINITY),
  at: z.string(),
});

const add = (found: Map<string, Unnumbered[]>, item: Item): void => {
  const key = toKey(item);
  const { feed, sequence: before, at } = projection.parse(item);
  const organizationId = outboxEntry(key)?.organizationId;
  if (organizationId === undefined || feed === feedIdOf(organizationId)) return;
  const one = { key, before, at };
  const others = found.get(organizationId);
  if (others) others.push(one);
  else found.set(organizationId, [one]);
};

/** Changes as they were numbered before, then by their time. */
const inOrder = (a: Unnumbered, b: Unnumbered): number => {
  if (a.before !== b.before) return a.before - b.before;
  return a.at < b.at || (a.at === b.at && a.key.sk < b.key.sk) ? -1 : 1;
};

/** How long a transaction is retried while the service numbers changes, too. */
const retryMs = 30_000;

const numberAll = async (
  table: TableClient,
  organizationId: string,
  items: readonly Unnumbered[],
): Promise<number> => {
  const entries = entriesOf(items.toSorted(inOrder).map(({ key }) => key));
  let numberedCount = 0;
  for (let i = 0; i < entries.length; ) {
    const part = entries.slice(i, i + mostAtOnce);
    try {
      const patient = table.during({ deadline: Date.now() + retryMs });
      numberedCount += await numberChanges(patient, organizationId, part);
      i += part.length;
    } catch (error) {
      // The numbering came some of the way, through many that precede these.
      if (!(error instanceof ApiError) || error.code !== 'timeout') throw error;
    }
  }
  return numberedCount;
};

export const changes = new Command('changes')
  .description('complete the feed of changes')
  .addCommand(number);
