import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Events, OAuth2Issuer, OAuth2Service } from 'oauth2-mock-server';
import { generate } from 'selfsigned';
import { guarded } from '../machine/guard.ts';

export const audience = 'leads-and-stars-local';

/** An OIDC issuer on this machine, with real keys and a certificate of its own. */
export interface LocalIssuer {
  url: string;
  certificateFile: string;
  /** Signs an id_token for a user, good for half a day. */
  idToken(userId: string): Promise<string>;
  /** The key that signs, private part included: for tests that sign tokens of their own. */
  signingKey: Record<string, unknown>;
  /** Its login, to be served elsewhere; `login_hint` says who logs in. */
  serve: RequestListener;
  close(): Promise<void>;
}

const tokenLife = 12 * 60 * 60;
const jwks = '/.well-known/jwks.json';

/** Serves the issuer's keys over HTTPS on a free port; its certificate is written into the directory. */
export const startIssuer = async (directory: string): Promise<LocalIssuer> => {
  const { private: key, cert } = await generate([{ name: 'commonName', value: 'localhost' }], {
    keySize: 2048,
    notAfterDate: new Date(Date.now() + 7 * 24 * 60 * 60 * 1000),
    extensions: [{ name: 'subjectAltName', altNames: [{ type: 2, value: 'localhost' }] }],
  });
  const certificateFile = join(directory, 'issuer.pem');
  await writeFile(certificateFile, cert);

  const issuer = new OAuth2Issuer();
  await issuer.keys.generate('RS256');
  const service = new OAuth2Service(issuer, { jwks });
  logInAsHinted(service);
  const server = createServer({ key, cert }, guarded(keysOnly(service.requestHandler)));
  server.listen(0, 'localhost');
  await once(server, 'listening');
  issuer.url = `https://localhost:${(server.address() as AddressInfo).port}`;

  return {
    url: issuer.url,
    certificateFile,
    idToken: (userId) =>
      issuer.buildToken({
        expiresIn: tokenLife,
        scopesOrTransform: (_header, payload) => {
          Object.assign(payload, { sub: userId, aud: audience, token_use: 'id' });
        },
      }),
    serve: service.requestHandler,
    signingKey: issuer.keys.toJSON(true)[0] ?? {},
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};

/** Nobody logs in at the issuer's own address: the login page has another. */
const keysOnly =
  (serve: RequestListener): RequestListener =>
  (request, response) => {
    if (request.url === jwks) return serve(request, response);
    response.writeHead(404).end();
  };

/** A code is for the user whom `login_hint` named when it was asked for. */
const logInAsHinted = (service: OAuth2Service): void => {
  const users = new Map<unknown, string>();
  service.on(Events.BeforeAuthorizeRedirect, ({ url }, request) => {
    const hint = new URL(request.url ?? '', 'http://localhost').searchParams.get('login_hint');
    users.set(url.searchParams.get('code'), hint ?? '');
  });
  service.on(Events.BeforeTokenSigning, ({ payload }, { body }) => {
    payload.sub = users.get(body.code);
  });
  service.on(Events.BeforeResponse, (_response, { body }) => users.delete(body.code));
};
