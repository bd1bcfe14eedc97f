import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkOrigins, type LocalIssuer } from '@leads-and-stars/runner';
import type { FastifyInstance } from 'fastify';
import type { DemoOrganization } from '../demo/organization.ts';
import { contentSecurityPolicy, referenceConfiguration } from '../openapi/reference.ts';
import { localDocument } from './local-document.ts';
import { loginPaths, registerLogin } from './login.ts';
import { showingOrganization } from './organization-script.ts';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const prefix = '/docs';

/** The reference page at `/docs` of the gateway's address, so that it may call the API, and its login. */
export class Reference {
  /** Whom one can log in as, and whose ids are in the examples: the first's, before anyone has. */
  organizations: readonly DemoOrganization[] = [];
  readonly #issuer: LocalIssuer;

  constructor(issuer: LocalIssuer) {
    this.#issuer = issuer;
  }

  register(server: FastifyInstance): void {
    server.register(async (pages) => {
      checkOrigins(pages);
      pages.addHook('onSend', async (request, reply, payload) => {
        reply.header('content-security-policy', contentSecurityPolicy("'self'"));
        const isPage = request.url === `${prefix}/` && reply.statusCode === 200;
        return isPage ? showingOrganization(String(payload)) : payload;
      });
      pages.get('/', (_request, reply) => reply.redirect(`${prefix}/`));
      pages.get(`${prefix}/openapi.json`, async (request, reply) => {
        const wanted = new URLSearchParams(request.url.split('?')[1]).get('organization');
        const page = `http://${request.host}${prefix}/`;
        const document = await this.#documentFor(server, page, wanted);
        return reply.type('application/json').send(Buffer.from(JSON.stringify(document)));
      });
      // The package takes longer to load than the rest of a command, and not each command serves.
      await pages.register(import('@scalar/fastify-api-reference'), {
        routePrefix: prefix,
        configuration: { ...referenceConfiguration, persistAuth: true, url: 'openapi.json' },
      });
      registerLogin(pages, this.#issuer, prefix, () => this.organizations);
    });
  }

  async #documentFor(
    server: FastifyInstance,
    page: string,
    wanted: string | null,
  ): Promise<object> {
    const [from] = this.organizations;
    const to = this.organizations.find((one) => one.organization_id === wanted) ?? from;
    const leadId = to && (await this.#leadOf(server, to));
    const { audience } = this.#issuer;
    const login = loginPaths(prefix);
    return localDocument(readFileSync(file, 'utf8'), { audience, login, page, from, to, leadId });
  }

  /** The newest lead, which may be another one each time: leads are deleted from the page. */
  async #leadOf(server: FastifyInstance, organization: DemoOrganization) {
    const token = await this.#issuer.idToken(organization.users.owner);
    const answer = await server.inject({
      url: '/v1/leads?limit=1',
      headers: {
        authorization: `Bearer ${token}`,
        'x-organization-id': organization.organization_id,
      },
    });
    return answer.statusCode === 200 ? (answer.json().items[0]?.id as string) : undefined;
  }
}
