import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import * as z from 'zod/mini';
import { mostStars } from '../../lib/billing/terms/stars.ts';
import { ApiError } from '../../lib/errors/errors.ts';
import { readPipelines } from '../../lib/pipelines/pipeline.ts';
import { organizationInput, provision } from '../../lib/provisioning/provisioning.ts';
import { issueDetails } from '../../lib/schema/issues.ts';
import { wholeNumber } from '../cli/whole-number.ts';
import { examples, members, uuid } from './arguments.ts';
import { limit } from './limit-organization.ts';
import { list } from './list-organizations.ts';
import { print } from './output.ts';
import { readAllMembers, readOrganization } from './read-organization.ts';
import { openTarget } from './target.ts';
import { unsure } from './uncertainty.ts';

interface CreateOptions {
  name?: string;
  id?: string;
  member?: ReturnType<typeof members>;
  packStars?: number;
  input?: string;
}

const create = new Command('create')
  .description('make an organization with its members, pipelines and wallet')
  .option('--name <name>', 'what it is called')
  .option('--member <role=user-id>', 'a member; one owner at least; can be repeated', members)
  .option('--id <uuid>', 'its id: a repeat with the same id makes no second one', uuid)
  .option('--pack-stars <n>', 'stars that it starts with', wholeNumber(0, mostStars))
  .option('--input <file>', 'JSON with the fields of PUT /organizations; options win over it')
  .addHelpText(
    'after',
    examples(
      'organization create --name "Cedro Ltda" --member owner=0b861954-ed91-4e84-8458-6e46c6a6d30c',
      'organization create --input organization.json --id 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11',
    ),
  )
  .action(async (options: CreateOptions, command: Command) => {
    const { id = randomUUID() } = options;
    const input = z.safeParse(organizationInput, inputOf(options));
    if (!input.success) {
      const [first] = issueDetails(input.error);
      throw new CliError(`${first?.path} ${first?.message}`);
    }
    const table = await openTarget(command);
    const { organization: made } = await provision(table, id, input.data).catch((error) => {
      throw unlessRefused(error, id);
    });
    print(made);
  });

const inputOf = ({ input, name, member, packStars }: CreateOptions) => {
  const given = input === undefined ? {} : readInput(input);
  return {
    ...given,
    ...(name !== undefined && { name }),
    ...(member && { members: member }),
    ...(packStars !== undefined && { wallet: { ...given.wallet, pack_stars: packStars } }),
  };
};

const readInput = (file: string): { wallet?: object } => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new CliError(`--input ${file} can't be read: ${(error as Error).message}`);
  }
};

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
    const item = await readOrganization(table, id);
    const [memberList, pipelines] = await Promise.all([
      readAllMembers(table, id),
      readPipelines(table, id, { consistent: true }),
    ]);
    print({
      id,
      name: item.name,
      created_at: item.created_at,
      members: memberList.length,
      pipelines,
    });
  });

export const organization = new Command('organization')
  .description('make and show organizations, and set their limits')
  .addCommand(create)
  .addCommand(list)
  .addCommand(show)
  .addCommand(limit);
