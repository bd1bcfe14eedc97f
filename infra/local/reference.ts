import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { contentSecurityPolicy, referenceConfiguration } from '../openapi/reference.ts';
import type { DemoOrganization } from './demo.ts';
import { audience, type LocalIssuer } from './issuer.ts';
import { loginPage } from './login-page.ts';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const prefix = '/docs';

/**
 * The reference page at `/docs` of the gateway's address, so that it may call the API. Its login is the
 * local issuer's, served from there too: a browser would not take the issuer's own certificate.
 */
export class Reference {
  /** Whom one can log in as, and whose ids are in the examples. */
  organizations: readonly DemoOrganization[] = [];
  readonly #issuer: LocalIssuer;

  constructor(issuer: LocalIssuer) {
    this.#issuer = issuer;
  }

  register(server: FastifyInstance): void {
    const content = () => localDocument(readFileSync(file, 'utf8'), this.organizations[0]);
    server.register(async (pages) => {
      pages.addHook('onSend', async (_request, reply) => {
        reply.header('content-security-policy', contentSecurityPolicy("'self'"));
      });
      await pages.register(scalar, {
        routePrefix: prefix,
        configuration: { ...referenceConfiguration, content },
      });
    });
    server.get(`${prefix}/login`, { onRequest: onlyForThePage }, (request, reply) => {
      const query = request.url.split('?')[1] ?? '';
      return reply.type('text/html').send(Buffer.from(loginPage(this.organizations, query)));
    });
    const authorize = { onRequest: [onlyForThePage, this.#passOn('/authorize')] };
    server.get(`${prefix}/issuer/authorize`, authorize, unreached);
    server.post(`${prefix}/issuer/token`, { onRequest: this.#passOn('/token') }, unreached);
  }

  #passOn(path: string) {
    return async (request: FastifyRequest, reply: FastifyReply) => {
      reply.hijack();
      const { raw } = request;
      raw.url = `${path}?${raw.url?.split('?')[1] ?? ''}`;
      // The gateway has taken it away.
      raw.headers['content-type'] = 'application/x-www-form-urlencoded';
      this.#issuer.serve(raw, reply.raw);
    };
  }
}

/** A code goes to no other page: any site could otherwise log in here. */
const onlyForThePage = async (request: FastifyRequest, reply: FastifyReply) => {
  const { redirect_uri = '' } = request.query as Record<string, string>;
  const to = URL.canParse(redirect_uri) ? new URL(redirect_uri) : undefined;
  if (to?.host === request.host && to.pathname.startsWith(prefix)) return;
  return reply.code(400).send(Buffer.from('redirect_uri must be of this page'));
};

const unreached = () => {};

/** The document as it holds here: this server, its login, and a pipeline that there is. */
const localDocument = (text: string, organization: DemoOrganization | undefined) => {
  const { parameters } = JSON.parse(text).paths['/pipelines/{pipeline_id}'].get;
  const { example } = parameters.find((one: { in?: string }) => one.in === 'path');
  const document = JSON.parse(text.replaceAll(example, organization?.pipeline_id ?? example));
  document.servers = [{ url: '/v1' }];
  document.security = [{ login: [] }, { id_token: [] }];
  document.components.securitySchemes.login = {
    type: 'oauth2',
    description: 'The local issuer’s login.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${prefix}/login`,
        tokenUrl: `${prefix}/issuer/token`,
        scopes: { openid: 'An id_token.' },
        'x-tokenName': 'id_token',
        'x-usePkce': 'SHA-256',
        'x-scalar-client-id': audience,
      },
    },
  };
  return document;
};
