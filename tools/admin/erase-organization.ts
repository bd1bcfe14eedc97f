import { setTimeout as wait } from 'node:timers/promises';
import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { feedIdOf } from '../../lib/changes/feed.ts';
import { ofCommand } from '../../lib/facts/origin.ts';
import { commitTo } from '../../lib/facts/transaction.ts';
import {
  type OrganizationItem,
  organizationFact,
  organizationFactKind,
  organizationKind,
} from '../../lib/organizations/organization.ts';
import { delistOrganization } from '../../lib/organizations/organization-list.ts';
import { suspensionWrites } from '../../lib/organizations/suspension.ts';
import { tombstoneKind } from '../../lib/organizations/tombstone.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { absent, compare, present } from '../../lib/table/condition.ts';
import type { ItemOf } from '../../lib/table/kind.ts';
import { readPartition } from '../../lib/table/pages.ts';
import { ConflictError } from '../../lib/table/retry.ts';
import { put, remove, update } from '../../lib/table/write.ts';
import { examples, uuid } from './arguments.ts';
import { Erasure } from './erasure/erasure.ts';
import { changeOrganization } from './organization-settings.ts';
import { NotFoundError } from './outcomes.ts';
import { print } from './output.ts';
import { openTarget } from './target.ts';
import { WholeTable } from './whole-table.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** How long an organization is suspended before it is erased: somebody may find that this was wrong. */
const suspendedMs = dayMs;
/** When all that was under way as it began has ended for long: a worker has 50 seconds. */
const quietMs = minuteMs;
/** When DynamoDB has mostly removed what was answered under idempotency keys: a day later, and two more. */
const recordsMs = 3 * dayMs;
/** How long the last fact is waited for to get its number: then the bus hears of it. */
const numberingMs = minuteMs;

type Tombstone = ItemOf<typeof tombstoneKind>;

interface EraseOptions {
  name: string;
  now?: true;
  keepLedger?: true;
  wait: boolean;
}

/** Progress goes to the terminal, and not into the answer. */
const say = (text: string): void => console.error(text);

export const erase = new Command('erase')
  .description(
    'erase an organization whole, a day after it was suspended; a repeat goes on, or checks',
  )
  .argument('<organization-id>', 'its id', uuid)
  .requiredOption('--name <name>', 'what it is called, so that no other one is erased')
  .option('--keep-ledger', 'keep what changed its wallet, without names, where the law wants that')
  .option('--now', 'suspend it first, and do not wait for a day')
  .option('--no-wait', 'do not wait for requests that may be under way: repeat it after a minute')
  .addHelpText(
    'after',
    examples(
      'organization erase 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11 --name "Cedro Ltda" --stack LeadsAndStars',
    ),
  )
  .action(async (id: string, options: EraseOptions, command: Command) => {
    const table = await openTarget(command);
    const tombstone = (await readTombstone(table, id)) ?? (await begin(table, id, options));
    const keepsLedger = tombstone.keeps_ledger ?? false;
    const whole = new WholeTable();
    const run = () => {
      const patient = table.during({ deadline: Number.POSITIVE_INFINITY });
      return new Erasure(patient, whole, {
        organizationId: id,
        keepsLedger,
        onProgress: (what) => say(`${what}: ${whole.deletedItems} items so far`),
      })
        .run()
        .finally(() => {
          whole.units.read += patient.unitsByKind.read;
          whole.units.written += patient.unitsByKind.written;
        });
    };
    await waitForNumber(table, id);
    await run();
    const quietFrom = Date.parse(tombstone.began_at) + quietMs;
    if (options.wait && Date.now() < quietFrom) {
      say('Waits for requests that may be under way.');
      await wait(quietFrom - Date.now());
      await run();
    }
    const isQuiet = Date.now() >= quietFrom;
    if (isQuiet && !tombstone.erased_at) await finish(table, id);
    print({
      id,
      erased: isQuiet,
      kept_ledger: keepsLedger,
      deleted_items: whole.deletedItems,
      units: whole.units,
      // Until then there are answers under idempotency keys, which time removes.
      nothing_left_from: new Date(Date.parse(tombstone.began_at) + recordsMs).toISOString(),
    });
  });

const readTombstone = (table: TableClient, organizationId: string) =>
  table.get(tombstoneKind.key({ organizationId }));

const begin = async (
  table: TableClient,
  id: string,
  { name, now, keepLedger }: EraseOptions,
): Promise<Tombstone> => {
  const found = await table.get(organizationKind.key({ organizationId: id }));
  if (!found) throw new NotFoundError(`There is no organization ${id}.`);
  if (found.name !== name) throw new CliError(`${id} is called ${JSON.stringify(found.name)}.`);
  if (now)
    await changeOrganization(table, id, (before) => suspensionWrites(before, true, Date.now()));
  else assertSuspendedFor(found);
  await buryOrganization(table, id, keepLedger);
  return (await readTombstone(table, id))!;
};

/** From this transaction on nobody is let in, the id can't be made again, and events of billing are acknowledged. */
const buryOrganization = async (
  table: TableClient,
  id: string,
  keepLedger: true | undefined,
): Promise<void> => {
  const organization = (await table.get(organizationKind.key({ organizationId: id })))!;
  const began_at = new Date().toISOString();
  await commitTo(
    table,
    ofCommand,
  )([
    put(
      tombstoneKind.key({ organizationId: id }),
      { began_at, keeps_ledger: keepLedger },
      { condition: absent, refused: () => new ConflictError() },
    ),
    remove(organizationKind.key({ organizationId: id }), {
      condition: compare('facts', '=', organization.facts),
      refused: () => new ConflictError(),
    }),
    delistOrganization(id, organization.name),
    organizationFact(id, organization.facts + 1, {
      type: 'organization.erased',
      changed: [],
      now: Date.now(),
    }),
  ]);
};

const assertSuspendedFor = ({ suspended_at }: OrganizationItem): void => {
  if (suspended_at === undefined) {
    throw new CliError('It is not suspended. Suspend it, and erase it a day later; or give --now.');
  }
  const from = Date.parse(suspended_at) + suspendedMs;
  if (Date.now() >= from) return;
  const when = new Date(from).toISOString();
  throw new CliError(
    `It is suspended since ${suspended_at}: erase it from ${when} on, or give --now.`,
  );
};

/** The bus hears of the erasure once its fact has a number, in seconds. After a minute that is the alarms’ matter. */
const waitForNumber = async (table: TableClient, organizationId: string): Promise<void> => {
  const pk = organizationFactKind.partition({ organizationId });
  for (const until = Date.now() + numberingMs; Date.now() < until; await wait(200)) {
    const facts = await readPartition(table, organizationFactKind, pk);
    if (facts.every(({ feed }) => feed === feedIdOf(organizationId))) return;
  }
};

const finish = (table: TableClient, organizationId: string): Promise<void> =>
  table.transact([
    update(
      tombstoneKind.key({ organizationId }),
      { set: { erased_at: new Date().toISOString() } },
      { condition: present, refused: () => new ConflictError() },
    ),
  ]);
