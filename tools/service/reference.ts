import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkOrigins, type LocalIssuer } from '@leads-and-stars/runner';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { DemoOrganization } from './demo-organization.ts';
import { importDocument, localPageDocument } from './local-document.ts';
import { loginPaths, registerLogin } from './login.ts';
import { contentSecurityPolicy, referenceConfiguration } from './reference-page.ts';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const prefix = '/docs';
const documentText = () => readFileSync(file, 'utf8');

/** The reference page at `/docs` of the gateway's address, so that it may call the API, its login, and the document. */
export class Reference {
  /** The organization whose users can log in, and whose ids are in the examples. */
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
      const answer = (reply: FastifyReply, document: object) =>
        reply.type('application/json').send(Buffer.from(JSON.stringify(document)));
      pages.get(`${prefix}/openapi.json`, async ({ host }, reply) =>
        answer(reply, importDocument(documentText(), await this.#known(server, host))),
      );
      pages.get(`${prefix}/page.json`, async ({ host }, reply) => {
        const known = await this.#known(server, host);
        const { audience } = this.#issuer;
        const [login, page] = [loginPaths(prefix), `http://${host}${prefix}/`];
        return answer(
          reply,
          localPageDocument(documentText(), { ...known, audience, login, page }),
        );
      });
      // The package takes longer to load than the rest of a command, and not each command serves.
      await pages.register(import('@scalar/fastify-api-reference'), {
        routePrefix: prefix,
        configuration: { ...referenceConfiguration, persistAuth: true, url: 'page.json' },
      });
      registerLogin(pages, this.#issuer, prefix, () => this.organization);
    });
  }

  async #known(server: FastifyInstance, host: string) {
    const { organization } = this;
    const leadId = organization && (await this.#leadOf(server, organization));
    return { host, organization, leadId };
  }

  /** The newest lead, which may be another lead each time: leads are deleted from the page. */
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
