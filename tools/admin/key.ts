import { Command } from 'commander';
import { type CallerRole, callerRoles } from '../../lib/operations/permissions.ts';
import { examples, expiry, platformKeyRole, uuid } from './arguments.ts';
import { confirm, NotFoundError } from './outcomes.ts';
import { print } from './output.ts';
import { createPlatformKey, readPlatformKeys, revokePlatformKey } from './platform-keys.ts';
import { openTarget } from './target.ts';

const create = new Command('create')
  .description("make a platform key, for the company's own backend, and print it: once")
  .requiredOption('--name <name>', 'who uses it')
  .requiredOption('--role <role>', callerRoles.join(', '), platformKeyRole)
  .option('--expires-at <time>', 'when it ends, such as 2030-01-31T00:00:00Z', expiry)
  .addHelpText(
    'after',
    examples(
      'key create --role billing_system --name "Billing, since May"',
      'key create --role platform --name "On call" --expires-at 2030-01-31T00:00:00Z',
    ),
  )
  .action(async ({ name, role, expiresAt }: KeyOptions, command: Command) => {
    const table = await openTarget(command);
    print(await createPlatformKey(table, { name, role, expiresAt }));
  });

interface KeyOptions {
  name: string;
  role: CallerRole;
  expiresAt?: number;
}

const list = new Command('list')
  .description('list the platform keys, those that are revoked, too')
  .action(async (_options: object, command: Command) => {
    const table = await openTarget(command);
    print(await readPlatformKeys(table));
  });

const revoke = new Command('revoke')
  .description('end a platform key, at once and for ever')
  .argument('<key-id>', 'its id', uuid)
  .option('--yes', 'do not ask')
  .action(async (id: string, options: { yes?: true }, command: Command) => {
    await confirm(`Whatever uses the platform key ${id} stops, for ever.`, options);
    const table = await openTarget(command);
    if (!(await revokePlatformKey(table, id)))
      throw new NotFoundError(`There is no platform key ${id}.`);
    print({ id, revoked: true });
  });

export const key = new Command('key')
  .description('make, see and revoke platform keys, which act in all organizations')
  .addCommand(create)
  .addCommand(list)
  .addCommand(revoke);
