import { randomUUID } from 'node:crypto';
import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import * as z from 'zod/mini';
import { ApiError } from '../../lib/errors/errors.ts';
import { ofCommand } from '../../lib/facts/origin.ts';
import { readPipelines } from '../../lib/pipelines/pipeline.ts';
import { organizationInput, provision } from '../../lib/provisioning/provisioning.ts';
import { issueDetails } from '../../lib/schema/issues.ts';
import { examples, members, uuid } from './arguments.ts';
import { erase } from './erase-organization.ts';
import { exportWhole } from './export-organization.ts';
import { limit } from './limit-organization.ts';
import { list } from './list-organizations.ts';
import { currency, rename, resume, suspend } from './organization-settings.ts';
import { print } from './output.ts';
import { expectOrganization, readAllMembers } from './read-organization.ts';
import { openTarget } from './target.ts';
import { unsure } from './uncertainty.ts';

interface OrganizationOptions {
  name: string;
  currency?: string;
  id?: string;
  member: ReturnType<typeof members>;
}

const create = new Command('create')
  .description('make an organization with its members; PUT /organizations can give it more')
  .requiredOption('--name <name>', 'what it is called')
  .requiredOption(
    '--member <role=user-id>',
    'a member; one owner at least; can be repeated',
    members,
  )
  .option('--currency <code>', 'of the values of its leads; USD unless told')
  .option('--id <uuid>', 'its id: a repeat with the same id makes no second one', uuid)
  .addHelpText(
    'after',
    examples(
      'organization create --name "Cedro Ltda" --member owner=0b861954-ed91-4e84-8458-6e46c6a6d30c',
    ),
  )
  .action(
    async (
      { id = randomUUID(), name, currency, member }: OrganizationOptions,
      command: Command,
    ) => {
      const input = z.safeParse(organizationInput, { name, currency, members: member });
      if (!input.success) {
        const [first] = issueDetails(input.error);
        throw new CliError(`${first?.path} ${first?.message}`);
      }
      const table = await openTarget(command);
      const { organization: made } = await provision(table, id, input.data, ofCommand).catch(
        (error) => {
          throw unlessRefused(error, id);
        },
      );
      print(made);
    },
  );

/** A repeat without the id would make a second organization. */
const unlessRefused = (error: unknown, id: string): unknown =>
  error instanceof ApiError && error.code === 'organization_id_reused'
    ? error
    : unsure('The organization may have been made', `--id ${id}`, error);

const show = new Command('show')
  .description('show an organization with its pipelines')
  .argument('<organization-id>', 'its id', uuid)
  .action(async (id: string, _options: object, command: Command) => {
    const table = await openTarget(command);
    const item = await expectOrganization(table, id);
    const [memberList, pipelines] = await Promise.all([
      readAllMembers(table, id),
      readPipelines(table, id, { consistent: true }),
    ]);
    print({
      id,
      name: item.name,
      currency: item.currency,
      created_at: item.created_at,
      suspended_at: item.suspended_at ?? null,
      members: memberList.length,
      pipelines,
    });
  });

export const organization = new Command('organization')
  .description('make, find and show organizations, change, suspend, export and erase them')
  .addCommand(create)
  .addCommand(list)
  .addCommand(show)
  .addCommand(limit)
  .addCommand(rename)
  .addCommand(currency)
  .addCommand(suspend)
  .addCommand(resume)
  .addCommand(exportWhole)
  .addCommand(erase);
