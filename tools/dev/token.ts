import { CliError, issuerLike, lastSigningKey } from '@leads-and-stars/runner';
import { Command } from 'commander';
import { runToEnd } from '../cli/run.ts';
import { runningService, type Wanted, withWanted } from '../service/running-service.ts';
import { audience } from '../service/service.ts';

interface TokenOptions extends Wanted {
  role: string;
  organization?: string;
}

const print = async ({ role, organization, ...wanted }: TokenOptions): Promise<void> => {
  const ready = await runningService(wanted);
  const signingKey = ready.issuer_file && lastSigningKey(ready.issuer_file);
  if (!ready.issuer || !signingKey) throw new CliError('The service has no issuer of its own.');
  const all = ready.organizations ?? [];
  const one = organization ? all.find((o) => o.organization_id === organization) : all[0];
  if (!one) throw new CliError('The running service has no such organization in its demo.');
  const user = Object.entries(one.users).find(([name]) => name === role)?.[1];
  if (!user) throw new CliError(`--role takes one of: ${Object.keys(one.users).join(', ')}`);
  const issuer = await issuerLike({ url: ready.issuer, audience, certificateFile: '', signingKey });
  console.log(await issuer.idToken(user));
};

await withWanted(new Command('npm run token --'))
  .description(
    'Prints a fresh token, good for 12 hours, of a member of the demo that npm run dev runs. For scripts: ' +
      'TOKEN=$(npm run --silent token -- --role agent)',
  )
  .option('--role <role>', 'the member’s role', 'owner')
  .option('--organization <id>', 'the member’s organization (the first one unless told)')
  .action((options: TokenOptions) => runToEnd(() => print(options)))
  .parseAsync();
