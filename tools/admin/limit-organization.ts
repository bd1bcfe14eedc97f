import { Command } from 'commander';
import { ofCommand } from '../../lib/facts/origin.ts';
import { commitTo } from '../../lib/facts/transaction.ts';
import { type OrganizationItem, organizationKind } from '../../lib/organizations/organization.ts';
import { limitWrites, readPerSecond } from '../../lib/organizations/request-counter.ts';
import { leastPerSecond, mostPerSecond } from '../../lib/organizations/request-limit.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import { uuid } from './arguments.ts';
import { print } from './output.ts';
import { readOrganization } from './read-organization.ts';
import { openTarget } from './target.ts';

const usual = 'usual';

const perSecondOrUsual = (text: string): number | typeof usual =>
  text === usual ? text : wholeNumber(leastPerSecond, mostPerSecond)(text);

/** Nothing is written where the limit is that already. */
const setLimit = async (
  table: TableClient,
  found: OrganizationItem,
  read: () => Promise<OrganizationItem>,
  given: number | typeof usual,
): Promise<void> => {
  const { organizationId } = organizationKind.idsOf(found);
  const perSecond = given === usual ? undefined : given;
  await retryOnConflict(table, found, read, async (organization) => {
    if ((await readPerSecond(table, organizationId)) === perSecond) return;
    const writes = limitWrites(organizationId, organization, perSecond, Date.now());
    await commitTo(table, ofCommand)(writes);
  });
};

export const limit = new Command('limit')
  .description("show an organization's own limit of requests a second, or give it another one")
  .argument('<organization-id>', 'its id', uuid)
  .argument(
    '[requests-per-second]',
    `from ${leastPerSecond} to ${mostPerSecond}, or "${usual}" for the deployment's`,
    perSecondOrUsual,
  )
  .action(
    async (
      id: string,
      given: ReturnType<typeof perSecondOrUsual> | undefined,
      _options: object,
      command: Command,
    ) => {
      const table = await openTarget(command);
      const read = () => readOrganization(table, id);
      const found = await read();
      if (given !== undefined) await setLimit(table, found, read, given);
      const own = (await readPerSecond(table, id)) ?? null;
      print({ organization_id: id, requests_per_second: own });
    },
  );
