import { Command } from 'commander';
import { limitWrites, readPerSecond } from '../../lib/organizations/request-counter.ts';
import { leastPerSecond, mostPerSecond } from '../../lib/organizations/request-limit.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import { uuid } from './arguments.ts';
import { changeOrganization } from './organization-settings.ts';
import { print } from './output.ts';
import { expectOrganization } from './read-organization.ts';
import { openTarget } from './target.ts';

const usual = 'usual';

const perSecondOrUsual = (text: string): number | typeof usual =>
  text === usual ? text : wholeNumber(leastPerSecond, mostPerSecond)(text);

/** Nothing is written where the limit is that already. */
const setLimit = (table: TableClient, id: string, given: number | typeof usual): Promise<void> =>
  changeOrganization(table, id, async (organization) => {
    const perSecond = given === usual ? undefined : given;
    const isSame = (await readPerSecond(table, id)) === perSecond;
    return isSame ? [] : limitWrites(organization, perSecond, Date.now());
  });

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
      await expectOrganization(table, id);
      if (given !== undefined) await setLimit(table, id, given);
      const own = (await readPerSecond(table, id)) ?? null;
      print({ organization_id: id, requests_per_second: own });
    },
  );
