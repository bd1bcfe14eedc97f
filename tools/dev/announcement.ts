/** The first text that a reader sees: one screen, with calls to paste. */
export const announcement = (baseUrl: string, hasDemo: boolean, variablesFile: string): string => {
  const served = `Serving ${baseUrl} (Ctrl-C stops it)
Its reference, to read and to try out: ${new URL('/docs/', baseUrl)}`;
  if (!hasDemo) return served;
  return `${served}

In another terminal, with an admin's API key, good after a restart too ("npm run token" gets tokens of users):
. ${variablesFile}
call() { curl -s "$BASE_URL$@" -H "Authorization: Bearer $KEY"; }
Create a lead, list the leads, read the balance:
call /leads -H 'Content-Type: application/json' -d '{"contact_name":"Maria Silva","pipeline_id":"'$PIPELINE'"}'
call /leads
call /billing/balance`;
};
