import { CliError } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { ofCommand } from '../../lib/facts/origin.ts';
import { commitTo } from '../../lib/facts/transaction.ts';
import type { Role } from '../../lib/operations/permissions.ts';
import { putMemberWrites, removeMemberWrites } from '../../lib/organizations/member-writes.ts';
import {
  type Member,
  readMember,
  readStoredMember,
  type StoredMember,
} from '../../lib/organizations/members.ts';
import { readMemberships } from '../../lib/organizations/memberships.ts';
import { nameKind } from '../../lib/organizations/names.ts';
import type { TableClient } from '../../lib/table/client.ts';
import { retryOnConflict } from '../../lib/table/retry.ts';
import { remove } from '../../lib/table/write.ts';
import { displayName, examples, role, userId, uuid } from './arguments.ts';
import type { CommittedWrites } from './organization-settings.ts';
import { confirm, NotFoundError } from './outcomes.ts';
import { print } from './output.ts';
import { expectOrganization, readAllMembers } from './read-organization.ts';
import { openTarget } from './target.ts';

interface Sure {
  yes?: true;
}

const list = new Command('list')
  .description('list the members of an organization with their roles')
  .argument('<organization-id>', 'the organization', uuid)
  .action(async (organizationId: string, _options: object, command: Command) => {
    const table = await openTarget(command);
    await expectOrganization(table, organizationId);
    print(await readAllMembers(table, organizationId));
  });

/** Page after page, as `GET /me` has them. */
const organizations = new Command('organizations')
  .description('list the organizations that a user is a member of')
  .argument('<user-id>', 'the user', userId)
  .action(async (userId: string, _: object, command: Command) => {
    const table = await openTarget(command);
    const all: object[] = [];
    let cursor: string | undefined;
    do {
      const page = await readMemberships(table, userId, cursor);
      all.push(...page.organizations);
      cursor = page.next_cursor;
    } while (cursor !== undefined);
    print(all);
  });

const put = new Command('put')
  .description('add a member to an organization, or give one another role')
  .argument('<organization-id>', 'the organization', uuid)
  .argument('<user-id>', 'the user: the `sub` of the token, where that is a UUID', userId)
  .argument('<role>', 'owner, admin, agent, viewer, support, billing, meter or assistant', role)
  .option(
    '--name <name>',
    'what histories call the member; without it, the name stays',
    displayName,
  )
  .addHelpText(
    'after',
    examples(
      'member put 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11 0b861954-ed91-4e84-8458-6e46c6a6d30c agent --name "Ana Souza"',
    ),
  )
  .action(
    async (
      organizationId: string,
      userId: string,
      after: Role,
      options: { name?: string },
      command: Command,
    ) => {
      const table = await openTarget(command);
      let member: Member | undefined;
      await change(table, organizationId, userId, (before) => {
        member = { user_id: userId, role: after, name: options.name ?? before.name };
        return putMemberWrites(organizationId, before, member, Date.now());
      });
      print(member!);
    },
  );

const removal = new Command('remove')
  .description('remove a member from an organization, at once')
  .argument('<organization-id>', 'the organization', uuid)
  .argument('<user-id>', 'the user', userId)
  .option('--yes', 'do not ask')
  .action(async (organizationId: string, userId: string, options: Sure, command: Command) => {
    await confirm(`${userId} is shut out of ${organizationId}.`, options);
    const table = await openTarget(command);
    await change(table, organizationId, userId, (before) => {
      if (!before.role) throw new NotFoundError(`${userId} is not a member of ${organizationId}.`);
      return removeMemberWrites(organizationId, before, userId, Date.now());
    });
    print({ user_id: userId, removed: true });
  });

const eraseName = new Command('erase-name')
  .description('erase the name of someone who was a member: histories then tell only the id')
  .argument('<organization-id>', 'the organization', uuid)
  .argument('<user-id>', 'the user', userId)
  .option('--yes', 'do not ask')
  .action(async (organizationId: string, userId: string, options: Sure, command: Command) => {
    await confirm(`The name of ${userId} is gone from all histories, for ever.`, options);
    const table = await openTarget(command);
    await expectOrganization(table, organizationId);
    if (await readMember(table, organizationId, userId)) {
      throw new CliError(`${userId} is a member of ${organizationId}: remove the member first.`);
    }
    await table.transact([remove(nameKind.key({ organizationId, id: userId }))]);
    print({ user_id: userId, name_erased: true });
  });

/** Follows the rules of the API's own operations, but an administrator need not be a member. */
const change = async (
  table: TableClient,
  organizationId: string,
  userId: string,
  writesFor: (before: StoredMember) => CommittedWrites,
): Promise<void> => {
  await expectOrganization(table, organizationId);
  const read = () => readStoredMember(table, organizationId, userId);
  await retryOnConflict(table, await read(), read, async (before) => {
    const writes = writesFor(before);
    if (writes.length > 0) await commitTo(table, ofCommand)(writes);
  });
};

export const member = new Command('member')
  .description('see and change who is a member of an organization')
  .addCommand(list)
  .addCommand(organizations)
  .addCommand(put)
  .addCommand(removal)
  .addCommand(eraseName);
