import type { DemoOrganization } from '../demo/organization.ts';

/** What a reader sees first: one screen, with a token in a variable and calls to paste. */
export const announcement = (baseUrl: string, first: DemoOrganization | undefined): string => {
  const served = `Serving ${baseUrl} (Ctrl-C stops it)
Its reference, to read and to try out: ${new URL('/docs/', baseUrl)}`;
  if (!first) return served;
  const body = JSON.stringify({ contact_name: 'Maria Silva', pipeline_id: first.pipeline_id });
  return `${served}

An owner's token, good for 12 hours, after a restart too. "npm run token" makes others:
TOKEN=${first.tokens.owner}
call() { curl -s "${baseUrl}$@" -H "Authorization: Bearer $TOKEN" -H 'X-Organization-Id: ${first.organization_id}'; }
Create a lead, list the leads, read the balance:
call /leads -H 'Content-Type: application/json' -d '${body}'
call /leads
call /billing/balance`;
};
