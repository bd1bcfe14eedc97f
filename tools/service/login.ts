import type { LocalIssuer } from '@leads-and-stars/runner';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { DemoOrganization } from './demo-organization.ts';
import { loginPage } from './login-page.ts';

/** Where a page of the gateway's address logs in. */
export const loginPaths = (prefix: string) => ({
  authorize: `${prefix}/login`,
  token: `${prefix}/issuer/token`,
});

/**
 * Serves the local issuer's login below a prefix, to the pages there: a browser would not take the
 * issuer's own certificate.
 */
export const registerLogin = (
  server: FastifyInstance,
  issuer: LocalIssuer,
  prefix: string,
  organization: () => DemoOrganization | undefined,
): void => {
  const passOn = (path: string) => async (request: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    const { raw } = request;
    raw.url = `${path}?${raw.url?.split('?')[1] ?? ''}`;
    // The gateway has taken it away.
    raw.headers['content-type'] = 'application/x-www-form-urlencoded';
    issuer.serve(raw, reply.raw);
  };
  const own = onlyFor(prefix);
  const paths = loginPaths(prefix);
  server.get(paths.authorize, { onRequest: own }, (request, reply) => {
    const query = request.url.split('?')[1] ?? '';
    return reply.type('text/html').send(Buffer.from(loginPage(organization(), query)));
  });
  const authorize = { onRequest: [own, passOn('/authorize')] };
  server.get(`${prefix}/issuer/authorize`, authorize, unreached);
  server.post(paths.token, { onRequest: passOn('/token') }, unreached);
};

/** A code goes to no other page: any site could otherwise log in here. */
const onlyFor = (prefix: string) => async (request: FastifyRequest, reply: FastifyReply) => {
  // Read as the issuer will read it.
  const redirect = new URLSearchParams(request.url.split('?')[1]).get('redirect_uri') ?? '';
  const to = URL.canParse(redirect) ? new URL(redirect) : undefined;
  if (to?.origin === `http://${request.host}` && to.pathname.startsWith(prefix)) return;
  return reply.code(400).type('text/plain').send(Buffer.from('redirect_uri must be of this page'));
};

const unreached = () => {};
