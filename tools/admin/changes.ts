import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { readAllOrganizations } from '../../lib/organizations/organization-list.ts';
import { examples, uuid } from './arguments.ts';
import { failure } from './failure.ts';
import { inTurns, organizationsAtOnce } from './in-turns.ts';
import { numberFormerFeeds, numberLost } from './numbering.ts';
import { print } from './output.ts';
import { expectOrganization } from './read-organization.ts';
import { openTarget } from './target.ts';
import { findUnnumbered } from './unnumbered.ts';

const number = new Command('number')
  .description('number the changes of a restored table, by the feed of the table before')
  .argument('[organization-id]', 'of this organization only', uuid)
  .option('--lost', 'those that never had a number, too: this reads the whole table')
  .addHelpText(
    'after',
    examples(
      'changes number --stack LeadsAndStars',
      'changes number 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11 --lost',
    ),
  )
  .action(async (only: string | undefined, { lost }: { lost?: true }, command: Command) => {
    const table = await openTarget(command);
    if (only) await expectOrganization(table, only);
    const counts = new Map<string, number>();
    const failures: string[] = [];
    const count = async (id: string, numbering: Promise<number>): Promise<void> => {
      try {
        const numbered = await numbering;
        if (numbered > 0) counts.set(id, (counts.get(id) ?? 0) + numbered);
      } catch (error) {
        failures.push(`${id}: ${failure(error)}`);
      }
    };
    for await (const page of only ? [[{ id: only }]] : readAllOrganizations(table)) {
      await inTurns(page, organizationsAtOnce, ({ id }) => count(id, numberFormerFeeds(table, id)));
    }
    for await (const found of lost ? findUnnumbered({ only }) : []) {
      await inTurns([...found], organizationsAtOnce, ([id, keys]) =>
        count(id, numberLost(table, id, keys)),
      );
    }
    print([...counts].map(([organization_id, numbered]) => ({ organization_id, numbered })));
    if (failures.length > 0) {
      throw new CliError(`Not numbered whole, and can be repeated: ${failures.join('; ')}`);
    }
  });

export const changes = new Command('changes')
  .description('complete the feed of changes')
  .addCommand(number);
