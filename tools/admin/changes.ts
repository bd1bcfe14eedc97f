import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { mostAtOnce, numberChanges } from '../../lib/changes/numbering.ts';
import { entriesOf } from '../../lib/changes/outbox.ts';
import { putWake } from '../../lib/consumers/wake-item.ts';
import { ApiError } from '../../lib/errors/errors.ts';
import type { TableClient } from '../../lib/table/client.ts';
import type { Key } from '../../lib/table/keys.ts';
import { examples, uuid } from './arguments.ts';
import { failure } from './failure.ts';
import { print } from './output.ts';
import { readOrganization } from './read-organization.ts';
import { openTarget } from './target.ts';
import { findUnnumbered } from './unnumbered.ts';

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
    const found = await findUnnumbered({ only });
    const rows: { organization_id: string; numbered: number }[] = [];
    const failures: string[] = [];
    for (const [organizationId, keys] of found) {
      try {
        const numbered = await numberAll(table, organizationId, keys);
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

/** How long a transaction is retried while the service numbers changes, too. */
const retryMs = 30_000;

const numberAll = async (
  table: TableClient,
  organizationId: string,
  keys: readonly Key[],
): Promise<number> => {
  const entries = entriesOf(keys);
  const patient = () => table.during({ deadline: Date.now() + retryMs });
  let numberedCount = 0;
  for (let i = 0; i < entries.length; ) {
    const part = entries.slice(i, i + mostAtOnce);
    try {
      numberedCount += await numberChanges(patient(), organizationId, part);
      i += part.length;
    } catch (error) {
      // The numbering came some of the way, through many that precede these.
      if (!(error instanceof ApiError) || error.code !== 'timeout') throw error;
    }
  }
  // Nobody else wakes what follows them: after a restore, usage would wait for the next change.
  await patient().transact([putWake(organizationId, Date.now())]);
  return numberedCount;
};

export const changes = new Command('changes')
  .description('complete the feed of changes')
  .addCommand(number);
