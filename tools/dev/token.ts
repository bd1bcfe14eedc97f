import { parseArgs } from 'node:util';
import { CliError, issuerLike, lastSigningKey } from '@leads-and-stars/runner';
import { runToEnd } from '../cli/run.ts';
import { runningService, wantedOf, wantedOptions, wantedUsage } from './running-service.ts';
import { audience } from './service.ts';

const usage = `npm run token -- [options]

Prints a fresh token, good for 12 hours, of a member of the demo that npm run dev runs. For scripts:
TOKEN=$(npm run --silent token -- --role agent)

  --role ROLE         the member's role (default owner)
  --organization ID   the member's organization (default the first one)
${wantedUsage}
  --help              show this`;

const options = () => {
  try {
    return parseArgs({
      options: {
        role: { type: 'string', default: 'owner' },
        organization: { type: 'string' },
        ...wantedOptions,
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${usage}`);
  }
};

await runToEnd(async () => {
  const { role, organization, help, ...wanted } = options();
  if (help) {
    console.log(usage);
    return undefined;
  }
  const ready = await runningService(wantedOf(wanted));
  const signingKey = ready.issuer_file && lastSigningKey(ready.issuer_file);
  if (!ready.issuer || !signingKey) throw new CliError('The service has no issuer of its own.');
  const all = ready.organizations ?? [];
  const one = organization ? all.find((o) => o.organization_id === organization) : all[0];
  if (!one) throw new CliError('The running service has no such organization in its demo.');
  const user = Object.entries(one.users).find(([name]) => name === role)?.[1];
  if (!user) throw new CliError(`--role takes one of: ${Object.keys(one.users).join(', ')}`);
  const issuer = await issuerLike({ url: ready.issuer, audience, certificateFile: '', signingKey });
  console.log(await issuer.idToken(user));
  return undefined;
});
