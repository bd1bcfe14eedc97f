import { parseArgs } from 'node:util';
import { CliError, replaceFile } from '@leads-and-stars/runner';
import { type Role, roles } from '../../lib/operations/permissions.ts';
import { runUntilStopped } from '../cli/run.ts';
import { loginPaths } from './login.ts';
import { type Ready, readReadyFile, readyFile } from './ready-file.ts';
import { audience } from './service.ts';

const usage = `npm run --silent token -- [--role ROLE] [--organization ID] [--file FILE]

Gets an id_token of the local issuer for a demo user, as a login does, and prints it.

Roles: ${roles.join(', ')} (agent unless told)
--organization ID   of the demo organizations; the first unless told
--file FILE         writes it into a file that only you can read: for LEADS_TOKEN_FILE`;

const option = { type: 'string' } as const;

const parse = () => {
  try {
    const options = { role: option, organization: option, file: option };
    return parseArgs({ args: process.argv.slice(2), options }).values;
  } catch (error) {
    throw new CliError(`${(error as Error).message}\n\n${usage}`);
  }
};

/** The demo user of a role. */
const userOf = (
  { organizations = [] }: Partial<Ready>,
  role: string,
  id: string | undefined,
): string => {
  if (!(roles as readonly string[]).includes(role)) throw new CliError(usage);
  const organization = organizations.find((one) => id === undefined || one.organization_id === id);
  if (!organization) throw new CliError('The running service has no such demo organization.');
  return organization.users[role as Role];
};

/** The flow of the reference page’s login: a code for the user, and the token for the code. */
const logIn = async (baseUrl: string, user: string): Promise<string> => {
  const page = new URL('/docs/', baseUrl);
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: audience,
    scope: 'openid',
    redirect_uri: page.href,
    login_hint: user,
  });
  const authorize = new URL(`issuer/authorize?${query}`, page);
  const { headers } = await fetch(authorize, { redirect: 'manual' });
  const code = new URL(headers.get('location') ?? '', page).searchParams.get('code') ?? '';
  const answer = await fetch(new URL(loginPaths('/docs').token, page), {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: audience,
      code,
      redirect_uri: page.href,
    }),
  });
  const { id_token } = (await answer.json()) as { id_token?: string };
  if (!id_token) throw new CliError(`The issuer gave no token: ${answer.status}.`);
  return id_token;
};

await runUntilStopped(async () => {
  const { role = 'agent', organization, file } = parse();
  const ready = await readReadyFile(readyFile);
  if (!ready?.base_url) {
    throw new CliError(`There is no ${readyFile}: start the service with npm run dev.`);
  }
  const token = await logIn(ready.base_url, userOf(ready, role, organization));
  if (file === undefined) console.log(token);
  else replaceFile(file, token);
  return undefined;
});
