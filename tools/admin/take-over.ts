import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { organizationKind } from '../../lib/organizations/organization.ts';
import { readAllOrganizations } from '../../lib/organizations/organization-list.ts';
import { suspensionWrites } from '../../lib/organizations/suspension.ts';
import { tombstoneKind } from '../../lib/organizations/tombstone.ts';
import { openTable, type TableClient } from '../../lib/table/client.ts';
import { examples } from './arguments.ts';
import { causesOf, failure } from './failure.ts';
import { inTurns, organizationsAtOnce } from './in-turns.ts';
import { NotFoundError } from './outcomes.ts';
import { print } from './output.ts';
import { takeOverErasedLeads, takeOverErasure } from './take-over/erasures.ts';
import { takeOverApiKeys, takeOverPlatformKeys } from './take-over/keys.ts';
import { takeOverMembers } from './take-over/members.ts';
import { commitTaken, noneTaken, type Tables, type Taken } from './take-over/tables.ts';
import { openTarget } from './target.ts';

const takeOverOrganization = async (
  tables: Tables,
  { id, name }: { id: string; name: string },
  { taken, oldName }: { taken: Taken; oldName: string },
): Promise<void> => {
  const { old, restored } = tables;
  const tombstone = await old.get(tombstoneKind.key({ organizationId: id }));
  if (tombstone) {
    await takeOverErasure(restored, { id, name, tombstone, oldName });
    taken.erased_organizations++;
    return;
  }
  const key = organizationKind.key({ organizationId: id });
  const [before, after] = [await restored.get(key), await old.get(key)];
  if (!before || !after) throw new Error('it is not in both tables');
  const writes = suspensionWrites(before, after.suspended_at !== undefined, Date.now());
  if (writes.length > 0) {
    await commitTaken(restored)(writes);
    taken.suspensions++;
  }
  await takeOverApiKeys(tables, id, taken);
  await takeOverMembers(tables, id, taken);
  await takeOverErasedLeads(tables, id, taken);
};

const openOld = (name: string): TableClient => {
  const restored = process.env.TABLE_NAME;
  if (name === restored) throw new CliError(`${name} is the table that is in use.`);
  process.env.TABLE_NAME = name;
  const table = openTable();
  process.env.TABLE_NAME = restored;
  return table;
};

/** What the first read of the old table failed with. */
const toMissing = (name: string) => (error: unknown) => {
  const isMissing = causesOf(error).some((one) => one.name === 'ResourceNotFoundException');
  throw isMissing ? new NotFoundError(`There is no table ${name}.`) : error;
};

export const takeOver = new Command('take-over')
  .description(
    'after a restore: revoke, remove and erase again what the table before says is revoked, removed or erased',
  )
  .requiredOption('--old <table>', 'the name of the table that was replaced')
  .addHelpText('after', examples('take-over --old "$TABLE" --stack LeadsAndStars'))
  .action(async ({ old: oldName }: { old: string }, command: Command) => {
    const opened = await openTarget(command);
    const restored = opened.during({ deadline: Number.POSITIVE_INFINITY });
    const tables = { old: openOld(oldName), restored };
    const taken = { ...noneTaken };
    const failures: string[] = [];
    await takeOverPlatformKeys(tables, taken).catch(toMissing(oldName));
    for await (const page of readAllOrganizations(restored)) {
      await inTurns(page, organizationsAtOnce, (one) =>
        takeOverOrganization(tables, one, { taken, oldName }).catch((error) => {
          failures.push(`${one.id}: ${failure(error)}`);
        }),
      );
    }
    print(taken);
    if (failures.length > 0) {
      throw new CliError(`Not taken over whole, and can be repeated: ${failures.join('; ')}`);
    }
  });
