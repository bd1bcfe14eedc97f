import { Command } from 'commander';
import { examples, uuid } from './arguments.ts';
import { readMembers, readOrganization } from './organizations.ts';
import { print } from './output.ts';
import { openTarget } from './target.ts';

const list = new Command('list')
  .description('list the members of an organization with their roles')
  .argument('<organization-id>', 'the organization', uuid)
  .addHelpText(
    'after',
    examples(
      'member list 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11',
      'member list 5e1f7b3a-0a52-4a0e-9d0c-3c8b5f0f7a11 --stack LeadsAndStars --profile crm',
    ),
  )
  .action(async (organizationId: string, _options: object, command: Command) => {
    const { table } = await openTarget(command);
    await readOrganization(table, organizationId);
    const members = await readMembers(table, organizationId);
    print(command, members, members);
  });

export const member = new Command('member')
  .description('see who is a member of an organization')
  .addCommand(list);
