import type { DemoOrganization } from './demo-organization.ts';
import type { loginPaths } from './login.ts';
import { pageDocument, pastMoment, someOrganization } from './reference-page.ts';

interface Known {
  /** The address of this server, with its port. */
  host: string;
  /** Whose ids are in the examples of the document, but for those of its pipeline and leads. */
  organization: DemoOrganization | undefined;
  /** A lead of that organization, if it has one. */
  leadId: string | undefined;
}

/** The document's text as it holds here: this server, and in the examples ids of what there is, and a moment just past. */
const fill = (text: string, { host, organization, leadId }: Known): string => {
  const { paths, servers } = JSON.parse(text);
  const ids = { pipeline_id: organization?.pipeline_id, lead_id: leadId };
  let filled = text
    .replaceAll(JSON.stringify(servers[0].url), JSON.stringify(`http://${host}/v1`))
    .replaceAll(JSON.stringify(pastMoment), JSON.stringify(new Date().toISOString()))
    .replaceAll(someOrganization, organization?.organization_id ?? someOrganization);
  for (const [name, id] of Object.entries(ids)) {
    for (const example of examplesOf(paths, name)) {
      if (example && id) filled = filled.replaceAll(example, id);
    }
  }
  return filled;
};

/** The document for programs that import it. */
export const importDocument = (text: string, known: Known) => {
  const document = JSON.parse(fill(text, known));
  document.servers = document.servers.slice(0, 1);
  return document;
};

export interface PageOptions extends Known {
  /** Whom the login's tokens are for. */
  audience: string;
  login: ReturnType<typeof loginPaths>;
  /** The address of the reference page, to which the login returns. */
  page: string;
}

/** The document of the reference page, with its login. */
export const localPageDocument = (text: string, options: PageOptions) => {
  const { audience, login, page, organization } = options;
  const document = pageDocument(fill(text, options));
  canBeRepeated(document.paths['/leads'].post);
  document.servers = [{ url: '/v1' }];
  document.security = [{ login: [] }, { bearer: [] }];
  nameOrganization(document, organization?.organization_id);
  document.components.securitySchemes.login = {
    type: 'oauth2',
    description: 'The local issuer’s login: press Authorize, and choose who you are.',
    flows: {
      authorizationCode: {
        authorizationUrl: login.authorize,
        tokenUrl: login.token,
        scopes: { openid: 'An id_token.' },
        'x-tokenName': 'id_token',
        'x-usePkce': 'SHA-256',
        'x-scalar-client-id': audience,
        // Where logins are kept over a reload, the page does not fill in its own.
        'x-scalar-redirect-uri': page,
      },
    },
  };
  return document;
};

/** Whoever has logged in calls in their organization: nobody has to type its id. */
const nameOrganization = (document: OpenApi, organizationId: string | undefined) => {
  const { OrganizationId: header } = document.components.parameters;
  Object.assign(header, { required: true, example: organizationId });
  const { get: getMe } = document.paths['/me'] ?? {};
  if (getMe) getMe.parameters = getMe.parameters.filter((one) => one.$ref === undefined);
};

interface PageParameter {
  $ref?: string;
  name?: string | undefined;
  in?: string;
  required?: boolean;
  description?: string | undefined;
  schema?: object;
  example?: string | undefined;
}

interface OpenApi {
  components: { parameters: { OrganizationId: PageParameter } };
  paths: Record<string, Record<string, { parameters: PageParameter[] }>>;
}

/** The values of a parameter in the paths of all operations' examples: each example is about a thing of its own. */
const examplesOf = (paths: OpenApi['paths'], name: string) =>
  Object.values(paths)
    .flatMap((operations) => Object.values(operations))
    .flatMap(({ parameters }) => parameters)
    .filter((one) => one.in === 'path' && one.name === name)
    .map(({ example }) => example);

/** Lets the example be sent twice from the page, for two leads: with an email, the second request would be refused. */
const canBeRepeated = (createLead: {
  requestBody: { content: { 'application/json': { examples: Record<string, { value: object }> } } };
}) => {
  const [first] = Object.values(createLead.requestBody.content['application/json'].examples);
  if (first) first.value = { ...first.value, email: undefined };
};
