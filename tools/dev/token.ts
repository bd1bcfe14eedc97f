import { parseArgs } from 'node:util';
import { CliError, issuerLike, lastSigningKey } from '@leads-and-stars/runner';
import { runToEnd } from '../cli/run.ts';
import { issuerFile, readReadyFile, readyFile } from './ready-file.ts';
import { audience } from './service.ts';

const usage = `npm run token -- [options]

Prints a fresh token, good for 12 hours, of a member of the demo that npm run dev runs. For scripts:
TOKEN=$(npm run --silent token -- --role agent)

  --role ROLE           the member's role (default owner)
  --organization ID     the member's organization (default the first one)
  --ready-file FILE     what npm run dev has written (default ${readyFile})
  --help                show this`;

const options = () => {
  try {
    return parseArgs({
      options: {
        role: { type: 'string', default: 'owner' },
        organization: { type: 'string' },
        'ready-file': { type: 'string', default: readyFile },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${usage}`);
  }
};

await runToEnd(async () => {
  const { role, organization, 'ready-file': file, help } = options();
  if (help) {
    console.log(usage);
    return undefined;
  }
  const ready = await readReadyFile(file);
  const signingKey = lastSigningKey(issuerFile);
  if (!ready?.issuer || !signingKey) {
    throw new CliError(`The service does not run (${file}): start it with npm run dev.`);
  }
  const all = ready.organizations ?? [];
  const one = organization ? all.find((o) => o.organization_id === organization) : all[0];
  if (!one) throw new CliError('The running service has no such organization in its demo.');
  const user = Object.entries(one.users).find(([name]) => name === role)?.[1];
  if (!user) throw new CliError(`--role takes one of: ${Object.keys(one.users).join(', ')}`);
  const issuer = await issuerLike({ url: ready.issuer, audience, certificateFile: '', signingKey });
  console.log(await issuer.idToken(user));
  return undefined;
});
