import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guard, type LocalIssuer } from '@leads-and-stars/runner';
import scalar from '@scalar/fastify-api-reference';
import type { FastifyInstance } from 'fastify';
import type { DemoOrganization } from '../demo/organization.ts';
import { contentSecurityPolicy, referenceConfiguration } from '../openapi/reference.ts';
import { loginPaths, registerLogin } from './login.ts';

const file = join(import.meta.dirname, '../../docs/openapi.json');
const prefix = '/docs';

/** The reference page at `/docs` of the gateway's address, so that it may call the API, and its login. */
export class Reference {
  /** Whom one can log in as, and whose ids are in the examples. */
  organizations: readonly DemoOrganization[] = [];
  readonly #issuer: LocalIssuer;

  constructor(issuer: LocalIssuer) {
    this.#issuer = issuer;
  }

  register(server: FastifyInstance): void {
    const content = () =>
      localDocument(readFileSync(file, 'utf8'), this.#issuer.audience, this.organizations[0]);
    server.register(async (pages) => {
      guard(pages);
      pages.addHook('onSend', async (_request, reply) => {
        reply.header('content-security-policy', contentSecurityPolicy("'self'"));
      });
      await pages.register(scalar, {
        routePrefix: prefix,
        configuration: { ...referenceConfiguration, content },
      });
      registerLogin(pages, this.#issuer, prefix, () => this.organizations);
    });
  }
}

/** The document as it holds here: this server, its login, and a pipeline that there is. */
const localDocument = (
  text: string,
  audience: string,
  organization: DemoOrganization | undefined,
) => {
  const { parameters } = JSON.parse(text).paths['/pipelines/{pipeline_id}'].get;
  const { example } = parameters.find((one: { in?: string }) => one.in === 'path');
  const document = JSON.parse(text.replaceAll(example, organization?.pipeline_id ?? example));
  document.servers = [{ url: '/v1' }];
  document.security = [{ login: [] }, { id_token: [] }];
  const paths = loginPaths(prefix);
  document.components.securitySchemes.login = {
    type: 'oauth2',
    description: 'The local issuer’s login.',
    flows: {
      authorizationCode: {
        authorizationUrl: paths.authorize,
        tokenUrl: paths.token,
        scopes: { openid: 'An id_token.' },
        'x-tokenName': 'id_token',
        'x-usePkce': 'SHA-256',
        'x-scalar-client-id': audience,
      },
    },
  };
  return document;
};
