import type { RoutedOperation } from '../../lib/operations/definition.ts';
import { rolePermissions, roles } from '../../lib/operations/permissions.ts';

// Texts that the definitions do not have.

const roleLines = roles.map(
  (role) => `- ${role}: ${[...rolePermissions[role]].map((one) => `\`${one}\``).join(' ')}`,
);

export const info = {
  title: 'Leads and stars',
  description: `Takes in sales leads, keeps them in pipelines, and tells an organization how many stars
(prepaid credits) it has.

**Every call** carries an API key or an OIDC id_token as bearer token. An API key alone acts in its organization. With an
id_token or a platform key, all but \`GET /me\` and what makes organizations and plans name in \`X-Organization-Id\` the
organization that they act in: \`GET /me\` tells which there are. Bodies are JSON; a field or parameter that is not known is refused.
Answers may get new fields: leave alone what you do not know.

**Errors** all have one shape. Rely on \`error.code\`, which is stable, not on \`error.message\`; quote
\`error.request_id\`, also in \`X-Request-Id\`, to whoever runs the service.

**Retries.** With an \`Idempotency-Key\`, a repeat within 24 hours gets the first answer. After \`write_conflict\`,
\`rate_limited\`, \`internal\`, \`unavailable\` and \`timeout\`, send the request again with the same key; wait as
\`Retry-After\` says where it is sent. Without a key, \`internal\`, \`unavailable\` and \`timeout\` leave open whether the
request was carried out.

**Lists** come a page at a time: pass \`next_cursor\` back as \`cursor\`, with the same filters, until it is
\`null\`.

**Roles** and what they may do:

${roleLines.join('\n')}`,
};

/** The local server is first: a program that imports the document then calls what `npm run dev` serves. */
export const servers = [
  {
    url: 'http://localhost:3000/v1',
    description: 'Local: what `npm run dev` serves on this machine.',
    'x-internal': true,
  },
  {
    url: 'https://{api_id}.execute-api.{region}.amazonaws.com/v1',
    description: 'A deployment, such as production or staging: the stack’s output `BaseUrl`.',
    'x-internal': false,
    variables: {
      api_id: { default: 'api-id', description: 'The id of the REST API.' },
      region: { default: 'us-east-1', description: 'The AWS region.' },
    },
  },
];

export const securitySchemes = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'An API key (`lsk_…`), as `POST /keys` makes one for a program. Or an id_token of the deployment’s OIDC issuer (the stack’s output `Issuer`), made for its audience ' +
      '(`Audience`), as RFC8725 wants tokens to be used: not expired, signed with RS256 or ES256 or longer.',
  },
};

// The organization is no scheme: generated clients would send the key as its id.
/** The credentials of every call. */
export const security = [{ bearer: [] }];

/** The permission or credentials that a caller needs for an operation. */
export const needsOf = ({ permission }: RoutedOperation): string =>
  permission ? `\`${permission}\`` : 'a valid token or API key';

export const tags = [
  { name: 'Leads', description: 'Sales leads: made, found, moved through a pipeline, deleted.' },
  { name: 'Fields', description: 'What custom fields leads can have.' },
  { name: 'Pipelines', description: 'Where leads are: the stages that they go through.' },
  { name: 'Me', description: 'Who calls, and which organizations are theirs.' },
  { name: 'Organization', description: 'The organization, and how much of its limits is used.' },
  {
    name: 'Organizations',
    description: 'How organizations are made: by the company’s own backend, with a platform key.',
  },
  { name: 'Members', description: 'Who may act in the organization, and in what role.' },
  { name: 'Keys', description: 'API keys, with which programs call, each in a role of its own.' },
  { name: 'Billing', description: 'Stars: the balance, what changed it, and the plans.' },
  { name: 'Changes', description: 'What changed in leads and wallet: each once, in one order.' },
  {
    name: 'Webhooks',
    description:
      'Addresses that changes are posted to: signed, in order, and again where it failed.',
  },
];

/** The area that a path belongs to, by its first segment. Without an area, the lists of calls would leave the path out. */
export const tagOf = (path: string): string => {
  const [, area = ''] = path.split('/');
  const tag = tags.find(({ name }) => name.toLowerCase() === area);
  if (!tag) throw new Error(`\`tags\` of tools/openapi/texts.ts has none for ${path}`);
  return tag.name;
};
