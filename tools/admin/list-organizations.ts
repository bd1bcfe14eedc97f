import { Command } from 'commander';
import { readOrganizationList } from '../../lib/organizations/organization-list.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import { examples } from './arguments.ts';
import { print } from './output.ts';
import { openTarget } from './target.ts';

interface ListOptions {
  name: string;
  limit: number;
  after?: string;
}

export const list = new Command('list')
  .description('list organizations by name, a page at a time')
  .option('--name <text>', 'those whose names begin so, in any case and without accents', '')
  .option('--limit <n>', 'at most so many', wholeNumber(1, 1000), 100)
  .option('--after <text>', 'go on after the page that ended with this `next`')
  .addHelpText('after', examples('organization list --name cedro'))
  .action(async ({ name, limit, after }: ListOptions, command: Command) => {
    const table = await openTarget(command);
    const { items, next } = await readOrganizationList(table, { nameBegins: name, limit, after });
    print({
      items: items.map(({ id: organization_id, suspended_at = null, ...one }) => ({
        organization_id,
        ...one,
        suspended_at,
      })),
      next,
    });
  });
