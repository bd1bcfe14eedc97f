import { Command } from 'commander';
import { reindexLeads } from '../../lib/leads/search/reindex.ts';
import { switchSearch } from '../../lib/leads/search/switch.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { examples, uuid } from './arguments.ts';
import { print } from './output.ts';
import { readOrganization } from './read-organization.ts';
import { openTarget } from './target.ts';

/** However long all leads take: each is given up by itself. */
const forLong = (table: TableClient) => table.during({ deadline: Number.POSITIVE_INFINITY });

const switchTo = (state: 'on' | 'off', description: string) =>
  new Command(state)
    .description(description)
    .argument('<organization-id>', 'the organization', uuid)
    .addHelpText('after', examples(`search ${state} 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11`))
    .action(async (organizationId: string, _options: object, command: Command) => {
      const { table } = await openTarget(command);
      await readOrganization(table, organizationId);
      const filled = await switchSearch(forLong(table), organizationId, state);
      const answer = { search: state, ...filled };
      print(command, answer, [answer]);
    });

export const search = new Command('search')
  .description('switch the search of an organization on or off')
  .addCommand(
    switchTo('on', 'switch the search on, once every lead has its words; can be repeated'),
  )
  .addCommand(switchTo('off', 'switch the search off, and remove the words; can be repeated'));

const fill = new Command('fill')
  .description('give leads the lookups and words that they lack; can be repeated and interrupted')
  .argument('<organization-id>', 'the organization', uuid)
  .addHelpText('after', examples('lead fill 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11'))
  .action(async (organizationId: string, _options: object, command: Command) => {
    const { table } = await openTarget(command);
    await readOrganization(table, organizationId);
    const answer = await reindexLeads(forLong(table), organizationId);
    print(command, answer, [{ ...answer }]);
  });

export const lead = new Command('lead')
  .description('look after the leads of an organization')
  .addCommand(fill);
