import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkOrigins, type LocalIssuer } from '@leads-and-stars/runner';
import type { FastifyInstance } from 'fastify';
import type { DemoOrganization } from '../demo/organization.ts';
import { contentSecurityPolicy, referenceConfiguration } from '../openapi/reference.ts';
import { localDocument } from './local-document.ts';
import { loginPaths, registerLogin } from './login.ts';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const prefix = '/docs';

/** The reference page at `/docs` of the gateway's address, so that it may call the API, and its login. */
export class Reference {
  /** Whom one can log in as, and whose ids are in the examples. */
  organization: DemoOrganization | undefined;
  readonly #issuer: LocalIssuer;

  constructor(issuer: LocalIssuer) {
    this.#issuer = issuer;
  }

  register(server: FastifyInstance): void {
    server.register(async (pages) => {
      checkOrigins(pages);
      pages.addHook('onSend', async (_request, reply) => {
        reply.header('content-security-policy', contentSecurityPolicy("'self'"));
      });
      pages.get('/', (_request, reply) => reply.redirect(`${prefix}/`));
      pages.get(`${prefix}/openapi.json`, async (request, reply) => {
        const page = `http://${request.host}${prefix}/`;
        const document = await this.#documentFor(server, page);
        return reply.type('application/json').send(Buffer.from(JSON.stringify(document)));
      });
      // The package takes longer to load than the rest of a command, and not each command serves.
      await pages.register(import('@scalar/fastify-api-reference'), {
        routePrefix: prefix,
        configuration: { ...referenceConfiguration, persistAuth: true, url: 'openapi.json' },
      });
      registerLogin(pages, this.#issuer, prefix, () => this.organization);
    });
  }

  async #documentFor(server: FastifyInstance, page: string): Promise<object> {
    const { organization } = this;
    const leadId = organization && (await this.#leadOf(server, organization));
    const { audience } = this.#issuer;
    const login = loginPaths(prefix);
    return localDocument(readFileSync(file, 'utf8'), {
      audience,
      login,
      page,
      organization,
      leadId,
    });
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
