import { Command } from 'commander';
import { ofCommand } from '../../lib/facts/origin.ts';
import { type CommitTo, commitTo } from '../../lib/facts/transaction.ts';
import type { OrganizationItem } from '../../lib/organizations/organization.ts';
import { type OrganizationPatch, settingsWrites } from '../../lib/organizations/settings.ts';
import { suspensionWrites } from '../../lib/organizations/suspension.ts';
import { hasValues } from '../../lib/pipelines/has-values.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';
import type { WriteAction } from '../../lib/table/table.ts';
import { currencyCode, examples, organizationName, uuid } from './arguments.ts';
import { print } from './output.ts';
import { expectOrganization } from './read-organization.ts';
import { openTarget } from './target.ts';

/** What a commit is given. */
export type CommittedWrites = Parameters<CommitTo<WriteAction>>[0];

/** Changes an organization as it is: nothing where there are no writes. */
export const changeOrganization = async (
  table: TableClient,
  id: string,
  writesFor: (before: OrganizationItem) => CommittedWrites | Promise<CommittedWrites>,
): Promise<void> => {
  const read = () => expectOrganization(table, id);
  await retryOnConflict(table, await read(), read, async (before) => {
    const writes = await writesFor(before);
    if (writes.length > 0) await commitTo(table, ofCommand)(writes, { retryConflicts: false });
  });
};

const changeSettings = async (
  table: TableClient,
  id: string,
  patch: Partial<OrganizationPatch>,
): Promise<void> => {
  await changeOrganization(table, id, async (before) => {
    const { writes } = await settingsWrites(before, patch, Date.now(), () => hasValues(table, id));
    return writes;
  });
  print({ id, ...patch });
};

const setSuspension = async (id: string, suspended: boolean, command: Command): Promise<void> => {
  const table = await openTarget(command);
  await changeOrganization(table, id, (before) => suspensionWrites(before, suspended, Date.now()));
  print({ id, suspended });
};

export const suspend = new Command('suspend')
  .description('shut an organization’s members and API keys out; nothing of it is lost')
  .argument('<organization-id>', 'its id', uuid)
  .action((id: string, _options: object, command: Command) => setSuspension(id, true, command));

export const resume = new Command('resume')
  .description('let a suspended organization in again; its webhooks go on where they were')
  .argument('<organization-id>', 'its id', uuid)
  .action((id: string, _options: object, command: Command) => setSuspension(id, false, command));

export const rename = new Command('rename')
  .description('give an organization another name')
  .argument('<organization-id>', 'its id', uuid)
  .argument('<name>', 'what it is called', organizationName)
  .addHelpText(
    'after',
    examples('organization rename 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11 "Cedro S.A."'),
  )
  .action(async (id: string, name: string, _options: object, command: Command) =>
    changeSettings(await openTarget(command), id, { name }),
  );

export const currency = new Command('currency')
  .description('give an organization another currency, while no lead has a value')
  .argument('<organization-id>', 'its id', uuid)
  .argument('<code>', 'such as BRL', currencyCode)
  .action(async (id: string, code: string, _options: object, command: Command) =>
    changeSettings(await openTarget(command), id, { currency: code }),
  );
