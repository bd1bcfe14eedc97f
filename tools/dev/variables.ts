import type { Ready } from '../service/ready-file.ts';

/** The text that a shell reads to have the variables of the examples in the README and the guides. */
export const variablesText = ({ base_url, api_key, organizations: [one] }: Ready): string => {
  const variables = {
    BASE_URL: base_url,
    ...(api_key !== undefined && { KEY: api_key }),
    ...(one && {
      ORGANIZATION: one.organization_id,
      PIPELINE: one.pipeline_id,
      TOKEN: one.tokens.owner,
      USER_ID: one.users.owner,
      COLLEAGUE: one.users.agent,
    }),
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${quoted(value)}`);
  return `${lines.join('\n')}\n`;
};

/** A text as one word of a shell, whatever is in it. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
